import { chmodSync, lstatSync, realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Mount, SYSTEM_FOLDERS, type View } from './argv.ts';
import { expectCopy, expectMounts } from './layout.ts';
import { leadOutside } from './outsidePath.ts';
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
    ...view.closed,
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

/**
 * Removes the empty files that bwrap made in a copy to cover files of a workspace folder which the copy doesn't show, since
 * a command removed the folder above them there. They would count as what it wrote.
 */
export function clearMasked(upper: string, root: string, masks: readonly string[]): void {
  for (const mask of masks) {
    if (mask === root || !isWithin(mask, root)) continue;
    try {
      const relative = path.relative(root, mask);
      const file = path.join(upper, relative);
      if (findBlocking(upper, relative) !== undefined) continue;
      const found = lstatSync(file, { throwIfNoEntry: false });
      if (found?.isFile() && found.size === 0) rmSync(file);
    } catch {
      // A command took the permissions of a folder above it: what reads the changes meets that, too.
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

/**
 * The mounts that a sandbox has to have, as the system lists them: of the workspace and its repositories, and all that
 * hides something or could be led elsewhere. What lies in another mount that nobody here can write may be reached by a
 * link in it, so that its mount is on another path.
 */
export function listExpected(view: View): readonly string[] {
  const workspace = [...view.closed, ...view.writable.map(({ to }) => to)];
  const copies = view.writable.filter(({ from, to }) => from !== to).map(({ to }) => to);
  const shown = [...SYSTEM_FOLDERS, ...view.tools];
  const isOwn = (file: string) => workspace.some((root) => isWithin(file, root));
  const isApart = ({ to }: Mount) =>
    isOwn(to) || !shown.some((folder) => to !== folder && isWithin(to, folder));
  const temporary = ['/tmp', '/var/tmp'].map((to) => ({ from: view.temporary, to }));
  const ofHost = [...temporary, view.home, view.expected, ...(view.egress ? [view.egress] : [])];
  const toSelf = (file: string) => ({ from: leadOutside(file, workspace) ?? file, to: file });
  const toReal = ({ from, to }: Mount) => {
    return { from: path.join(realpathSync(path.dirname(from)), path.basename(from)), to };
  };
  const mounts = [
    ...ofHost.map(toReal),
    ...view.tools.map(toSelf),
    ...view.closed.map(toSelf),
    ...view.writable.filter(({ from, to }) => from === to),
    ...view.readOnly.map(toSelf),
    ...view.masks.filter(({ to }) => isOwn(to) || leadOutside(to, []) === to).map(toReal),
  ];
  // Of several mounts on one path, the last one counts.
  const last = new Map(mounts.map((mount) => [mount.to, mount]));
  const kept = [...last.values()].filter((mount) => isApart(mount) || isMask(view, mount));
  return [...copies.map(expectCopy), ...expectMounts(kept)];
}

function isMask({ masks }: View, { to }: Mount): boolean {
  return masks.some((mask) => mask.to === to);
}
