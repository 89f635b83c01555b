import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ShellAnalysis } from '../../../../src/permissions/shell/acts.ts';
import { analyzeBash } from '../../../../src/permissions/shell/bash/walk.ts';
import { analyzeCmd } from '../../../../src/permissions/shell/windows/cmd.ts';
import { analyzePowerShell } from '../../../../src/permissions/shell/windows/powershell.ts';
import { plantWorkspace } from '../ask.ts';
import { showAnalysis } from './showActs.ts';

/**
 * `node test/unit/permissions/shell/lineActs.ts --write` writes what the lines of the fixtures do
 * now, to be reviewed as a change.
 */
export interface LineActs {
  readonly line: string;
  readonly acts: readonly string[];
}

export const SHELLS = ['bash', 'cmd', 'pwsh'] as const;
type Shell = (typeof SHELLS)[number];

const FILES = path.resolve(import.meta.dirname, '../../../fixtures/acts');
/** Globs match these. */
const START = plantWorkspace(['a', 'b', '.env', 'docs/c.md', 'src/a.ts', 'src/b.ts']);

/** The lines of a shell, each followed by what it does. `⏎` ends a line of a longer text. */
export function loadLineActs(shell: Shell): readonly LineActs[] {
  const text = readFileSync(path.join(FILES, `${shell}.txt`), 'utf8');
  return text
    .split('\n\n')
    .map((block) => block.trimEnd().split('\n'))
    .map(([first = '', ...acts]) => ({
      line: first.replace(/^\$ /, '').replaceAll('⏎', '\n'),
      acts: acts.map((act) => act.trim()),
    }));
}

export async function showLine(shell: Shell, line: string): Promise<readonly string[]> {
  return showAnalysis(line, START, await analyze(shell, line));
}

async function analyze(shell: Shell, line: string): Promise<ShellAnalysis> {
  if (shell === 'cmd') return analyzeCmd(line, START, 'win32');
  if (shell === 'pwsh') return analyzePowerShell(line, START, 'win32');
  return analyzeBash(line, START, 'linux');
}

async function writeLineActs(shell: Shell): Promise<void> {
  const blocks: string[] = [];
  for (const { line } of loadLineActs(shell)) {
    const acts = (await showLine(shell, line)).map((act) => `  ${act}`);
    blocks.push([`$ ${line.replaceAll('\n', '⏎')}`, ...acts].join('\n'));
  }
  writeFileSync(path.join(FILES, `${shell}.txt`), `${blocks.join('\n\n')}\n`);
}

const isRun = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isRun && process.argv[2] === '--write') for (const shell of SHELLS) void writeLineActs(shell);
