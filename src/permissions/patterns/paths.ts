import { lstatSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';

/** A file as rules see it. */
export interface RealPath {
  /** Absolute, with `/`, links of the longest existing prefix resolved. */
  readonly path: string;
  /** The places of the links it led through, by which a deny or ask may mean it too. */
  readonly names?: readonly string[];
  /** Of a file that has several names: which file it is. */
  readonly inode?: Inode;
}

export interface Inode {
  readonly dev: number;
  readonly ino: number;
}

/** Where a written path leads. */
export type ResolvedPath =
  | ({ readonly ok: true } & RealPath)
  | { readonly ok: false; readonly error: string };

export interface PathContext {
  /** Absolute; relative paths start here. Undefined: a relative path cannot be resolved. */
  readonly cwd: string | undefined;
  readonly platform: NodeJS.Platform;
  /** Links looked up already, for one decision: so that its files are all judged on the same disk. */
  readonly links?: LinkCache;
}

export type LinkCache = Map<string, Link>;

/**
 * Resolves a path the way the kernel would open it: segment by segment, each link followed, `..`
 * taken from where the link led (spec CA-37, VC-11; corpus C7). `%2e` is never decoded (spec decision 22). What does
 * not exist yet is appended as written. Reads links only; no file is opened.
 */
export function resolvePath(written: string, { cwd, platform, links }: PathContext): ResolvedPath {
  const fault = findFault(written, platform);
  if (fault !== undefined) return { ok: false, error: `${printable(written)}: ${fault}` };

  const slashed = toSlashes(written, platform);
  const home = slashed === '~' || slashed.startsWith('~/');
  const expanded = home ? toSlashes(homedir(), platform) + slashed.slice(1) : slashed;
  const folder = cwd === undefined ? undefined : toSlashes(cwd, platform);
  if (isAbsolute(expanded, platform)) {
    return walk(withDrive(expanded, folder, platform), platform, links);
  }
  if (folder === undefined) {
    return {
      ok: false,
      error: `${printable(written)}: a relative path, and the folder is not known`,
    };
  }
  return walk(`${folder}/${expanded}`, platform, links);
}

function toSlashes(path: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

/** Follows a folder of ours to its real place; a folder that does not exist is taken as written. */
export function realFolder(folder: string, platform = process.platform, links?: LinkCache): string {
  const resolved = walk(toSlashes(folder, platform), platform, links);
  return resolved.ok ? resolved.path : folder;
}

/** Whether `path` is `folder` or lies below it; both real and with `/`. Never a prefix of a name (CVE-2025-54794). */
export function isBelow(path: string, folder: string): boolean {
  const base = folder === '/' ? '' : folder;
  return path === folder || path.startsWith(`${base}/`);
}

/** `isBelow` as the disk sees it: another case is the same folder on macOS and Windows. */
export function isBelowFolded(path: string, folder: string, platform: NodeJS.Platform): boolean {
  return isBelow(foldPath(path, platform), foldPath(folder, platform));
}

/** Case is folded and accents composed where the disk does so. */
export function foldPath(path: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return path.normalize('NFC').toLowerCase();
  return platform === 'win32' ? path.toLowerCase() : path;
}

/** `file:/x` is a URL too; a file of such a name is reached as `./file:/x`. */
const SCHEME = /^([a-z][a-z0-9+.-]+:\/\/|file:)/i;

function findFault(written: string, platform: NodeJS.Platform): string | undefined {
  if (written === '') return 'the path is empty';
  if (written.includes('\0')) return 'the path holds a NUL character';
  // The name on the disk would be another one than the name that was judged.
  if (!written.isWellFormed()) return 'the path holds half a character';
  if (SCHEME.test(written)) return 'a URL is not a path';
  if (/^~[^/\\]/.test(written) && !written.startsWith('~$')) {
    return 'another user’s home folder is not resolved';
  }
  return platform === 'win32' ? findWindowsFault(written.replaceAll('\\', '/')) : undefined;
}

const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i;

/** Windows opens another file than these names say (spec decision 22; CVE-2025-23084, CVE-2019-1352). */
function findWindowsFault(slashed: string): string | undefined {
  if (slashed.startsWith('//')) return 'UNC and device paths are refused';
  const drive = /^[a-z]:/i.test(slashed);
  if (drive && slashed[2] !== '/') return 'a path relative to a drive is refused';
  for (const segment of (drive ? slashed.slice(3) : slashed).split('/')) {
    if (segment === '' || segment === '.' || segment === '..') continue;
    if (segment.includes(':')) return 'alternate data streams are refused';
    if (/[. ]$/.test(segment)) return 'a name that ends in a dot or a space is refused';
    if (DEVICE.test(segment)) return 'a device name is refused';
    if (/~\d/.test(segment)) return 'a short (8.3) name is refused';
  }
  return undefined;
}

function isAbsolute(path: string, platform: NodeJS.Platform): boolean {
  return path.startsWith('/') || drivePrefix(path, platform) !== '';
}

/** `/x` on Windows is on the drive of the folder it is said in. */
function withDrive(path: string, cwd: string | undefined, platform: NodeJS.Platform): string {
  return drivePrefix(path, platform) === '' ? drivePrefix(cwd ?? '', platform) + path : path;
}

function drivePrefix(path: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? (/^[a-z]:(?=\/)/i.exec(path)?.[0] ?? '') : '';
}

/** More links than any kernel follows. */
const LINK_LIMIT = 40;

function walk(absolute: string, platform: NodeJS.Platform, cache?: LinkCache): ResolvedPath {
  const drive = drivePrefix(absolute, platform);
  const rest = absolute.slice(drive.length).split('/').reverse();
  let done = drive;
  const names: string[] = [];
  let exists = true;
  let inode: Inode | undefined;

  while (rest.length > 0) {
    const segment = rest.pop();
    if (segment === undefined || segment === '' || segment === '.') continue;
    if (segment === '..') {
      done = done.slice(0, Math.max(done.lastIndexOf('/'), drive.length));
      exists = true;
      inode = undefined;
      continue;
    }
    const next = `${done}/${segment}`;
    const link: Link = exists ? readLink(next, cache) : 'missing';
    inode = undefined;
    if (typeof link === 'string' || 'ino' in link) {
      done = next;
      exists = link !== 'missing';
      if (typeof link !== 'string') inode = link;
      continue;
    }
    // These links lead elsewhere for every process, so the path checked is not the path opened.
    if (/^\/proc\/[^/]+(\/|$)/.test(next))
      return { ok: false, error: `${next} leads through a process` };
    names.push(rest.includes('..') ? next : [next, ...rest.toReversed()].join('/'));
    if (names.length > LINK_LIMIT) return { ok: true, path: [next, ...rest.reverse()].join('/') };
    const absoluteTarget = isAbsolute(link.target, platform);
    const targetDrive = drivePrefix(link.target, platform);
    if (absoluteTarget) done = targetDrive;
    rest.push(...link.target.slice(targetDrive.length).split('/').reverse());
  }
  const path = done === drive ? `${done}/` : done;
  return { ok: true, path, ...(names.length > 0 && { names }), ...(inode && { inode }) };
}

type Link = { readonly target: string } | Inode | 'plain' | 'missing';

function readLink(path: string, cache: LinkCache | undefined): Link {
  const known = cache?.get(path);
  if (known !== undefined) return known;
  const link = lookUp(path);
  cache?.set(path, link);
  return link;
}

function lookUp(path: string): Link {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    if (stats.isFile() && stats.nlink > 1) return { dev: stats.dev, ino: stats.ino };
    if (!stats.isSymbolicLink()) return 'plain';
    return { target: readlinkSync(path).replaceAll('\\', '/') };
  } catch {
    // Not a folder, no right to look, or too long a name: the kernel cannot open it through here either.
    return 'missing';
  }
}

function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '�').slice(0, 200);
}
