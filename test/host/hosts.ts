import { readdirSync, readFileSync } from 'node:fs';

/** Finds the process ids of the hosts that a process started. Linux only. */
export function hostsBelow(parent: number): readonly number[] {
  return started(parent, /host\/main\.mjs\0acp/);
}

/** Finds the process ids of the language servers that a process started. Linux only. */
export function languageServersBelow(parent: number): readonly number[] {
  return started(parent, /language-server\/server\.cjs\0/);
}

function started(parent: number, command: RegExp): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, above] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
        return (
          Number(above) === parent && command.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
        );
      } catch {
        // The process has exited since it was listed.
        return false;
      }
    });
}
