import { lstatSync } from 'node:fs';
import { toCodeSpan } from '../../base/codeSpan.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import type { SubjectResult } from '../decide/subjectResult.ts';
import { type Look, type LookRequest, lookBelow } from '../disk/lookBelow.ts';
import { mayBeNamed } from '../patterns/nameOverlap.ts';
import { isBelowFolded, type RealPath } from '../patterns/paths.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import { listTrackedFiles } from '../repository/trackedFiles.ts';
import { findProtected } from '../rules/protected.ts';
import type { FileAct } from '../shell/acts.ts';
import { leavesOut } from '../shell/programs/exclusions.ts';
import { describeUnknown, joinName } from './sweepReason.ts';

/** Folders that programs fill and that neither the editor nor an agent is started in. */
const FILLED: ReadonlySet<string> = new Set(['node_modules', '.venv', '__pycache__']);

/**
 * Looks whether a protected file lies below a folder that is moved, removed or copied with all that is in
 * it. The words of the command don't name that file. Ends with the first that is found.
 */
export async function lookForProtected(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
  ms: number,
): Promise<void> {
  const key = toKey(act, file);
  if (!counts(act, file, compiled) || compiled.looks.has(key)) return;
  const own = findOwnBelow(file.path, compiled);
  const look =
    own === undefined ? await walk(act, file.path, compiled, ms) : found(file.path, [own]);
  compiled.looks.set(key, look);
}

/** What was found by `lookForProtected`; undefined: nothing had to be looked for. */
export function findProtectedLook(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): Look | undefined {
  return compiled.looks.get(toKey(act, file));
}

/** Asks about a folder with a protected file below it, whatever rules allow. */
export function evaluateProtected(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): readonly SubjectResult[] {
  if (!counts(act, file, compiled)) return [];
  const look = findProtectedLook(act, file, compiled) ?? NOT_LOOKED;
  // Git never lists what is in a repository's own folder, so it can't be told whether that is ignored.
  const first = look.found.find(
    ({ path }) => path.endsWith('/.git') || act.ignored?.has(path) !== true,
  );
  if (first === undefined && look.gap === undefined) return [];
  const target = first === undefined ? act.target : joinName(act.target, first.name);
  const why =
    first === undefined
      ? describeUnknown(act, look.gap ?? TIME, compiled.policy.lookMs ?? LOOK_MS)
      : `The command moves, removes or copies ${toCodeSpan(target)} with its folder. That always asks, because the editor, git or an agent may run or trust what it contains.`;
  const subject = { permission: 'fs.write', target, decision: 'ask' } as const;
  return [{ subject, guarded: true, why }];
}

const LOOK_MS = 500;
const TIME = { why: 'time' } as const;
const MANY = { why: 'many' } as const;
const NOT_LOOKED: Look = { found: [], links: [], gap: TIME };

/** A protected folder asks itself. */
function counts(act: FileAct, { path }: RealPath, compiled: Evaluation): boolean {
  const { carries, sweep, arrives } = act;
  // What lies where files arrive stays there.
  if (carries === undefined || sweep === undefined || arrives === true) return false;
  // What is in a filled folder matters where it arrives.
  if (isSkipped(path, carries === 'all' ? [] : path.split('/'), compiled)) return false;
  return findProtected(path, compiled.roots) === undefined;
}

/** Folders of the system, which hold no work of a user unless a workspace lies there. */
const SYSTEM = /^\/(?:usr|etc|bin|sbin|lib\w*|boot|dev|proc|sys)(?:\/|$)/;

/** Whether the path lies in a folder of the system, or one of these names is filled, and no workspace does. */
function isSkipped(path: string, names: readonly string[], { roots, policy }: Evaluation): boolean {
  if (!SYSTEM.test(path) && !names.some((name) => FILLED.has(name))) return false;
  const { platform } = policy;
  return !roots.workspace.some(
    (root) =>
      isBelowFolded(root, path, platform) ||
      (SYSTEM.test(path) && isBelowFolded(path, root, platform)),
  );
}

