import { toCodeSpan } from '../../base/codeSpan.ts';
import type { TreeFile } from '../repository/diskFile.ts';
import type { GitAnswer, ReadGit } from '../rules/policy.ts';

/** A file that differs between two trees. */
export interface Difference {
  readonly name: string;
  /** `A`: only in the second; `D`: only in the first. */
  readonly status: string;
}

/** What a repository holds couldn't be told. The message is a clause that completes "because …". */
export class UnclearMove extends Error {}

/** Reads what a repository holds. The methods throw `UnclearMove`. */
export interface GitObjects {
  /** The root of the work tree, with links resolved. */
  readonly root: string;
  /** The names of links in the trees and the index that were read. */
  readonly links: ReadonlySet<string>;
  /** The id of the commit or, for sources of files, of the tree. Undefined: it names no such object. */
  resolve(revision: string, kind?: 'commit' | 'tree' | 'object'): Promise<string | undefined>;
  /** The commits of a name without remote, which `checkout` takes for a branch of a remote. */
  listRemote(branch: string): Promise<readonly string[]>;
  /** The files that differ. */
  diff(from: string, to: string): Promise<readonly Difference[]>;
  listTree(tree: string): Promise<readonly TreeFile[]>;
  listIndex(): Promise<readonly TreeFile[]>;
  /** The paths that a git command prints with `-z`. */
  listNames(...args: readonly string[]): Promise<readonly string[]>;
  /** The best common ancestors; empty: there are none. */
  findBases(one: string, other: string): Promise<readonly string[]>;
  /** Whether a commit of `to` that `from` doesn't have changes one of the files. */
  isTouched(names: readonly string[], from: string, to: string): Promise<boolean>;
}

/**
 * The repository that a folder belongs to, and its current commit; undefined: there is none yet.
 * Throws `UnclearMove` if git finds no work tree.
 */
export async function openGit(
  folder: string,
  read: ReadGit,
  signal: AbortSignal,
): Promise<{
  readonly git: GitObjects;
  /** The same, for names that are relative to the folder. */
  readonly here: Omit<GitObjects, 'root'>;
  readonly head: string | undefined;
}> {
  const run = async (cwd: string, args: readonly string[]): Promise<GitAnswer> => {
    const answer = signal.aborted ? undefined : await read(cwd, args, signal);
    if (signal.aborted) throw new UnclearMove('looking took too long');
    if (answer === undefined) throw new UnclearMove("git can't be asked");
    return answer;
  };
  const here = createReaders((...args) => run(folder, args));
  const [top, head] = await Promise.all([
    run(folder, ['rev-parse', '--show-toplevel']),
    here.resolve('HEAD'),
  ]);
  if (top.exitCode !== 0) throw new UnclearMove('git finds no work tree');
  const root = top.output.replace(/\r?\n$/, '');
  return { git: { root, ...createReaders((...args) => run(root, args)) }, here, head };
}

function createReaders(
  ask: (...args: readonly string[]) => Promise<GitAnswer>,
): Omit<GitObjects, 'root'> {
  const list = async (...args: readonly string[]) => {
    const { exitCode, output } = await ask(...args);
    if (exitCode !== 0) throw new UnclearMove("the repository can't be read");
    return output;
  };
  return {
    ...createFileReaders(list),
    async resolve(revision, kind = 'commit') {
      const written = revision === '-' ? '@{-1}' : revision;
      // `:/text` searches a message, to which a suffix would belong.
      const named = written.startsWith(':/') ? written : `${written}^{${kind}}`;
      const verify = ['rev-parse', '--verify', '--quiet', '--end-of-options'];
      const { exitCode, output } = await ask(...verify, named);
      const id = output.trim();
      if (exitCode === 0 && ID.test(id)) return id;
      if (exitCode === 1) return undefined;
      throw new UnclearMove(`the revision ${toCodeSpan(revision)} is ambiguous`);
    },
    async listRemote(branch) {
      if (!/^[^-*?[\\^~: ][^*?[\\^~: ]*$/.test(branch)) return [];
      const format = '--format=%(objectname)';
      const output = await list('for-each-ref', format, `refs/remotes/*/${branch}`);
      return output.split('\n').filter((id) => ID.test(id));
    },
    async listNames(...args) {
      return (await list(...args)).split('\0').filter((name) => name !== '');
    },
    async findBases(one, other) {
      const { exitCode, output } = await ask('merge-base', '--all', one, other);
      if (exitCode > 1) throw new UnclearMove("the repository can't be read");
      return output.split('\n').filter((id) => ID.test(id));
    },
    async isTouched(names, from, to) {
      const paths = names.map((name) => `:(top,literal)${name}`);
      const walk = ['rev-list', '--full-history', '--max-count=1', to, `^${from}`, '--'];
      return (await list(...walk, ...paths)) !== '';
    },
  };
}

/** Reads which files trees and the index have, and keeps which of them are links. */
function createFileReaders(
  list: (...args: readonly string[]) => Promise<string>,
): Pick<GitObjects, 'links' | 'diff' | 'listTree' | 'listIndex'> {
  const links = new Set<string>();
  const listFiles = async (...args: readonly string[]) => {
    const files = parseFiles(await list(...args));
    for (const { name, mode } of files) if (mode === LINK) links.add(name);
    return files;
  };
  return {
    links,
    async diff(from, to) {
      if (from === to) return [];
      const output = await list('diff-tree', '-r', '-z', '--raw', '--no-renames', from, to);
      const parts = output.split('\0');
      return parts.flatMap((change, at) => {
        if (at % 2 !== 0 || change === '') return [];
        const name = parts[at + 1] ?? '';
        if (change.startsWith(LINK, 1) || change.startsWith(LINK, 8)) links.add(name);
        return [{ status: change.slice(-1), name }];
      });
    },
    listTree: (tree) => listFiles('ls-tree', '-r', '-z', '--full-tree', tree),
    listIndex: () => listFiles('ls-files', '-s', '-z'),
  };
}

/** The mode of a link. */
const LINK = '120000';
const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** `mode type id\tname` of a tree, or `mode id stage\tname` of the index. */
function parseFiles(output: string): readonly TreeFile[] {
  return output.split('\0').flatMap((line) => {
    const [, mode, id, name] =
      /^(\d+) (?:[a-z]+ )?([0-9a-f]{40,64})[^\t]*\t([\s\S]*)$/.exec(line) ?? [];
    if (mode === undefined || id === undefined || name === undefined) return [];
    return [{ mode, id, name }];
  });
}
