import { readMark } from '../base/disk/processMark.ts';
import { findHost } from '../runtime/commands/marks.ts';
import { killFamilies, listIds } from '../runtime/commands/processTree.ts';
import { readEnvironment } from '../runtime/commands/procFiles.ts';
import { runSystemProgram } from '../runtime/commands/systemProgram.ts';

/** Processes may start others while they are listed. */
const ROUNDS = 50;

/**
 * Kills the commands that a killed host left running, and what they started, again and again until none is
 * found. Only what carries the mark of a host that no longer runs, or descends from it, is touched.
 */
export async function endOrphans(): Promise<void> {
  if (process.platform === 'win32') return;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { marked, isSure } = await markedProcesses();
    const orphans = marked.filter(({ host }) => readMark(host) === 'ended');
    if (!killAll(orphans.map(({ pid }) => pid)) && isSure) return;
  }
}

function killAll(pids: readonly number[]): boolean {
  if (pids.length === 0) return false;
  if (process.platform === 'linux') return killFamilies(pids);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has exited in the meantime.
    }
  }
  // One look by ps finds all that carry the mark.
  return false;
}

interface Marked {
  readonly pid: number;
  readonly host: string;
}

/** Not sure while a process loads its program: it does not show its variables then. */
async function markedProcesses(): Promise<{
  readonly marked: readonly Marked[];
  readonly isSure: boolean;
}> {
  if (process.platform !== 'linux') return { marked: await markedByPs(), isSure: true };
  const environments = listIds().map((pid) => [pid, readEnvironment(pid)] as const);
  const marked = environments.flatMap(([pid, environment]) => {
    const host = findHost(environment);
    return host === undefined ? [] : [{ pid, host }];
  });
  return { marked, isSure: environments.every(([, environment]) => environment !== 'starting') };
}

/** On macOS, ps prints the environment of the user's processes after their command. */
async function markedByPs(): Promise<readonly Marked[]> {
  const table = await runSystemProgram(['ps', '-Eww', '-axo', 'pid=,command=']);
  return table.split('\n').flatMap((line) => {
    const [pid = ''] = line.trim().split(' ');
    const host = findHost(line);
    const isOwn = Number(pid) === process.pid || Number(pid) === process.ppid;
    return host === undefined || isOwn ? [] : [{ pid: Number(pid), host }];
  });
}
