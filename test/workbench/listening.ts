import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** `0A` in Linux' socket tables. */
const LISTEN = '0A';

/** TCP ports a process listens on, by its own descriptors and the kernel's tables. Linux only. */
export function listeningPorts(pid: number): readonly number[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(linkOf(`/proc/${pid}/fd/${fd}`)) ?? [];
      return inode === undefined ? [] : [inode];
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
        if (state !== LISTEN || !sockets.has(inode)) return [];
        return [Number.parseInt(local.split(':')[1] ?? '', 16)];
      }),
  );
}

/** A descriptor may be closed between the listing and the look. */
function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}
