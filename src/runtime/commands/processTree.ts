import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { LeftProcess } from '../runtime.ts';
import { carriesRun, RUN_MARK } from './marks.ts';
import { readProc } from './procFiles.ts';
import type { ProcessGroup } from './startProgram.ts';
import { runSystemProgram } from './systemProgram.ts';

/**
 * Kills every process of the command and resolves when none is left. The group first gets `graceMs`
 * milliseconds to clean up. Processes that left the group (setsid, double fork) are found by their
 * session or by the mark.
 */
export async function endTree(tree: ProcessGroup, graceMs = 250): Promise<void> {
  ending.add(tree);
  try {
    await (process.platform === 'win32'
      ? endWindowsTree(tree.leader)
      : endPosixTree(tree, graceMs));
  } finally {
    ending.delete(tree);
  }
}

const ending = new Set<ProcessGroup>();

/**
 * Sends SIGKILL at once to every tree that is still in its grace period: for a host that has to
 * exit.
 */
export function killEnding(): void {
  if (process.platform === 'win32') return;
  for (const tree of ending) {
    send(-tree.leader, 'SIGKILL');
    if (process.platform !== 'linux') continue;
    for (const pid of linuxMembers(tree, youngerThan(tree.leader))) send(pid, 'SIGKILL');
  }
}

async function endPosixTree(tree: ProcessGroup, graceMs: number): Promise<void> {
  const started = performance.now();
  signalAll(tree, await members(tree), 'SIGTERM');
  // A stopped process receives the signal only after it continues.
  signalAll(tree, await members(tree), 'SIGCONT');
  while (performance.now() - started < graceMs) {
    if ((await members(tree)).length === 0) return;
    await delay(20);
  }
  // Processes may fork while we list them, so repeat until none is left.
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const alive = await members(tree);
    if (alive.length === 0) return;
    signalAll(tree, alive, 'SIGKILL');
    await delay(10);
  }
}

/** The command's running processes, including the leader. Zombies don't count. */
export async function members(tree: ProcessGroup): Promise<readonly LeftProcess[]> {
  if (process.platform === 'linux') {
    if (endedAlone(tree.leader)) return [];
    return toLeft(linuxMembers(tree, youngerThan(tree.leader)));
  }
  if (process.platform === 'win32') return [];
  return posixMembers(tree);
}

const KILL_ROUNDS = 200;

function signalAll(
  tree: ProcessGroup,
  alive: readonly LeftProcess[],
  signal: NodeJS.Signals,
): void {
  if (alive.length > 0) send(-tree.leader, signal);
  for (const { pid } of alive) send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited, which is what we want.
  }
}

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly state: string;
}

/**
 * Processes that may have started after the leader. Ids are assigned in ascending order, so most
 * can be skipped; once they have wrapped around, all are candidates.
 */
function youngerThan(leader: number): readonly number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const newest = newestId();
  const wrapped = !(newest >= leader);
  return all.map(Number).filter((pid) => wrapped || pid >= leader);
}

/**
 * The leader has exited and no id was assigned after its own, so it left no processes. This is the
 * usual case.
 */
function endedAlone(leader: number): boolean {
  if (newestId() !== leader) return false;
  const row = readRow(leader);
  return row === undefined || isOver(row);
}

function newestId(): number {
  return Number(readProc('loadavg').trim().split(' ').at(-1));
}

function isOver({ state }: Row): boolean {
  return state === 'Z' || state === 'X';
}

function linuxMembers(tree: ProcessGroup, pids: readonly number[]): readonly number[] {
  const rows = pids.map((pid) => readRow(pid)).filter((row) => row !== undefined && !isOver(row));
  const { mark } = tree;
  const found = new Set<number>();
  for (const row of rows) {
    if (row === undefined || row.pid === process.pid) continue;
    const own = row.pid === tree.leader || row.group === tree.leader || row.session === tree.leader;
    if (own || (mark !== undefined && carriesRun(readProc(`${row.pid}/environ`), mark)))
      found.add(row.pid);
  }
  addDescendants(found, rows);
  return [...found];
}

function readRow(pid: number): Row | undefined {
  const text = readProc(`${pid}/stat`);
  // The name in parentheses may contain anything; numbers follow the last parenthesis.
  const [state = '', parent, group, session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === '') return undefined;
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
  };
}

function addDescendants(found: Set<number>, rows: readonly (Row | undefined)[]): void {
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const row of rows) {
      if (row !== undefined && found.has(row.parent) && row.pid !== process.pid) found.add(row.pid);
    }
  }
}

function toLeft(pids: readonly number[]): readonly LeftProcess[] {
  return pids.map((pid) => ({ pid, command: readCommand(pid) }));
}

function readCommand(pid: number): string {
  return readProc(`${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 200);
}

/** macOS lists the environment of our own processes after their command line. */
async function posixMembers(tree: ProcessGroup): Promise<readonly LeftProcess[]> {
  const table = await runSystemProgram(['ps', '-Eww', '-axo', 'pid=,ppid=,pgid=,stat=,command=']);
  const { mark } = tree;
  const commands = new Map<number, string>();
  const rows: Row[] = [];
  const found = new Set<number>();
  for (const line of table.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (match === null || match[4]?.startsWith('Z')) continue;
    const [pid, parent, group] = [Number(match[1]), Number(match[2]), Number(match[3])];
    rows.push({ pid, parent, group, session: 0, state: match[4] ?? '' });
    commands.set(pid, (match[5] ?? '').split(` ${RUN_MARK}=`)[0]?.slice(0, 200) ?? '');
    const marked = mark !== undefined && carriesRun(match[5] ?? '', mark);
    if (group === tree.leader || marked) found.add(pid);
  }
  addDescendants(found, rows);
  return [...found].map((pid) => ({ pid, command: commands.get(pid) ?? '' }));
}

async function endWindowsTree(leader: number): Promise<void> {
  // Fails when the tree has already exited, which is what we want.
  const argv = ['taskkill', '/pid', String(leader), '/T', '/F'] as const;
  await runSystemProgram([...argv]).catch(() => undefined);
}
