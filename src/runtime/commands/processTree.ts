import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { LeftProcess } from '../runtime.ts';
import { carriesRun, RUN_MARK } from './marks.ts';
import { readEnvironment, readProc } from './procFiles.ts';
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
    signalAll(tree, linuxMembers(tree, listIds()).found, 'SIGKILL');
  }
}

/**
 * Sends SIGKILL to the processes, to their groups and to all that descends from them, except this process
 * and those that it runs in. Linux; elsewhere to the processes alone. False if there was none to kill.
 */
export function killFamilies(pids: readonly number[]): boolean {
  const rows = listIds().flatMap((pid) => readRow(pid) ?? []);
  const spared = ancestry(rows);
  const found = new Set(pids.filter((pid) => !spared.has(pid)));
  addDescendants(found, rows);
  const alive = rows.filter((row) => found.has(row.pid) && !isOver(row));
  const own = rows.find(({ pid }) => pid === process.pid)?.group;
  for (const group of new Set(alive.map((each) => each.group)))
    if (group !== own) send(-group, 'SIGKILL');
  for (const { pid } of alive) send(pid, 'SIGKILL');
  return alive.length > 0;
}

/** This process and those that it descends from. */
function ancestry(rows: readonly Row[]): ReadonlySet<number> {
  const parents = new Map(rows.map(({ pid, parent }) => [pid, parent]));
  const found = new Set<number>();
  for (let at: number | undefined = process.pid; at !== undefined && !found.has(at); ) {
    found.add(at);
    at = parents.get(at);
  }
  return found;
}

async function endPosixTree(tree: ProcessGroup, graceMs: number): Promise<void> {
  const started = performance.now();
  signalAll(tree, await lookForAll(tree), 'SIGTERM');
  // A stopped process receives the signal only after it continues.
  signalAll(tree, await lookForAll(tree), 'SIGCONT');
  for (let quiet = 0; performance.now() - started < graceMs; ) {
    quiet = (await lookForAll(tree)).length === 0 ? quiet + 1 : 0;
    if (quiet === QUIET_LOOKS) return;
    await delay(20);
  }
  // Processes may fork while we list them, so repeat until none is left.
  for (let round = 0, quiet = 0; round < KILL_ROUNDS && quiet < QUIET_LOOKS; round += 1) {
    quiet = (await killOnce(tree)) ? 0 : quiet + 1;
    if (quiet < QUIET_LOOKS) await delay(10);
  }
}

/**
 * Kills what is found, again and again without a pause as long as something is: a process that starts its
 * successor and exits lives for less than a millisecond. False if nothing was found.
 */
async function killOnce(tree: ProcessGroup): Promise<boolean> {
  for (let look = 0; look < LOOKS; look += 1) {
    const alive = await lookForAll(tree);
    if (alive.length === 0) return look > 0;
    signalAll(tree, alive, 'SIGKILL');
  }
  return true;
}

/** All processes of the tree, whatever their ids: those of a long run may have wrapped around. */
function lookForAll(tree: ProcessGroup): Promise<readonly Member[]> {
  if (process.platform === 'linux') return Promise.resolve(lookAgain(tree, listIds));
  return posixMembers(tree);
}

/** The command's running processes, including the leader. Zombies don't count. */
export async function members(tree: ProcessGroup): Promise<readonly LeftProcess[]> {
  if (process.platform === 'linux') {
    if (endedAlone(tree.leader)) return [];
    return toLeft(lookAgain(tree, () => youngerThan(tree.leader)));
  }
  if (process.platform === 'win32') return [];
  return posixMembers(tree);
}

const KILL_ROUNDS = 200;

/** On a busy machine one look, rarely, misses a process that is just handing on to its successor. */
const QUIET_LOOKS = 2;

/** How often processes are looked for in one go. */
const LOOKS = 20;

/** Of so many ids, each is looked up without a list of all. */
const FEW = 64;

/**
 * The processes of the tree. One that starts its successor and exits while they are listed can be missed, so
 * those that were started meanwhile are looked at too, until none is or after many looks.
 */
function lookAgain(tree: ProcessGroup, list: () => readonly number[]): readonly Row[] {
  let newest = newestId();
  let ids = list();
  for (let look = 0; look < LOOKS; look += 1) {
    const { found, isSure } = linuxMembers(tree, ids);
    const now = newestId();
    if (found.length > 0 || (isSure && now === newest)) return found;
    const isFew = isSure && now > newest && now - newest <= FEW;
    ids = isFew ? Array.from({ length: now - newest }, (_, at) => now - at) : list();
    newest = now;
  }
  return [];
}

/**
 * Also signals the groups that the processes are in now: the system does that at once, so that a process
 * can't escape by starting another one. They are the tree's own, since its leader began a session, which no
 * process can join.
 */
function signalAll(tree: ProcessGroup, alive: readonly Member[], signal: NodeJS.Signals): void {
  if (alive.length === 0) return;
  for (const group of new Set([tree.leader, ...alive.map((each) => each.group)])) {
    send(-group, signal);
  }
  for (const { pid } of alive) send(pid, signal);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited, which is what we want.
  }
}

interface Member {
  readonly pid: number;
  readonly group: number;
}

interface Row extends Member {
  readonly parent: number;
  readonly session: number;
  readonly state: string;
}

/**
 * Processes that may have started after the leader. Ids are assigned in ascending order, so most
 * can be skipped; once they have wrapped around, all are candidates.
 */
function youngerThan(leader: number): readonly number[] {
  const all = listIds();
  const wrapped = !(newestId() >= leader);
  return wrapped ? all : all.filter((pid) => pid >= leader);
}

/** The ids of all processes; none where there is no `/proc`. */
export function listIds(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
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

/** Not sure while one of them loads its program: it does not show then whose it is. */
function linuxMembers(
  tree: ProcessGroup,
  pids: readonly number[],
): { readonly found: readonly Row[]; readonly isSure: boolean } {
  const rows = pids.flatMap((pid) => readRow(pid) ?? []).filter((row) => !isOver(row));
  const { mark } = tree;
  const found = new Set<number>();
  let isSure = true;
  for (const row of rows) {
    if (row.pid === process.pid) continue;
    const own = row.pid === tree.leader || row.group === tree.leader || row.session === tree.leader;
    const environment = own || mark === undefined ? '' : readEnvironment(row.pid);
    if (environment === 'starting') isSure = false;
    if (own || (mark !== undefined && carriesRun(environment, mark))) found.add(row.pid);
  }
  addDescendants(found, rows);
  return { found: rows.filter(({ pid }) => found.has(pid)), isSure };
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

function addDescendants(found: Set<number>, rows: readonly Row[]): void {
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const row of rows) {
      if (found.has(row.parent) && row.pid !== process.pid) found.add(row.pid);
    }
  }
}

function toLeft(rows: readonly Row[]): readonly LeftProcess[] {
  return rows.map(({ pid }) => ({ pid, command: readCommand(pid) }));
}

function readCommand(pid: number): string {
  return readProc(`${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 200);
}

/** macOS lists the environment of our own processes after their command line. */
async function posixMembers(tree: ProcessGroup): Promise<readonly (LeftProcess & Member)[]> {
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
  return rows
    .filter(({ pid }) => found.has(pid))
    .map(({ pid, group }) => ({ pid, group, command: commands.get(pid) ?? '' }));
}

async function endWindowsTree(leader: number): Promise<void> {
  // Fails when the tree has already exited, which is what we want.
  const argv = ['taskkill', '/pid', String(leader), '/T', '/F'] as const;
  await runSystemProgram([...argv]).catch(() => undefined);
}
