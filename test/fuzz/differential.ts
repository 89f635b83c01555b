import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Parser } from '@vscode/tree-sitter-wasm';
import fc from 'fast-check';
import { evaluate } from '../../src/permissions/evaluate/evaluate.ts';
import { type Policy, UNREADABLE } from '../../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../../src/permissions/rules/policyCompiler.ts';
import { fold } from '../../src/permissions/shell/bash/fold.ts';
import { loadGrammar } from '../../src/permissions/shell/grammars.ts';
import { continueEverywhere } from './continuations.ts';
import { anyLine } from './grammar.ts';
import { parseByBash, plantFolder, printAllByBash, runLines } from './groundTruth.ts';

export interface FuzzResult {
  readonly lines: number;
  /** Lines the rules allowed: the only ones that can be wrong, so the only ones that are run. */
  readonly allowed: number;
  /** Programs that real bash started. */
  readonly started: number;
  readonly misses: readonly Miss[];
  readonly isolated: boolean;
}

export interface Miss {
  readonly line: string;
  readonly why: string;
}

/** Everything is allowed that a rule can allow, so that only what the analysis does not see is left. */
const RULES: Policy['rules'] = [
  { permission: 'bash', pattern: '*', action: 'allow', source: 'session' },
  { permission: 'fs.write', pattern: '**', action: 'allow', source: 'session' },
  { permission: 'fs.read', pattern: '**', action: 'allow', source: 'session' },
];

/** A folder with the same files as the one that the lines run in, since globs are looked up. */
function policyIn(folder: string): Policy {
  return {
    rules: RULES,
    folders: { workspace: [folder], adHoc: [], cwd: folder },
    shell: 'bash',
    platform: 'linux',
    headless: false,
    readGit: UNREADABLE,
  };
}

/** One driver process runs this many lines. */
const BATCH = 1000;
/** How many lines of a batch are continued at every character in turn. */
const CONTINUED = 4;
/** How many lines of a batch are compared with what bash makes of their continuations. */
const FOLDED = 20;

/**
 * Judges generated lines and runs those that are allowed by real bash: every program that started
 * must have been named in the decision. A line that bash or the second grammar cannot parse must
 * not be allowed.
 */
export async function fuzz(
  count: number,
  seed: number,
  report: (so: FuzzResult) => boolean = () => true,
): Promise<FuzzResult> {
  const base = mkdtempSync(path.join(tmpdir(), 'gatehouse-fuzz-'));
  const folder = path.join(base, 'work');
  plantFolder(folder);
  try {
    return await compare(count, seed, policyIn(folder), report);
  } finally {
    rmSync(base, { recursive: true });
  }
}

async function compare(
  count: number,
  seed: number,
  policy: Policy,
  report: (so: FuzzResult) => boolean,
): Promise<FuzzResult> {
  const parser = await loadGrammar('bash');
  if (parser === undefined) throw new Error('The grammar could not be loaded.');
  const misses: Miss[] = [];
  const total = { lines: 0, allowed: 0, started: 0, isolated: true };
  for (let at = 0; at < count; at += BATCH) {
    const made = fc.sample(anyLine, { numRuns: Math.min(BATCH, count - at), seed: seed + at });
    const continued = made.filter(isShort).slice(0, CONTINUED).flatMap(continueEverywhere);
    misses.push(...findFoldFaults([...made, ...continued].filter(isContinued).slice(0, FOLDED)));
    const lines = [...made, ...continued];
    const evaluated: { line: string; targets: readonly string[] }[] = [];
    for (const line of lines) {
      const targets = await targetsIfAllowed(line, policy);
      if (targets === undefined) continue;
      evaluated.push({ line, targets });
    }
    misses.push(
      ...findParseFaults(
        evaluated.map(({ line }) => line),
        parser,
      ),
    );
    const truth = runLines(evaluated.map(({ line }) => line));
    evaluated.forEach(({ line, targets }, index) => {
      total.started += truth.started[index]?.size ?? 0;
      for (const command of truth.commands[index] ?? []) {
        if (names(targets, command, isLoop(line)) || !startsAlone(line, command)) continue;
        misses.push({ line, why: `${JSON.stringify(command)} started unseen` });
      }
    });
    total.lines += lines.length;
    total.allowed += evaluated.length;
    total.isolated &&= truth.isolated;
    if (!report({ ...total, misses })) break;
  }
  return { ...total, misses };
}

