import { readFileSync } from 'node:fs';
import type { Mount } from './argv.ts';
import { leadOutside } from './outsidePath.ts';
import { isWithin } from './toolFolders.ts';

/** What a sandbox is built of. Absolute paths. */
interface Layout {
  /** Where its data is kept. */
  readonly folder: string;
  /** Links resolved. */
  readonly workspace: readonly string[];
}

/** Why these folders can't be laid over or confined to, as a sentence; undefined when they can. */
export function findLayoutFault(
  { folder, workspace }: Layout,
  home: string,
  what = 'copy',
): string | undefined {
  for (const root of workspace) {
    const cannot = `The sandbox can't ${what} the workspace folder ${root}, because`;
    const holds = (file: string) =>
      isWithin(file, root) || isWithin(leadOutside(file, []) ?? file, root);
    if (SYSTEM_FOLDERS.some((system) => isWithin(system, root) || isWithin(root, system))) {
      return `${cannot} the system's own folders lie there.`;
    }
    if (holds(home)) return `${cannot} the home folder lies there.`;
    if (holds(folder)) return `${cannot} Gatehouse keeps its data there.`;
  }
  return undefined;
}

/**
 * HOME inside the sandbox: the user's own path, unless the system's folders lie there, as for users of containers whose
 * HOME is `/`. Nothing can be laid over these.
 */
export function toInsideHome(home: string): string {
  const isTaken = SYSTEM_FOLDERS.some((system) => isWithin(system, home) || isWithin(home, system));
  return isTaken && !home.startsWith('/run/') ? '/home/sandbox' : home;
}

const SYSTEM_FOLDERS = ['/usr', '/etc', '/proc', '/dev', '/sys', '/run', '/var/lib/dpkg', '/bin'];

/**
 * Why these folders can't be copied at the moment: an overlay shows nothing of what is mounted in them, such as a
 * volume of a container, so that all of it would count as deleted.
 */
export function findMountFault(
  workspace: readonly string[],
  mounts: readonly string[] = readMountPoints(),
): string | undefined {
  for (const root of workspace) {
    const mount = mounts.find((point) => point !== root && isWithin(point, root));
    if (mount === undefined) continue;
    return `The sandbox can't copy the workspace folder ${root}, because something else is mounted in it, at ${mount}.`;
  }
  return undefined;
}

/**
 * What the system lists of mounts that show `from` on `to`: device, root and mount point, escaped. A program that
 * writes the workspace meanwhile could put a link in the place of one, and bwrap and mount follow links, on both sides.
 */
export function expectMounts(
  expected: readonly Mount[],
  mounts: readonly MountLine[] = readMounts(),
): readonly string[] {
  return expected.map(({ from, to }) => {
    const written = toWritten(from);
    const on = findMount(written, mounts);
    if (on === undefined) throw new Error(`The system lists no mount of ${from}.`);
    const below = written.slice(on.point === '/' ? 0 : on.point.length);
    const root = `${on.root === '/' ? '' : on.root}${below}` || '/';
    return fromBytes(`${on.device} ${on.isNfs ? '/' : root} ${toWritten(to)}`);
  });
}

/**
 * The mount that a path leads to, as the kernel finds it: from the root, each time the first mount on the way that lies
 * on the last one. Others may be listed that lie below it, and are covered.
 */
function findMount(written: string, mounts: readonly MountLine[]): MountLine | undefined {
  const ids = new Set(mounts.map(({ id }) => id));
  const isFirst = ({ id, parent }: MountLine) => parent === id || !ids.has(parent);
  let on = mounts.find((mount) => mount.point === '/' && isFirst(mount));
  for (let next = on; next !== undefined; ) {
    on = next;
    const above = mounts.filter(
      ({ id, parent, point }) => parent === on?.id && id !== parent && isWithin(written, point),
    );
    next = above.reduce<MountLine | undefined>(
      (a, b) => (a && a.point.length < b.point.length ? a : b),
      undefined,
    );
  }
  return on;
}

/** The same of a copy on a path, whose device is not known before. */
export function expectCopy(to: string): string {
  return fromBytes(`overlay / ${toWritten(to)}`);
}

/** A line of mountinfo (proc_pid_mountinfo(5)); its paths are escaped. */
interface MountLine {
  readonly id: string;
  /** The id of the mount that it lies on; of the root, one that isn't listed. */
  readonly parent: string;
  readonly device: string;
  readonly root: string;
  readonly point: string;
  /** The system gives no root there. */
  readonly isNfs: boolean;
}

/** `table`: that of the system. */
export function readMounts(
  table = readFileSync('/proc/self/mountinfo', 'latin1'),
): readonly MountLine[] {
  return table.split('\n').map((line) => {
    const [id = '', parent = '', device = '', root = '', point = ''] = line.split(' ');
    return { id, parent, device, root, point, isNfs: line.includes(' - nfs') };
  });
}

function readMountPoints(): readonly string[] {
  return readMounts().map(({ point }) => {
    const bytes = point.replaceAll(/\\([0-7]{3})/g, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    return fromBytes(bytes);
  });
}

function fromBytes(text: string): string {
  return Buffer.from(text, 'latin1').toString();
}

/** As the system writes paths there, one character a byte. */
function toWritten(file: string): string {
  return Buffer.from(file)
    .toString('latin1')
    .replaceAll(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