/** What this user's settings and the host's state are read from needs no look. Relative to the folder. */
function findOwnBelow(folder: string, { roots, policy }: Evaluation): string | undefined {
  const { settings = [], editors = [], state } = roots;
  const known = [...settings, ...editors, ...(state === undefined ? [] : [state])];
  const inside = known.find((each) => isBelowFolded(each, folder, policy.platform));
  return inside?.slice(folder.endsWith('/') ? folder.length : folder.length + 1);
}

function found(folder: string, names: readonly string[]): Look {
  const start = folder === '/' ? '' : folder;
  return {
    found: names.map((name) => ({ path: `${start}/${name}`, name, folder: false })),
    links: [],
  };
}

/** Maximum number of files that git may keep because they are ignored. */
const KEPT_LIMIT = 200;

async function walk(act: FileAct, folder: string, compiled: Evaluation, ms: number): Promise<Look> {
  // Git is asked later which of them it ignores.
  const most = act.carries === 'untracked' ? KEPT_LIMIT : 1;
  const names: string[] = [];
  const { gap } = await lookBelow(
    {
      ...{ folder, names: [], everyWay: false, platform: compiled.policy.platform },
      ...{ inodes: new Set(), follows: false, links: compiled.links },
      skips: createSkips(act, folder, compiled, (name) => names.length < most && names.push(name)),
      namesIn: () => () => false,
      enters: (path) => names.length < most && !(holdsOnlyFiles(act) && path.endsWith('/.git')),
      countsWhole: () => false,
      leadsOut: () => false,
      leavesOut: (name, kind) =>
        kind === 'folder' && leavesOut(act.without ?? [], name, undefined, true),
    },
    ms,
  );
  const cut = most > 1 && names.length >= most ? MANY : gap;
  return { ...found(folder, names), ...(cut !== undefined && { gap: cut }) };
}

/** Tests every entry, links included, and passes the names of those that are protected to `add`. */
function createSkips(
  act: FileAct,
  folder: string,
  compiled: Evaluation,
  add: (name: string) => void,
): LookRequest['skips'] {
  const isKept = act.carries === 'untracked' ? createKept(folder) : () => false;
  return (parent, name) => {
    const path = parent === '/' ? `/${name}` : `${parent}/${name}`;
    if (isSkipped(path, [name], compiled) || isKept(path)) return true;
    if (act.only !== undefined && !mayBeNamed(name, act.only)) return false;
    if (findProtected(path, compiled.roots) === undefined) return false;
    const own = path.slice(folder === '/' ? 1 : folder.length + 1);
    // Git decides about the repository in a folder as a whole.
    const holds = holdsOnlyFiles(act) && name !== '.git' && isFolder(path);
    if (!holds && !isLeftOut(act, own, path)) add(own);
    return false;
  };
}

/** Git removes a folder with the last file in it, and each file there has a protected path too. */
function holdsOnlyFiles({ carries }: FileAct): boolean {
  return carries === 'untracked';
}

/** What it is isn't known, so it must be left out as a file and as a folder. */
function isLeftOut({ without = [], folders: [base = ''] }: FileAct, name: string, path: string) {
  if (without.length === 0) return false;
  const written = path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
  return [true, false].every((folder) => leavesOut(without, name, written, folder));
}

/**
 * What `git clean` keeps: the repository's own folder, and tracked files. A folder with tracked files may
 * hold others.
 */
function createKept(folder: string): (path: string) => boolean {
  try {
    const git = findGitFolder(folder);
    const tracked = git && listTrackedFiles(git);
    if (git === undefined || tracked === undefined) return () => false;
    const files = new Set(tracked.map((name) => `${git.root}/${name}`));
    return (path) => path === `${git.root}/.git` || files.has(path);
  } catch {
    // It can't be told which repository git finds, so everything may be removed.
    return () => false;
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    // It counts as whatever it may be.
    return false;
  }
}

function toKey({ carries, only, without, folders }: FileAct, { path }: RealPath): string {
  return JSON.stringify(['protected', path, carries, only, without, folders[0]]);
}