/** Lines that bash prints in another way than what they are folded to. */
function findFoldFaults(lines: readonly string[]): readonly Miss[] {
  const folded = lines.map((line) => ({ line, ...fold(line) })).filter(({ unsure }) => !unsure);
  const texts = [...new Set(folded.flatMap(({ line, readings }) => [line, ...readings]))];
  const all = printAllByBash(texts);
  const printed = new Map(texts.map((text, index) => [text, all[index]]));
  return folded
    .filter(
      ({ line, readings }) => !readings.some((text) => printed.get(text) === printed.get(line)),
    )
    .map(({ line }) => ({ line, why: 'bash joins its lines differently' }));
}

function isContinued(line: string): boolean {
  return line.includes('\\\n');
}

/** The lines of a batch share a folder: one may have written into a program that another runs by its path. */
const compiler = createPolicyCompiler();

function startsAlone(line: string, command: string): boolean {
  return runLines([line]).commands[0]?.has(command) === true;
}

/** What an allowed line's decision says that would run; undefined when it is not allowed. */
async function targetsIfAllowed(
  line: string,
  policy: Policy,
): Promise<readonly string[] | undefined> {
  const call = {
    tool: 'bash',
    input: { command: line },
    subjects: [{ permission: 'bash', capability: 'shell.run', target: line, match: 'command' }],
  } as const;
  const { decision, subjects } = await evaluate(call, compiler.compile(policy));
  if (decision !== 'allow') return undefined;
  return subjects.map(({ target }) => target.replace(/^\S*\/(?=[^\s/]+(\s|$))/, ''));
}

/**
 * Whether the command that was started, with its arguments, is one of these. The words of some are
 * only known when they run: a home folder, the pipe of `<(…)`, and what `find` and `xargs` fill in. The command of a loop
 * over files is shown once, with all of them.
 */
function names(targets: readonly string[], command: string, loops: boolean): boolean {
  // A pipe's name with text around it is another file, which no decision names.
  if (/\S\/dev\/fd\/\d|\/dev\/fd\/\d+[^\s\d]/.test(command)) return false;
  const [program = ''] = command.split(' ', 1);
  const own = targets.filter((target) => target.split(' ', 1)[0] === program);
  // The names that `xargs` gets from the pipe come last; they are evaluated as files.
  const fed = (target: string) =>
    command.startsWith(`${target} `) &&
    targets.some((each) => each.startsWith('xargs ') && each.endsWith(` ${target}`));
  const holds = (target: string) => loops && holdsInOrder(target.split(' '), command.split(' '));
  const open = (target: string) => /~|\{\}|[$`]|<\(/.test(target);
  return own.some((each) => each === command || open(each) || fed(each) || holds(each));
}

/** The words of one turn of a loop among those of all its turns: `ls a -x` of `ls a b -x`. */
function holdsInOrder(all: readonly string[], words: readonly string[]): boolean {
  let at = 0;
  for (const word of all) if (word === words[at]) at += 1;
  return at === words.length;
}

function isLoop(line: string): boolean {
  return /\bfor\s/.test(line.replaceAll('\\\n', ''));
}

function isShort(line: string): boolean {
  return line.length < 40;
}

/** Where the second grammar sees an error, bash has the last word. */
function findParseFaults(lines: readonly string[], parser: Parser): readonly Miss[] {
  const doubtful = lines.filter((line) => {
    const tree = parser.parse(line);
    const hasError = tree?.rootNode.hasError ?? true;
    tree?.delete();
    return hasError;
  });
  const parsed = parseByBash(doubtful);
  return doubtful
    .filter((_, index) => parsed[index] !== true)
    .map((line) => ({ line, why: 'bash cannot parse it, and it was allowed' }));
}
