import { homedir } from 'node:os';
import { toTargetSpan } from '../../base/codeSpan.ts';
import {
  ignoresCase,
  type Link,
  type LinkCache,
  MISSING,
  readLink,
} from '../../base/disk/lookUp.ts';

export type { LinkCache } from '../../base/disk/lookUp.ts';

/** A file as rules match it. */
export interface RealPath {
  /** Absolute, with `/`, and with the links of the longest existing prefix resolved. */
  readonly path: string;
  /** The paths of the links that were followed. A deny or ask may match these too. */
  readonly names?: readonly string[];
  /** Which file it is, if the file has several hard links. */
  readonly inode?: Inode;
  /** It lies in a folder that ignores case, where the platform's rules don't. A deny or ask ignores it there, too. */
  readonly folds?: boolean;
  /** The text of the editor's document, if it isn't saved. */
  readonly unsaved?: string;
}

export interface Inode {
  readonly dev: number;
  readonly ino: number;
}

/** The replacement character stands for bytes that aren't UTF-8, so such a name can't be looked up. */
export const ODD = '\ufffd';

/** The result of resolving a path. */
export type ResolvedPath =
  | ({ readonly ok: true } & RealPath)
  | {
      readonly ok: false;
      readonly error: string;
      /** A link leads to a name that isn't UTF-8. */
      readonly odd?: true;
    };

export interface PathContext {
  /** Absolute; relative paths start here. Undefined: a relative path cannot be resolved. */
  readonly cwd: string | undefined;
  readonly platform: NodeJS.Platform;
  /**
   * Cached links, so that all paths of one decision are evaluated against the same state of the
   * disk.
   */
  readonly links?: LinkCache;
}

/**
 * Resolves a path as the kernel would: segment by segment, following each link, with `..` relative
 * to where the link led (spec CA-37, VC-11, corpus C7). `%2e` is never decoded (spec decision 22).
 * Names that don't exist yet are appended as written. Only reads links; opens no file.
 */
export function resolvePath(written: string, { cwd, platform, links }: PathContext): ResolvedPath {
  const problem = findProblem(written, platform);
  if (problem !== undefined)
    return {
      ok: false,
      error: `${toTargetSpan(written)} is not a valid path, because ${problem}.`,
    };

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
      error: `Gatehouse can't tell which folder ${toTargetSpan(written)} is relative to.`,
    };
  }
  return walk(`${folder}/${expanded}`, platform, links);
}

