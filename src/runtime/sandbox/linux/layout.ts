import { readFileSync } from 'node:fs';
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

function readMountPoints(): readonly string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'latin1').split('\n');
  return lines.map((line) => {
    const written = line.split(' ')[POINT] ?? '';
    const bytes = written.replaceAll(/\\([0-7]{3})/g, (_, code) =>
      String.fromCharCode(Number.parseInt(code, 8)),
    );
    return Buffer.from(bytes, 'latin1').toString();
  });
}

/** The place of the mount point in a line (proc_pid_mountinfo(5)). */
const POINT = 4;
