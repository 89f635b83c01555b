import { statSync } from 'node:fs';
import path from 'node:path';
import { isInFolder } from '../../base/disk/insideFolder.ts';
import { exists, isOnDisk, type TreeFile } from '../repository/diskFile.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import type { GitStep } from '../shell/acts.ts';
import { type Difference, type GitObjects, UnclearMove } from './gitObjects.ts';

/** One git command, as its repository stands when it runs. */
export interface MoveContext {
  readonly git: GitObjects;
  /** The folder that the command runs in. */
  readonly folder: string;
  /** The commits that HEAD may name by then; undefined: there is none yet. */
  readonly heads: Set<string | undefined>;
  /** Whether the index holds what it holds now. */
  readonly indexSettled: boolean;
  /** Whether the name matters; the others are left out. */
  matters(name: string): boolean;
}

type Step<How extends GitStep['how']> = Extract<GitStep, { readonly how: How }>;
type Names = readonly string[];

/**
 * The files of the work tree that the step changes, relative to its root, as far as they matter.
 * Adds the commit that HEAD then names. Throws `UnclearMove`.
 */
export async function findMovedNames(step: GitStep, context: MoveContext): Promise<Names> {
  switch (step.how) {
    case 'checkout':
      return findCheckedOut(step, context);
    case 'switch':
      return findSwitched(step, context);
    case 'reset': {
      const tree = await context.git.resolve(step.to, 'tree');
      if (tree === undefined) return [];
      return findOverwritten(await context.git.listTree(tree), true, () => true, context);
    }
    case 'restore':
      return findRestored(step, context);
    case 'merge':
      return findMerged(step, context);
    case 'pick':
      return findPicked(step, context);
    case 'unstash':
      return findUnstashed(step, context);
  }
}

/** The first operand is a revision if there is such one, then a branch of a remote, then a path. */
async function findCheckedOut(
  { operands, marked, force, removes }: Step<'checkout'>,
  context: MoveContext,
): Promise<Names> {
  const [first, ...others] = operands;
  const paths = [...others, ...(marked ?? [])];
  if (first === undefined) {
    if (marked === undefined) return findSwitched({ how: 'switch', to: 'HEAD', force }, context);
    return findRestored({ how: 'restore', from: undefined, paths, removes: false }, context);
  }
  const kind = paths.length > 0 ? 'tree' : 'commit';
  if ((await context.git.resolve(first, kind)) !== undefined) {
    return paths.length > 0
      ? findRestored({ how: 'restore', from: first, paths, removes }, context)
      : findSwitched({ how: 'switch', to: first, force }, context);
  }
  const remote = paths.length > 0 ? [] : await context.git.listRemote(first);
  const names: string[] = [];
  for (const to of remote)
    names.push(...(await findSwitched({ how: 'switch', to, force }, context)));
  if (marked !== undefined) return names;
  const all = [first, ...others];
  const own = { how: 'restore', from: undefined, paths: all, removes: false } as const;
  return [...names, ...(await findRestored(own, context))];
}

async function findSwitched({ to, force }: Step<'switch'>, context: MoveContext): Promise<Names> {
  const { git, heads, matters } = context;
  if (to === undefined) return findOverwritten([], true, () => true, context);
  const commit = await git.resolve(to);
  if (commit === undefined) return [];
  const names: string[] = [];
  const whole = force || !hasIndex(context) || heads.has(undefined);
  if (whole)
    names.push(...(await findOverwritten(await git.listTree(commit), force, () => true, context)));
  for (const head of heads) {
    if (head !== undefined) names.push(...toNames(await git.diff(head, commit)).filter(matters));
  }
  heads.add(commit);
  return names;
}

/** Without an index, as after `clone --no-checkout`, git writes all files. */
function hasIndex({ folder }: MoveContext): boolean {
  const own = findGitFolder(folder)?.own;
  const file = own === undefined ? undefined : path.join(own, 'index');
  return file !== undefined && statSync(file, { throwIfNoEntry: false }) !== undefined;
}

async function findRestored(
  { from, paths, removes }: Step<'restore'>,
  context: MoveContext,
): Promise<Names> {
  const { git } = context;
  const within = toPathTest(paths, context);
  if (from === undefined) {
    if (!context.indexSettled)
      throw new UnclearMove('another command of the line changes the index');
    return findOverwritten(await git.listIndex(), false, within, context);
  }
  const tree = await git.resolve(from, 'tree');
  return tree === undefined
    ? []
    : findOverwritten(await git.listTree(tree), removes, within, context);
}

/** The files that aren't yet as they will be, and with `removes` those that will be gone. */
async function findOverwritten(
  files: readonly TreeFile[],
  removes: boolean,
  within: (name: string) => boolean,
  { git, matters }: MoveContext,
): Promise<Names> {
  const counts = (name: string) => within(name) && matters(name);
  const names: string[] = [];
  for (const file of files) {
    if (counts(file.name) && !(await isOnDisk(file, git.root))) names.push(file.name);
  }
  if (!removes) return names;
  const kept = new Set(files.map(({ name }) => name));
  for (const { name } of await git.listIndex()) {
    if (counts(name) && !kept.has(name) && (await exists(name, git.root))) names.push(name);
  }
  return names;
}

