import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';

import { run as accept } from '../../../src/host/cli/acceptTools.ts';
import { run as call } from '../../../src/host/cli/call.ts';
import { run as check } from '../../../src/host/cli/check.ts';
import type { Command } from '../../../src/host/command.ts';
import { loadAccepted } from '../../unit/declared/loading.ts';
import { agentcli, type Case, compozy, runloop } from './documents.ts';

const DIALECTS = { agentcli, runloop, compozy } as const;

export interface Found {
  readonly cases: number;
  readonly offered: number;
  readonly calls: number;
  readonly outputs: number;
  /** The most CPU time of the host's own thread for one command, in milliseconds. */
  readonly longestMs: number;
  readonly residentMb: number;
  readonly misses: readonly string[];
}

/** The longest that one command may keep the host's thread busy. */
const THREAD_MS = 1000;

/**
 * Generated manifests, each through check, the loader, accept and call, in this process: none keeps its thread
 * busy for long or prints a stack trace, and what check accepts is what the loader offers.
 */
export async function explore(
  dialect: keyof typeof DIALECTS,
  options: { readonly runs: number; readonly seed: number },
): Promise<Found> {
  const tally = { cases: 0, offered: 0, calls: 0, outputs: 0, longestMs: 0, residentMb: 0 };
  const misses: string[] = [];
  for (const generated of fc.sample(DIALECTS[dialect], {
    numRuns: options.runs,
    seed: options.seed,
  })) {
    const found = await tryCase(generated);
    tally.cases++;
    tally.offered += found.offered;
    tally.calls += found.called ? 1 : 0;
    tally.outputs += found.hasOutput ? 1 : 0;
    tally.longestMs = Math.max(tally.longestMs, found.longestMs);
    tally.residentMb = Math.max(tally.residentMb, process.memoryUsage().rss / 2 ** 20);
    misses.push(...found.misses.map((why) => `case ${tally.cases}: ${why}`));
  }
  return { ...tally, misses };
}

async function tryCase({ files, args }: Case) {
  const root = mkdtempSync(path.join(tmpdir(), 'generated-'));
  try {
    return await tryWorkspace(root, place(root, files), args);
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function place(root: string, files: Case['files']): string {
  const workspace = path.join(root, 'clone');
  mkdirSync(workspace);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(workspace, name)), { recursive: true });
    writeFileSync(path.join(workspace, name), content, { mode: 0o755 });
  }
  return workspace;
}

async function tryWorkspace(root: string, workspace: string, args: unknown) {
  const misses: string[] = [];
  let longestMs = 0;
  const measure = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    const before = process.threadCpuUsage();
    const result = await work();
    const { user, system } = process.threadCpuUsage(before);
    const ms = (user + system) / 1000;
    longestMs = Math.max(longestMs, ms);
    if (ms > THREAD_MS) misses.push(`${what} kept the thread busy for ${Math.round(ms)} ms`);
    return result;
  };
  const runIn = (command: Command, words: readonly string[]) =>
    measure(words.join(' ').slice(0, 80), () => runCommand(command, words, root, workspace));
  const checked = await runIn(check, ['--json', '.']);
  const accepted = await runIn(accept, ['.']);
  const loaded = await measure('load', () => loadAccepted(workspace));
  const rows = parseRows(checked.out);
  misses.push(...compare(rows, loaded, workspace));
  const isWhole = rows.every(({ ok }) => ok);
  if (rows.length > 0 && (accepted.code === 0) !== isWhole) misses.push(`accept: ${accepted.err}`);
  const [tool] = loaded.tools;
  const words = [tool?.tool.id ?? '', JSON.stringify(args), '--workspace', workspace];
  const called = tool && (await runIn(call, [...words, '--rules', ALLOW]));
  for (const each of [checked, accepted, called]) {
    if (each !== undefined && TRACE.test(each.out + each.err))
      misses.push(`a trace: ${(each.out + each.err).slice(0, 2000)}`);
  }
  const hasOutput = called?.out.startsWith('{"type":"output"') ?? false;
  return { misses, longestMs, offered: loaded.tools.length, called: tool !== undefined, hasOutput };
}

const ALLOW = JSON.stringify([{ permission: '*', pattern: '*', action: 'allow' }]);

/** A stack, or the message of a bug. */
const TRACE =
  /\\n {4}at |^ {4}at |Cannot read propert|is not a function|is not iterable|Maximum call/m;

async function runCommand(
  command: Command,
  args: readonly string[],
  root: string,
  workspace: string,
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const env = {
    PATH: process.env['PATH'],
    HOME: root,
    GATEHOUSE_DATA: path.join(root, 'data'),
    GATEHOUSE_CONFIG: path.join(root, 'settings.json'),
  };
  const code = await command({
    args,
    stdin: new PassThrough(),
    stdout,
    stderr,
    env,
    cwd: workspace,
  });
  return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

interface Row {
  readonly file: string;
  readonly ok: boolean;
  readonly problems: readonly { readonly pointer: string; readonly message: string }[];
  readonly tools: readonly string[];
}

function parseRows(out: string): readonly Row[] {
  return JSON.parse(out);
}

/** Where check and the loader differ. */
function compare(
  rows: readonly Row[],
  loaded: Awaited<ReturnType<typeof loadAccepted>>,
  workspace: string,
): readonly string[] {
  const promised = rows.flatMap(({ file, ok, problems, tools }) => {
    if (!ok) return [];
    const isRoot = (pointer: string) =>
      problems.some((each) => isHeld(each) && each.pointer === pointer);
    const held = problems
      .filter(isHeld)
      .map(({ pointer }) => /^\/tools\/\d+/.exec(pointer)?.[0] ?? '');
    if (isRoot('') || held.includes('')) return [];
    const isYaml = /\.ya?ml$/.test(file);
    return tools.flatMap((_, index) => {
      const pointer = isYaml ? '' : `/tools/${index}`;
      return held.includes(pointer) ? [] : [`${path.relative(workspace, file)} ${pointer}`];
    });
  });
  const offered = loaded.tools.map(
    ({ file, pointer }) => `${path.relative(workspace, file)} ${pointer}`,
  );
  const one = promised
    .filter((each) => !offered.includes(each))
    .map((each) => `not loaded: ${each}`);
  const other = offered
    .filter((each) => !promised.includes(each))
    .map((each) => `not promised: ${each}`);
  return [...one, ...other];
}

function isHeld({ message }: { readonly message: string }): boolean {
  return message.includes('the tool is not offered');
}
