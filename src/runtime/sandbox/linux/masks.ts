import { mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readProc } from '../../commands/procFiles.ts';
import { type Mask, SYSTEM_FOLDERS } from './argv.ts';
import { findBlocking } from './mountPoints.ts';
import { isWithin } from './toolFolders.ts';

interface Masked {
  /** Where the copy is kept. */
  readonly folder: string;
  readonly workspace: readonly string[];
  /** The workspace is not copied. */
  readonly pins?: unknown;
}

/** Whether a file would be seen in the sandbox if nothing covered it. `tools`: what it shows beside the system's. */
export function isSeen(masked: Masked, tools: readonly string[], file: string): boolean {
  if (masked.workspace.some((root) => isWithin(file, root))) return !isReplaced(masked, file);
  const shown = [...SYSTEM_FOLDERS, ...tools];
  return shown.some((folder) => file !== folder && isWithin(file, folder)) && exists(file);
}

/**
 * Whether something else is in its place in the copy, or in that of a folder above it: then the file isn't seen there,
 * and a link would lead the mount elsewhere.
 */
function isReplaced({ folder, workspace, pins }: Masked, file: string): boolean {
  if (pins !== undefined) return false;
  const index = workspace.findIndex((root) => file !== root && isWithin(file, root));
  const root = workspace[index];
  if (root === undefined) return false;
  const upper = path.join(folder, `o${index}`, 'u');
  return findBlocking(upper, path.relative(root, file)) !== undefined;
}

/**
 * The Unix sockets that programs of this machine have bound below these folders, real paths. A read-only mount keeps
 * nobody from connecting. One that was bound by a relative path isn't known by its folder.
 */
export function listServices(folders: readonly string[]): readonly string[] {
  const bound = readProc('net/unix').matchAll(/^(?:\S+ +){6}\d+ (\/.*)$/gm);
  const found = new Set<string>();
  for (const [, bytes = ''] of bound) {
    const file = Buffer.from(bytes, 'latin1').toString();
    if (!folders.some((folder) => isWithin(file, folder))) continue;
    try {
      if (statSync(file).isSocket()) found.add(realpathSync(file));
    } catch {
      // Its file was deleted, or it lies in a container.
    }
  }
  return [...found];
}

/** What the user can't look at, a command can't either. */
function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** An empty file or folder in place of the masked one. Throws where that is gone: it may come back, or be elsewhere. */
export function toMask(folder: string, file: string, index: number): Mask {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`${file} was moved or deleted meanwhile.`);
  const from = path.join(folder, 'mask', String(index));
  return { from, to: file, isFolder: found.isDirectory() };
}

export function makeMask({ from, isFolder }: Mask): void {
  if (isFolder) mkdirSync(from, { mode: 0o700 });
  else writeFileSync(from, '', { mode: 0o600 });
}
