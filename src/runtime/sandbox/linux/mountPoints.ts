import { chmodSync, lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Mount, View } from './argv.ts';
import { isWithin } from './toolFolders.ts';

/**
 * Removes links and other entries that a command left in HOME or /tmp above what is mounted there next. bwrap creates
 * missing mount points and follows links while the files of the host are still in reach (below `/oldroot`), so that a
 * link would have it create folders anywhere. No other command may run in these folders meanwhile.
 */
export function clearMountPoints(view: View): void {
  const mounted = [
    view.home.to,
    ...view.tools,
    ...view.writable.map(({ to }) => to),
    ...view.readOnly,
    ...view.masks.map(({ to }) => to),
  ];
  const shared: readonly Mount[] = [
    view.home,
    ...['/tmp', '/var/tmp'].map((to) => ({ from: view.temporary, to })),
  ];
  for (const { from, to } of shared) {
    for (const file of mounted) {
      if (file === to || !isWithin(file, to)) continue;
      openParents(from, path.relative(to, file));
      const blocking = findBlocking(from, path.relative(to, file));
      if (blocking !== undefined) rmSync(blocking, { force: true });
    }
  }
}

/** Lets the user into the folders on the way to a path again, whatever permissions a command gave them. */
function openParents(folder: string, relative: string): void {
  let at = folder;
  for (const name of relative.split('/')) {
    at = path.join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return;
    if ((found.mode & 0o700) !== 0o700) chmodSync(at, 0o700);
  }
}

/** The first entry on the way to a path below a folder that is no folder; a file at its end doesn't count. */
export function findBlocking(folder: string, relative: string): string | undefined {
  const names = relative.split('/');
  let at = folder;
  for (const [index, name] of names.entries()) {
    at = path.join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const isLast = index === names.length - 1;
    if (!found.isDirectory() && !(isLast && found.isFile())) return at;
  }
  return undefined;
}
