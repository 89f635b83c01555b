import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import { createStatCache } from '../../base/disk/statCache.ts';
import { isBelow, ODD, realFolder } from '../patterns/paths.ts';
import { followName, type GitFolder, openGitFolder, readText } from './gitFolder.ts';
import { readIndex } from './trackedFiles.ts';

/**
 * Why a command that only reads the repository may run a program or read other files, by the
 * repository's own configuration; undefined: it can't. A clone doesn't bring such a configuration,
 * but an unpacked folder or an earlier command may have. Settings that aren't known to be harmless
 * count. The user's own configuration is trusted.
 */
export function findHazard(git: GitFolder): string | undefined {
  return findHazardIn(git, git.root, new Set(), false);
}

/**
 * Like `findHazard`, for any git command: also those that run hooks, contact a host, or start an
 * editor.
 */
export function findProgram(git: GitFolder): string | undefined {
  const hooks = path.join(git.common, 'hooks');
  const isThere = statSync(hooks, { throwIfNoEntry: false }) !== undefined;
  const hook = isThere ? readdirSync(hooks).find((name) => !name.endsWith('.sample')) : undefined;
  if (hook !== undefined) return toCodeSpan(path.relative(git.root, path.join(hooks, hook)));
  return findHazardIn(git, git.root, new Set(), true);
}

/** Settings that name a program which no reading command starts. */
const PROGRAMS =
  /^(?:core\.(?:hookspath|editor|sshcommand)|credential\..*|gc\.recentobjectshook)$/i;

/** `submodule.NAME.update = !command`, with any value that isn't a plain word. */
function isUpdate(key: string, line: string): boolean {
  return /^submodule\..*\.update$/is.test(key) && !/^\w+\s*=\s*\w+$/.test(line);
}

/** Sorting by what a signature is starts the program that checks it. */
function sortsBySignature(key: string, line: string): boolean {
  return (
    /^(?:branch|tag)\.sort$/i.test(key) &&
    (line.includes('\\') || /signature/i.test(line.replaceAll('"', '')))
  );
}

/**
 * A remote may be written as a URL with a password, which git prints as the remote's name: in errors about
 * `@{push}`, and for `%(push:remotename)`.
 */
function namesByPassword(key: string, line: string): boolean {
  if (/^remote\./i.test(key)) return USER_IN_URL.test(key);
  if (!/^branch\..*\.(?:push)?remote$/is.test(key)) return false;
  return line.includes('\\') || USER_IN_URL.test(line.replaceAll('"', ''));
}

/** References in another folder: `refStorage = reftable:///x`. */
function keepsElsewhere(key: string, line: string): boolean {
  return /^extensions\.refstorage$/i.test(key) && !/^\w+\s*=\s*(?:files|reftable)$/.test(line);
}

/** A URL that names a user, perhaps with a password; not `ssh://git@host`. */
export const USER_IN_URL = /:\/\/(?!git@)[^\s/@]+@/;

/** Git also enters the submodules in its index, wherever their repositories are. */
function findHazardIn(
  git: GitFolder,
  root: string,
  seen: Set<string>,
  /** Commands that don't only read are run, too. */
  any: boolean,
): string | undefined {
  if (seen.has(git.own)) return undefined;
  seen.add(git.own);
  for (const file of listConfigurations(git)) {
    const key = settings.get(file)?.find(({ tree, starts }) => {
      if (tree !== undefined) return !isOwnTree(tree, file, git);
      return starts !== true || any;
    })?.key;
    if (key !== undefined) return `${toCodeSpan(key)} in ${toCodeSpan(path.relative(root, file))}`;
  }
  const index = readIndex(git);
  if (index === undefined) return "an index that Gatehouse can't read";
  for (const { name, submodule } of index) {
    const inner = submodule ? openGitFolder(path.join(git.root, name)) : undefined;
    const hazard = inner === undefined ? undefined : findHazardIn(inner, root, seen, any);
    if (hazard !== undefined) return hazard;
  }
  return undefined;
}

/** In another work tree, git would read files by the names of those of this one. That of a submodule must lie in this one. */
function isOwnTree(tree: string, file: string, { root, own, common }: GitFolder): boolean {
  const folder = path.dirname(file);
  const top = realFolder(root);
  if (folder === own || folder === common) return followName(own, tree) === top;
  return isBelow(followName(folder, tree), top);
}

const settings = createStatCache((file) => listSettings(readText(file) ?? ''));

