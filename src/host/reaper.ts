import { readdirSync } from 'node:fs';
import { isRunning } from '../base/faults.ts';
import { readProc } from '../runtime/commands/processTree.ts';
import { runSystemProgram } from '../runtime/commands/systemProgram.ts';

/** The environment variable that marks a command with the host that started it. */
const HOST_MARK = 'GATE_HOST';

/**
 * Kills the commands that a killed host left running. Only processes that carry the mark of a host that
 * no longer runs are touched. Returns their process ids.
 */
export async function endOrphans(): Promise<readonly number[]> {
  if (process.platform === 'win32') return [];
  const orphans = (await markedProcesses()).filter(({ host }) => !isAlive(host));
  for (const { pid } of orphans) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has exited in the meantime.
    }
  }
  return orphans.map(({ pid }) => pid);
}

/** The mark of this host's commands: its process id and its start time. */
export function hostMark(): Readonly<Record<string, string>> {
  return { [HOST_MARK]: `${process.pid}.${readStart(process.pid) ?? '0'}` };
}

interface Marked {
  readonly pid: number;
  readonly host: string;
}

/** Process ids are reused, so the start time is compared too. */
function isAlive(host: string): boolean {
  const [pid = '', start] = host.split('.');
  const now = readStart(Number(pid));
  if (process.platform === 'linux') return now !== undefined && now === start;
  return isRunning(Number(pid));
}

/** Clock ticks since boot, from /proc; undefined when there is no such process or no /proc. */
function readStart(pid: number): string | undefined {
  const text = readProc(`${pid}/stat`);
  // The name in parentheses may contain anything; field 22 is the 20th after it.
  return text === '' ? undefined : text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
}

async function markedProcesses(): Promise<readonly Marked[]> {
  if (process.platform !== 'linux') return markedByPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const host = markIn(readProc(`${name}/environ`).split('\0'));
      return host === undefined ? [] : [{ pid: Number(name), host }];
    });
}

/** On macOS, ps prints the environment of the user's processes after their command. */
async function markedByPs(): Promise<readonly Marked[]> {
  const table = await runSystemProgram(['ps', '-Eww', '-axo', 'pid=,command=']);
  return table.split('\n').flatMap((line) => {
    const [pid = '', ...words] = line.trim().split(' ');
    const host = markIn(words);
    return host === undefined ? [] : [{ pid: Number(pid), host }];
  });
}

function markIn(variables: readonly string[]): string | undefined {
  const found = variables.find((each) => each.startsWith(`${HOST_MARK}=`));
  const host = found?.slice(HOST_MARK.length + 1);
  return host !== undefined && /^\d+\.\d+$/.test(host) ? host : undefined;
}