/** Whether a file is below one of the paths. Patterns may match any file. */
function toPathTest(paths: Names, { git, folder }: MoveContext): (name: string) => boolean {
  if (paths.some((each) => /^:|[*?[\\]/.test(each))) return () => true;
  const files = paths.map((each) => path.resolve(folder, each));
  if (!files.every((file) => file !== git.root && isInFolder(file, git.root))) return () => true;
  const tops = files.map((file) => path.relative(git.root, file));
  // Names are compared as the most permissive file systems do.
  const folded = tops.map((top) => top.split(path.sep).join('/').toLowerCase());
  return (name) => folded.some((top) => `${name.toLowerCase()}/`.startsWith(`${top}/`));
}

async function findMerged(
  { theirs, since, replays }: Step<'merge'>,
  context: MoveContext,
): Promise<Names> {
  const { git, heads } = context;
  const commit = await git.resolve(theirs);
  const from = since === undefined ? undefined : await git.resolve(since);
  if (commit === undefined || (since !== undefined && from === undefined)) return [];
  const names: string[] = [];
  for (const head of heads) {
    if (head === undefined) {
      const all = await git.listTree(commit);
      names.push(...(await findOverwritten(all, false, () => true, context)));
      continue;
    }
    const bases = await git.findBases(head, from ?? commit);
    if (bases.length === 0) names.push(...toNames(await git.diff(head, commit)));
    for (const base of bases) {
      names.push(...(await findThreeWay(base, commit, head, context)));
      if (replays === true) names.push(...(await findLeftOut(base, commit, head, context)));
    }
  }
  heads.add(commit);
  return names.filter(context.matters);
}

/** What `theirs` changed since `base` and `head` doesn't have yet. */
async function findThreeWay(
  base: string,
  theirs: string,
  head: string,
  context: MoveContext,
): Promise<Names> {
  const { git, matters } = context;
  const [changed, differing] = await Promise.all([git.diff(base, theirs), git.diff(head, theirs)]);
  const differs = new Set(toNames(differing));
  const brought = toNames(changed).filter((name) => matters(name) && differs.has(name));
  return [...brought, ...(await findRenamed(base, changed, head, context))];
}

/** What `head` moved to a name that matters: git brings changes of the old name there. */
async function findRenamed(
  base: string,
  changed: readonly Difference[],
  head: string,
  { git, matters }: MoveContext,
): Promise<Names> {
  if (changed.length === 0) return [];
  const own = await git.diff(base, head);
  const added = own.filter(({ status, name }) => status === 'A' && matters(name));
  const gone = own.filter(({ status }) => status === 'D').map(({ name }) => name);
  if (added.length === 0 || gone.length === 0) return [];
  const names = new Set(gone);
  const folders = gone.map((name) => name.slice(0, name.lastIndexOf('/') + 1));
  const follows = changed.some(
    ({ status, name }) =>
      names.has(name) || (status === 'A' && folders.some((each) => name.startsWith(each))),
  );
  return follows ? toNames(added) : [];
}

/** A rebase leaves out commits that `theirs` has, even if it reverted them. */
async function findLeftOut(
  base: string,
  theirs: string,
  head: string,
  { git, matters }: MoveContext,
): Promise<Names> {
  const own = toNames(await git.diff(base, head)).filter(matters);
  if (own.length === 0) return [];
  const differs = new Set(toNames(await git.diff(head, theirs)));
  const names = own.filter((name) => differs.has(name));
  return names.length > 0 && (await git.isTouched(names, base, theirs)) ? names : [];
}

async function findPicked(
  { commits, parent, reverse }: Step<'pick'>,
  context: MoveContext,
): Promise<Names> {
  const { git, heads, matters } = context;
  const names: string[] = [];
  for (const each of commits) {
    const commit = await git.resolve(each);
    if (commit === undefined) continue;
    const before = await git.resolve(`${commit}^${parent}`);
    // The first commit of a history brings, or removes, all its files.
    if (before === undefined) names.push(...(await git.listTree(commit)).map(({ name }) => name));
    const [base, theirs] = reverse ? [commit, before] : [before, commit];
    for (const head of before === undefined ? [] : heads) {
      if (base === undefined || theirs === undefined || head === undefined) continue;
      const found = commits.length > 1 ? await findAny(base, theirs, head, context) : undefined;
      names.push(...(found ?? (await findThreeWay(base, theirs, head, context))));
    }
    // An empty history takes everything.
    if (heads.has(undefined)) names.push(...(await git.listTree(commit)).map(({ name }) => name));
    heads.add(commit);
  }
  return names.filter(matters);
}

/** What one of several commits changed, whatever HEAD holds by then. */
async function findAny(
  base: string,
  theirs: string,
  head: string,
  context: MoveContext,
): Promise<Names> {
  const changed = await context.git.diff(base, theirs);
  return [...toNames(changed), ...(await findRenamed(base, changed, head, context))];
}

async function findUnstashed({ stash }: Step<'unstash'>, context: MoveContext): Promise<Names> {
  const { git, heads, matters } = context;
  const commit = await git.resolve(stash);
  const base = commit === undefined ? undefined : await git.resolve(`${commit}^1`);
  if (commit === undefined || base === undefined) return [];
  const names: string[] = [];
  for (const head of heads) {
    if (head !== undefined) names.push(...(await findThreeWay(base, commit, head, context)));
  }
  const untracked = await git.resolve(`${commit}^3`);
  if (untracked !== undefined) {
    const files = await git.listTree(untracked);
    names.push(...(await findOverwritten(files, false, () => true, context)));
  }
  return names.filter(matters);
}

function toNames(differences: readonly Difference[]): Names {
  return differences.map(({ name }) => name);
}
