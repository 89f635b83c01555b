import { lstatSync } from 'node:fs';
import type { Evaluation } from '../decide/evaluation.ts';
import { type Look, type LookRequest, lookBelow } from '../disk/lookBelow.ts';
import { mayBeNamed } from '../patterns/nameOverlap.ts';
import { isBelowFolded } from '../patterns/paths.ts';
import { createProtectedTest } from '../rules/protected.ts';
import type { FileAct } from '../shell/acts.ts';
import { leavesOut } from '../shell/programs/exclusions.ts';
import { createKept, listTrackedBelow } from './trackedBelow.ts';

/** Folders of the system, which hold no work of a user unless a workspace lies there. */
const SYSTEM = /^\/(?:usr|etc|bin|sbin|lib\w*|boot|dev|proc|sys)(?:\/|$)/;

/** Folders that programs fill and that neither the editor nor an agent is started in. */
const FILLED: ReadonlySet<string> = new Set(['node_modules', '.venv', '__pycache__']);

/** Whether the path lies in a folder of the system, or one of these names is filled, and no workspace does. */
export function isSkipped(
  path: string,
  names: readonly string[],
  { roots, policy }: Evaluation,
): boolean {
  if (!SYSTEM.test(path) && !names.some((name) => FILLED.has(name))) return false;
  const { platform } = policy;
  return !roots.workspace.some(
    (root) =>
      isBelowFolded(root, path, platform) ||
      (SYSTEM.test(path) && isBelowFolded(path, root, platform)),
  );
}

/** When a look ends with a gap. */
interface LookLimits {
  /** In milliseconds. */
  readonly ms: number;
  /** Maximum number of files and folders that are looked at for the whole line. */
  readonly entries?: number;
}

/** What is protected below the folder, as far as the command carries it. Ends with the first that is found. */
export async function walkForProtected(
  act: FileAct,
  folder: string,
  compiled: Evaluation,
  limits: LookLimits,
): Promise<Look> {
  const tracked = act.carries === 'tracked' ? listTrackedBelow(act, folder, compiled) : undefined;
  if (tracked !== undefined) return findTracked(tracked, act, folder, compiled);
  const own = findOwnBelow(act, folder, compiled);
  return own === undefined ? walk(act, folder, compiled, limits) : found(folder, [own]);
}

/** The first protected file among those that git tracks. What else is on the disk doesn't matter. */
function findTracked(
  tracked: readonly string[],
  act: FileAct,
  folder: string,
  compiled: Evaluation,
): Look {
  const isProtected = createProtectedTest(compiled.roots);
  const first = tracked.find((path) => {
    const at = path.lastIndexOf('/');
    const name = path.slice(at + 1);
    const counts = isProtected(path.slice(0, at) || '/', name) || isState(path, compiled);
    return counts && (act.only === undefined || mayBeNamed(name, act.only));
  });
  return found(folder, first === undefined ? [] : [toOwn(folder, first)]);
}

/**
 * What this user's settings and the host's state are read from needs no look, if all of the folder is
 * carried. Relative to the folder.
 */
function findOwnBelow(act: FileAct, folder: string, { roots, policy }: Evaluation) {
  if (act.only !== undefined || act.carries === 'untracked') return undefined;
  const { settings = [], editors = [], state } = roots;
  const known = [...settings, ...editors, ...(state === undefined ? [] : [state])];
  const below = known.filter((each) => isBelowFolded(each, folder, policy.platform));
  const inside = below.find((each) => !isLeftOut(act, toOwn(folder, each), each));
  return inside === undefined ? undefined : toOwn(folder, inside);
}

function isState(path: string, { roots: { state }, policy }: Evaluation): boolean {
  return state !== undefined && isBelowFolded(path, state, policy.platform);
}

/** A path below the folder relative to it. */
function toOwn(folder: string, path: string): string {
  return path.slice(folder.endsWith('/') ? folder.length : folder.length + 1);
}

function found(folder: string, names: readonly string[]): Look {
  const start = folder === '/' ? '' : folder;
  return {
    found: names.map((name) => ({ path: `${start}/${name}`, name, folder: false })),
    links: [],
  };
}

/** Maximum number of files that git may keep because they are ignored. */
const KEPT_LIMIT = 2000;
/** How many files and folders are looked at, which takes about two seconds. */
const ENTRY_LIMIT = 200_000;
const MANY = { why: 'many' } as const;

async function walk(
  act: FileAct,
  folder: string,
  compiled: Evaluation,
  { ms, entries: limit = ENTRY_LIMIT }: LookLimits,
): Promise<Look> {
  // Git is asked later which of them it ignores.
  const most = act.carries === 'untracked' ? KEPT_LIMIT : 1;
  const names: string[] = [];
  const add = (name: string) => names.length < most && names.push(name);
  const isPassed = createSkips(act, folder, compiled, add);
  const { spent } = compiled;
  const { gap } = await lookBelow(
    {
      ...{ folder, names: [], everyWay: false, platform: compiled.policy.platform },
      ...{ inodes: new Set(), follows: false, links: compiled.links },
      skips: (parent, name) => ++spent.entries > limit || isPassed(parent, name),
      namesIn: () => () => false,
      enters: (path) => names.length < most && !(holdsOnlyFiles(act) && path.endsWith('/.git')),
      countsWhole: () => false,
      leadsOut: () => false,
      leavesOut: (name, kind) =>
        kind === 'folder' && leavesOut(act.without ?? [], name, undefined, true),
    },
    ms,
  );
  const large = spent.entries > limit ? ({ why: 'large', entries: limit } as const) : undefined;
  const cut = most > 1 && names.length >= most ? MANY : (gap ?? large);
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
  const isProtected = createProtectedTest(compiled.roots);
  return (parent, name) => {
    const path = parent === '/' ? `/${name}` : `${parent}/${name}`;
    if (isSkipped(path, [name], compiled) || isKept(path)) return true;
    if (!isProtected(parent, name) && !isState(path, compiled)) return false;
    const own = toOwn(folder, path);
    if (!isCarried(act, own)) return false;
    // Git decides about the repository in a folder as a whole.
    const holds = holdsOnlyFiles(act) && name !== '.git' && isFolder(path);
    if (!holds && !isLeftOut(act, own, path)) add(own);
    return false;
  };
}

/** Whether the pattern that names what is carried may mean the file, or a folder that is carried with it. */
function isCarried({ only, carries }: FileAct, own: string): boolean {
  if (only === undefined) return true;
  const names = own.split('/');
  const folders = carries === 'all' || carries === 'untracked';
  return (folders ? names : names.slice(-1)).some((name) => mayBeNamed(name, only));
}

/** Git removes a folder with the last file in it, and each file there has a protected path too. */
function holdsOnlyFiles({ carries }: FileAct): boolean {
  return carries === 'untracked';
}

/** Some exclusions only count for folders. A link is none. */
function isLeftOut({ without = [], folders: [base = ''] }: FileAct, name: string, path: string) {
  if (without.length === 0) return false;
  const written = path.startsWith(`${base}/`) ? path.slice(base.length + 1) : undefined;
  const [folder, file] = [true, false].map((each) => leavesOut(without, name, written, each));
  return folder === file ? folder === true : leavesOut(without, name, written, isFolder(path));
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path).isDirectory();
  } catch {
    // It counts as whatever it may be.
    return false;
  }
}