function toSlashes(path: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

/**
 * The real path of one of our folders, which is not opened: the workspace may not be trusted yet. A folder that doesn't
 * exist is returned as written.
 */
export function realFolder(folder: string, platform = process.platform, links?: LinkCache): string {
  return findRealFolder(folder, platform, links) ?? folder;
}

/** The same. Undefined: a link leads where that can't be told. */
export function findRealFolder(
  folder: string,
  platform = process.platform,
  links?: LinkCache,
): string | undefined {
  const resolved = walk(toSlashes(folder, platform), platform, links, 'unopened');
  return resolved.ok ? resolved.path : undefined;
}

/**
 * Whether `path` is `folder` or is below it; both real paths with `/`. Compares whole names
 * (CVE-2025-54794).
 */
export function isBelow(path: string, folder: string): boolean {
  const base = folder === '/' ? '' : folder;
  return path === folder || path.startsWith(`${base}/`);
}

/** `isBelow` for the file system: ignores case on macOS and Windows. */
export function isBelowFolded(path: string, folder: string, platform: NodeJS.Platform): boolean {
  return isBelow(foldPath(path, platform), foldPath(folder, platform));
}

/** Folds case and composes accents where the file system does. */
export function foldPath(path: string, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return path.normalize('NFC').toLowerCase();
  return platform === 'win32' ? path.toLowerCase() : path;
}

/** `file:/x` is a URL too; a file with that name can be written as `./file:/x`. */
const SCHEME = /^([a-z][a-z0-9+.-]+:\/\/|file:)/i;

function findProblem(written: string, platform: NodeJS.Platform): string | undefined {
  if (written === '') return 'it is empty';
  if (written.includes('\0')) return 'it contains a NUL character';
  // The name on disk would differ from the evaluated name.
  if (!written.isWellFormed()) return 'it contains a lone surrogate';
  if (SCHEME.test(written)) return 'it is a URL';
  if (/^~[^/\\]/.test(written) && !written.startsWith('~$')) {
    return "other users' home folders aren't supported";
  }
  return platform === 'win32' ? findWindowsProblem(written.replaceAll('\\', '/')) : undefined;
}

const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i;

/**
 * Windows opens a different file than these names suggest (spec decision 22, CVE-2025-23084,
 * CVE-2019-1352).
 */
function findWindowsProblem(slashed: string): string | undefined {
  if (slashed.startsWith('//')) return "UNC and device paths aren't supported";
  const drive = /^[a-z]:/i.test(slashed);
  if (drive && slashed[2] !== '/') return "paths relative to a drive aren't supported";
  for (const segment of (drive ? slashed.slice(3) : slashed).split('/')) {
    if (segment === '' || segment === '.' || segment === '..') continue;
    if (segment.includes(':')) return "alternate data streams aren't supported";
    if (/[. ]$/.test(segment)) return "names that end with a dot or a space aren't supported";
    if (DEVICE.test(segment)) return "device names aren't supported";
    if (/~\d/.test(segment)) return "short (8.3) names aren't supported";
  }
  return undefined;
}

function isAbsolute(path: string, platform: NodeJS.Platform): boolean {
  return path.startsWith('/') || drivePrefix(path, platform) !== '';
}

/** On Windows, `/x` is on the drive of the current folder. */
function withDrive(path: string, cwd: string | undefined, platform: NodeJS.Platform): string {
  return drivePrefix(path, platform) === '' ? drivePrefix(cwd ?? '', platform) + path : path;
}

function drivePrefix(path: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? (/^[a-z]:(?=\/)/i.exec(path)?.[0] ?? '') : '';
}

/** More links than any kernel follows. */
const LINK_LIMIT = 40;

function walk(
  absolute: string,
  platform: NodeJS.Platform,
  cache?: LinkCache,
  end: 'opened' | 'unopened' = 'opened',
): ResolvedPath {
  const drive = drivePrefix(absolute, platform);
  const rest = absolute.slice(drive.length).split('/').reverse();
  let done = drive;
  const names: string[] = [];
  let link: Link = ROOT;
  let folds = false;
  let links = 0;

  while (rest.length > 0) {
    const name = rest.pop();
    if (name === undefined || name === '' || name === '.') continue;
    if (name === '..') {
      done = done.slice(0, Math.max(done.lastIndexOf('/'), drive.length));
      link = ROOT;
      continue;
    }
    const next = `${done}/${name}`;
    link = link.exists ? readLink(done, name, link.folder, { platform, cache }) : MISSING;
    folds ||= link.folds === true;
    if (link.odd) return { ok: false, error: describeOdd(next), odd: true };
    const fault = findFault(link, next);
    if (fault !== undefined) return { ok: false, error: fault };
    const target = link.target ?? link.listed;
    if (target === undefined && link.stored === undefined) {
      done = next;
      continue;
    }
    names.push(joinRest(next, rest.toReversed()));
    if (link.target !== undefined) links += 1;
    if (links > LINK_LIMIT) return { ok: true, path: [next, ...rest.reverse()].join('/') };
    if (target === undefined) {
      done = `${done}/${link.stored}`;
      continue;
    }
    const targetDrive = drivePrefix(target, platform);
    if (isAbsolute(target, platform)) done = targetDrive;
    rest.push(...target.slice(targetDrive.length).split('/').reverse());
    link = ROOT;
  }
  const path = done === drive ? `${done}/` : done;
  const looksInto = platform === 'linux' && end === 'opened' && !folds;
  return toResolved(path, names, link, folds || (looksInto && ignoresCase(path, link)));
}

/** Why Gatehouse can't tell what a path with such a link is. */
export function describeOdd(path: string): string {
  return `A link in ${toTargetSpan(path)} leads to a name that isn't UTF-8, so Gatehouse can't tell which file it is.`;
}

function findFault({ lost, target }: Link, path: string): string | undefined {
  if (lost) {
    return `Gatehouse can't tell which file ${toTargetSpan(path)} names, because its folder lists it by another name.`;
  }
  // These links differ for every process, so the checked path isn't the path that is opened.
  const depends = target !== undefined && /^\/proc\/[^/]+(\/|$)/.test(path);
  return depends ? `${toTargetSpan(path)} depends on the process that opens it.` : undefined;
}

/** Where nothing is known yet about the folder reached. */
const ROOT: Link = { exists: true };

function toResolved(
  path: string,
  names: readonly string[],
  { inode }: Link,
  folds: boolean,
): ResolvedPath {
  return {
    ok: true,
    path,
    ...(names.length > 0 && { names }),
    ...(inode && { inode }),
    ...(folds && { folds }),
  };
}

/** The path behind a link as written; only the link if that leads above it. */
function joinRest(link: string, rest: readonly string[]): string {
  const names: string[] = [];
  for (const name of rest) {
    if (name === '..' && names.length === 0) return link;
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return [link, ...names].join('/');
}
