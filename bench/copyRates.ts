import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { DEFAULT_RULES } from '../src/permissions/defaults/defaults.ts';
import { evaluate } from '../src/permissions/evaluate/evaluate.ts';
import { createPolicyCompiler } from '../src/permissions/rules/policyCompiler.ts';
import { findOnPath } from '../src/runtime/commands/onPath.ts';
import { createReadGit } from '../src/runtime/commands/readGit.ts';
import { calls, connect, newSession, prompt, temporary } from '../test/unit/host/harness.ts';
import { loadOrdinaryLines } from './promptRates.ts';

/** What became of a line that asks without a copy. */
export type CopyOutcome =
  /** It ran, and nobody was asked. */
  | 'unasked'
  /** It ran, and its changes asked. */
  | 'review'
  /** It ran, and a host was asked about. */
  | 'host'
  /** It ran, and then asked to run for real. */
  | 'real'
  /** It ran until its time limit. */
  | 'running'
  /** It asked before anything ran. */
  | 'first';

export interface CopyRates {
  readonly outcomes: ReadonlyMap<CopyOutcome, readonly string[]>;
  /** Lines that ask, and whose program is not on this machine. They were not run. */
  readonly missing: number;
  /** Lines that had changed the workspace when somebody was asked, or at the end, with every answer a rejection. */
  readonly changed: readonly string[];
}

const LIMIT_MS = 10_000;

/**
 * Runs the lines of the list that ask under the shipped rules, in a session whose commands run in a copy: all, or
 * one of `every`.
 */
export async function measureCopyRates(every = 1): Promise<CopyRates> {
  const ends: (() => unknown)[] = [];
  // The harness of the tests cleans up with its test.
  const t = { after: (end: () => unknown) => void ends.unshift(end) } as unknown as TestContext;
  try {
    const workspace = await temporary(t);
    plantProject(workspace);
    const asking = await findAsking(workspace);
    const runnable = asking.filter(isRunnable);
    const lines = runnable.filter((_, at) => at % every === Math.floor(every / 2));
    const rates = await runLines(t, workspace, lines);
    return { ...rates, missing: asking.length - runnable.length };
  } finally {
    for (const end of ends) await end();
  }
}

async function runLines(t: TestContext, workspace: string, lines: readonly string[]) {
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'sandbox.autoRun': true }));
  const asks: RequestPermissionRequest[] = [];
  let line = '';
  const before = describe(workspace);
  const changed = new Set<string>();
  const look = () => {
    if (describe(workspace) !== before) changed.add(line);
  };
  const host = await connect(t, {
    ...{ data, workspace, env: { HOME: await temporary(t), GATEHOUSE_BWRAP: '' } },
    script: lines.flatMap((command) => [
      { calls: [{ tool: 'bash', input: { command, timeout_ms: LIMIT_MS } }] },
      { text: 'Done.' },
    ]),
    client: {
      permission(params) {
        asks.push(params);
        look();
        const option = params.options.find(({ kind }) => kind === 'reject_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  const session = await newSession(host);
  const outcomes = new Map<CopyOutcome, string[]>();
  for (line of lines) {
    asks.length = 0;
    await prompt(host, session);
    look();
    const outcome = toOutcome(asks, JSON.stringify(calls(host).at(-1)));
    outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), line]);
  }
  return { outcomes, changed: [...changed] };
}

function toOutcome(asks: readonly RequestPermissionRequest[], ended: string): CopyOutcome {
  const [ask] = asks;
  if (ask === undefined) return ended.includes('did not finish within') ? 'running' : 'unasked';
  const title = String(ask.toolCall.title);
  if (title.startsWith('Changes of: ')) return 'review';
  if (title.includes(' continues to ')) return 'host';
  return JSON.stringify(ask).includes('not possible in a copy of the workspace') ? 'real' : 'first';
}

async function findAsking(workspace: string): Promise<readonly string[]> {
  const policy = createPolicyCompiler().compile({
    rules: DEFAULT_RULES,
    folders: { workspace: [workspace], adHoc: [], cwd: workspace },
    ...{ shell: 'bash', platform: 'linux', headless: false },
    readGit: createReadGit([workspace]),
  });
  const asking: string[] = [];
  for (const { text } of loadOrdinaryLines()) {
    const target = text.replaceAll('{workspace}', workspace);
    const { decision } = await evaluate(
      {
        tool: 'bash',
        input: { command: target },
        subjects: [{ permission: 'bash', capability: 'shell.run', target, match: 'command' }],
      },
      policy,
    );
    if (decision === 'ask') asking.push(target);
  }
  return asking;
}

/** Whether the first program of the line is on this machine. */
function isRunnable(line: string): boolean {
  const word = /^(?:\w+=\S*\s+)*([\w./-]+)/.exec(line)?.[1] ?? '';
  if (word.includes('/')) return true;
  const builtin = ['cd', 'echo', 'export', 'for', 'if', 'set', 'source', 'time', 'while', 'f'];
  return builtin.includes(word) || findOnPath(word, process.env['PATH']) !== undefined;
}

/** A small project with a repository, whose scripts pass. */
function plantProject(workspace: string): void {
  cpSync(path.join(import.meta.dirname, '../test/fixtures/sample'), workspace, {
    recursive: true,
  });
  const at = (name: string) => path.join(workspace, name);
  for (const folder of ['src', 'test', 'scripts']) mkdirSync(at(folder), { recursive: true });
  const scripts = { test: 'node --test', build: 'node -e 0', lint: 'node -e 0', dev: 'sleep 60' };
  writeFileSync(at('package.json'), JSON.stringify({ name: 'shop', version: '1.0.0', scripts }));
  // The tools of a project are installed in it.
  mkdirSync(at('node_modules/.bin'), { recursive: true });
  for (const tool of ['eslint', 'prettier', 'tsc', 'vitest'])
    writeFileSync(at(`node_modules/.bin/${tool}`), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(at('Makefile'), 'all test build lint:\n\t@echo made\n');
  writeFileSync(at('test/a.test.js'), "require('node:test').test('a', () => {});\n");
  for (const name of ['src/index.ts', 'src/app.ts', 'src/a.ts', 'README.md', 'a.txt', 'b.txt'])
    writeFileSync(at(name), `${name}\n`);
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
      cwd: workspace,
    });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
}

function describe(workspace: string): string {
  const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .map((name) => {
      const { mtimeMs, size, mode } = lstatSync(path.join(workspace, name));
      return `${name} ${size} ${mode} ${mtimeMs}`;
    })
    .join('\n');
}
