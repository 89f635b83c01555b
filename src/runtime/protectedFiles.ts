import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import path from 'node:path';
import { findProtected } from '../permissions/rules/protected.ts';

/** A protected file that a command created, changed or deleted. */
export interface ProtectedChange {
  /** Absolute. */
  readonly path: string;
  /** The bytes before; null when there was no such file, undefined when they were too many to keep. */
  readonly before: Buffer | null | undefined;
  /** The bytes now; null when the file is gone, undefined when they are too many to read. */
  readonly after: Buffer | null | undefined;
}

/** The text of a version of a file. Undefined: there is no file. Null: it is no text, or it was not kept. */
export function toText(bytes: Buffer | null | undefined): string | undefined | null {
  if (bytes === null) return undefined;
  if (bytes === undefined || bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : null;
}

/** Compares the protected files below the workspace roots before and after commands. */
export interface ProtectedFiles {
  /**
   * Notes the state before a command. Call the result once, when the command has ended: it returns
   * what changed. Of commands that run side by side, the one that ends first reports a change.
   */
  start(): () => readonly ProtectedChange[];
}

/** The most folders that are looked into; those with protected names and the roots come first. */
const FOLDERS_LIMIT = 1000;
/** The most files that are compared. */
const FILES_LIMIT = 2000;
/** The most bytes of one file, and of all, that are kept for comparing and restoring. */
const FILE_BYTES = 256 * 1024;
const ALL_BYTES = 16 * 1024 * 1024;

/**
 * Folders that programs fill and that nothing of the editor is read from. `.git` is looked into on
 * its own: most of it changes with every git command.
 */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git', '.venv', '__pycache__']);

/** What git reads before it runs anything, below `.git` or a submodule's folder in it. */
const GIT_FILE = /(?:^|\/)(?:config(?:\.worktree)?|info\/attributes|hooks\/[^/]+)$/;
const GIT_FOLDER = /^(?:|hooks|info|modules(?:\/.*)?)$/;

interface Folder {
  readonly modified: string;
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

interface File {
  readonly stamp: string;
  readonly bytes: Buffer | undefined;
}

/**
 * Reads names and small files synchronously, like every access to names in the host: folders whose
 * time did not change are not listed again. `roots` are absolute and without links.
 */
export function createProtectedFiles(roots: () => readonly string[]): ProtectedFiles {
  let folders: ReadonlyMap<string, Folder> = new Map();
  let files: ReadonlyMap<string, File> = new Map();

  let running = 0;

  function refresh(): ReadonlyMap<string, File> {
    const found = walk(roots(), folders);
    folders = found.folders;
    const before = files;
    files = readAll(found.files, before);
    return before;
  }
  return {
    start() {
      // What the user changed between two commands is no command's change.
      if (running === 0) refresh();
      running += 1;
      return () => {
        running -= 1;
        const before = refresh();
        return [...changesBetween(before, files)];
      };
    },
  };
}

function walk(roots: readonly string[], known: ReadonlyMap<string, Folder>) {
  const folders = new Map<string, Folder>();
  const files: string[] = [];
  const open = [...roots];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    if (folders.size >= FOLDERS_LIMIT || files.length >= FILES_LIMIT) break;
    if (folders.has(next)) continue;
    const folder = list(next, known.get(next));
    if (folder === undefined) continue;
    folders.set(next, folder);
    files.push(...folder.files);
    for (const inner of folder.folders) {
      if (findProtected(inner) !== undefined) open.unshift(inner);
      else open.push(inner);
    }
  }
  return { folders, files: files.slice(0, FILES_LIMIT) };
}

/** Undefined when it is no folder, or not readable. */
function list(folder: string, known: Folder | undefined): Folder | undefined {
  try {
    const modified = getStamp(folder);
    if (known?.modified === modified) return known;
    const entries = readdirSync(folder, { withFileTypes: true });
    const inGit = toGitPath(folder);
    return {
      modified,
      folders: entries.flatMap((entry) => subfolder(folder, entry, inGit)),
      files: entries.flatMap((entry) => file(folder, entry, inGit)),
    };
  } catch {
    return undefined;
  }
}

function subfolder(parent: string, entry: Dirent, inGit: string | undefined): readonly string[] {
  const { name } = entry;
  if (!entry.isDirectory()) return [];
  const inside = path.join(parent, name);
  if (inGit !== undefined) return GIT_FOLDER.test(join(inGit, name)) ? [inside] : [];
  return SKIPPED.has(name) && name !== '.git' ? [] : [inside];
}

function file(parent: string, entry: Dirent, inGit: string | undefined): readonly string[] {
  // A link with a protected name counts as well: what it leads to is what the editor reads.
  if (!entry.isFile() && !entry.isSymbolicLink()) return [];
  const inside = path.join(parent, entry.name);
  if (inGit !== undefined) return GIT_FILE.test(join(inGit, entry.name)) ? [inside] : [];
  return findProtected(inside) === undefined ? [] : [inside];
}

/** The path below a `.git` folder; undefined outside. */
function toGitPath(folder: string): string | undefined {
  const names = folder.split(path.sep);
  const at = names.lastIndexOf('.git');
  return at < 0 ? undefined : names.slice(at + 1).join('/');
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function getStamp(target: string): string {
  const { mtimeNs, ctimeNs, size, ino, mode } = lstatSync(target, { bigint: true });
  return `${ino}:${mode}:${size}:${mtimeNs}:${ctimeNs}`;
}

function readAll(
  paths: readonly string[],
  known: ReadonlyMap<string, File>,
): ReadonlyMap<string, File> {
  const files = new Map<string, File>();
  let left = ALL_BYTES;
  for (const target of paths) {
    const read = readOne(target, known.get(target), left);
    if (read === undefined) continue;
    left -= read.bytes?.length ?? 0;
    files.set(target, read);
  }
  return files;
}

function readOne(target: string, known: File | undefined, left: number): File | undefined {
  try {
    const stamp = getStamp(target);
    if (known?.stamp === stamp) return known;
    return { stamp, bytes: readSmall(target, Math.min(FILE_BYTES, left)) };
  } catch {
    return undefined;
  }
}

/** Undefined for what is no regular file, and for one with more than `most` bytes. */
function readSmall(target: string, most: number): Buffer | undefined {
  if (!lstatSync(target).isFile()) return undefined;
  // A pipe may have taken its name since, and opening one must not wait.
  const handle = openSync(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const info = fstatSync(handle);
    return info.isFile() && info.size <= most ? readFileSync(handle) : undefined;
  } finally {
    closeSync(handle);
  }
}

function* changesBetween(
  before: ReadonlyMap<string, File>,
  after: ReadonlyMap<string, File>,
): Iterable<ProtectedChange> {
  for (const [target, now] of after) {
    const old = before.get(target);
    if (old?.stamp === now.stamp) continue;
    const same = old?.bytes !== undefined && now.bytes !== undefined && old.bytes.equals(now.bytes);
    if (same) continue;
    yield { path: target, before: old === undefined ? null : old.bytes, after: now.bytes };
  }
  for (const [target, old] of before) {
    if (!after.has(target)) yield { path: target, before: old.bytes, after: null };
  }
}
