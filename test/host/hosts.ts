import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of the hosts that a process has started. Linux only. */
export function hostsBelow(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, above] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return Number(above) === parent && /host\/main\.mjs\0acp/.test(command);
      } catch {
        // It has ended since the listing.
        return false;
      }
    });
}
