import { readdirSync } from 'node:fs';
import { findHost, isHostAlive } from '../runtime/commands/marks.ts';
import { readProc } from '../runtime/commands/procFiles.ts';
import { runSystemProgram } from '../runtime/commands/systemProgram.ts';

/**
 * Kills the commands that a killed host left running. Only processes that carry the mark of a host that
 * no longer runs are touched. Returns their process ids.
 */
export async function endOrphans(): Promise<readonly number[]> {
  if (process.platform === 'win32') return [];
  const orphans = (await markedProcesses()).filter(({ host }) => !isHostAlive(host));
  for (const { pid } of orphans) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has exited in the meantime.
    }
  }
  return orphans.map(({ pid }) => pid);
}

interface Marked {
  readonly pid: number;
  readonly host: string;
}

async function markedProcesses(): Promise<readonly Marked[]> {
  if (process.platform !== 'linux') return markedByPs();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const host = findHost(readProc(`${name}/environ`));
      return host === undefined ? [] : [{ pid: Number(name), host }];
    });
}

/** On macOS, ps prints the environment of the user's processes after their command. */
async function markedByPs(): Promise<readonly Marked[]> {
  const table = await runSystemProgram(['ps', '-Eww', '-axo', 'pid=,command=']);
  return table.split('\n').flatMap((line) => {
    const [pid = ''] = line.trim().split(' ');
    const host = findHost(line);
    return host === undefined ? [] : [{ pid: Number(pid), host }];
  });
}