/** The files of the repository, of the worktree and of the submodules that git keeps beside it. */
function listConfigurations({ own, common }: GitFolder): readonly string[] {
  const names = ['config', 'config.worktree'];
  const folders = [...new Set([own, common]), ...listModules(path.join(common, 'modules'))];
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
}

/** The names of submodules may contain slashes, and submodules have submodules. */
function listModules(folder: string): readonly string[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): readonly string[] => {
    if (entry.name.includes(ODD)) throw new Error(`A name in ${folder} isn't UTF-8.`);
    const below = path.join(folder, entry.name);
    if (!entry.isDirectory()) return [];
    const isModule = statSync(path.join(below, 'HEAD'), { throwIfNoEntry: false }) !== undefined;
    return isModule ? [below, ...listModules(path.join(below, 'modules'))] : listModules(below);
  });
}

/** A setting that isn't known to be harmless, or a line that can't be parsed. */
interface Setting {
  readonly key: string;
  /** The work tree that it names. */
  readonly tree?: string;
  /** It names a program that no reading command starts. */
  readonly starts?: true;
}

/** The first setting that may matter to a command that only reads. */
export function findKey(text: string): string | undefined {
  return listSettings(text).find(({ starts }) => starts !== true)?.key;
}

function listSettings(text: string): readonly Setting[] {
  const found: Setting[] = [];
  let section = '';
  for (const raw of text.replace(/^\uFEFF/, '').split('\n')) {
    let line = raw.trim();
    const head = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (head !== null) {
      section = `${head[1] ?? ''}${head[2] === undefined ? '' : `.${head[2]}`}`;
      line = line.slice(head[0].length).trim();
    }
    if (line === '' || /^[#;]/.test(line)) continue;
    const name = /^([a-zA-Z][\w-]*)\s*(?:=|$)/.exec(line)?.[1];
    // A continued line may be read as one thing here, and as another by git.
    if (name === undefined || line.endsWith('\\')) return [...found, { key: line.slice(0, 80) }];
    const key = `${section}.${name}`;
    const tree = /^core\.worktree$/i.test(key) ? WORK_TREE.exec(line)?.[1] : undefined;
    if (tree !== undefined) found.push({ key, tree });
    else if (!isHarmless(section.toLowerCase(), name.toLowerCase())) found.push({ key });
    else if (sortsBySignature(key, line) || namesByPassword(key, line) || keepsElsewhere(key, line))
      found.push({ key });
    else if (PROGRAMS.test(key) || isUpdate(key, line)) found.push({ key, starts: true });
  }
  return found;
}

/** A value that means what is written. */
const WORK_TREE = /^\w+\s*=\s*([\w./-]+(?: [\w./-]+)*)$/;

function isHarmless(section: string, name: string): boolean {
  const [first = ''] = section.split('.', 1);
  const names = Object.hasOwn(HARMLESS, first) ? HARMLESS[first] : undefined;
  return names === '*' || (names ?? '').split(/\s+/).includes(name);
}

/**
 * Settings that neither name a program nor a file to read, by section; `*`: all of them. Some name a
 * program that no reading command starts, such as hooks and credential helpers.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  core: `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf
    abbrev quotepath trustctime checkstat untrackedcache preloadindex sharedrepository bigfilethreshold compression
    longpaths protecthfs protectntfs commentchar whitespace commitgraph multipackindex hookspath editor sshcommand`,
  extensions: 'objectformat worktreeconfig refstorage relativeworktrees',
  remote:
    'url pushurl fetch push tagopt mirror prune prunetags skipdefaultupdate gh-resolved followremotehead',
  branch: '*',
  user: '*',
  author: '*',
  committer: '*',
  color: '*',
  column: '*',
  advice: '*',
  credential: '*',
  http: '*',
  url: '*',
  init: 'defaultbranch',
  submodule: 'url active update branch ignore shallow fetchrecursesubmodules',
  pull: '*',
  push: '*',
  fetch: '*',
  merge: 'conflictstyle ff renames log',
  rebase: '*',
  commit: 'gpgsign verbose status',
  tag: 'gpgsign sort',
  gpg: 'format',
  log: 'date decorate abbrevcommit follow',
  diff: 'renames algorithm colormoved mnemonicprefix noprefix context',
  status: 'short branch showuntrackedfiles relativepaths',
  gc: '*',
  pack: '*',
  maintenance: '*',
  rerere: '*',
  lfs: 'access repositoryformatversion',
  gitflow: '*',
};
