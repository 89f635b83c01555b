import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { identifyFile } from '../../../base/disk/fileNames.ts';
import { ODD } from '../../../base/disk/oddNames.ts';
import { readRegular } from '../../../base/disk/readRegular.ts';
import { leadOutside } from './outsidePath.ts';
import { isWithin } from './toolFolders.ts';

/**
 * The repositories of workspace folders that are git worktrees: their `.git` is a file that names a folder
 * elsewhere. Only a folder that names the worktree in return counts, because the workspace's own files
 * could name any.
 */
export function findRepositories(workspace: readonly string[], home: string): readonly string[] {
  const homes = [home, leadOutside(home, []) ?? home];
  // A workspace folder of the name "worktrees" holds a folder that may name it, and lies in the user's folders.
  const isApart = (repository: string) =>
    !homes.some((each) => isWithin(each, repository)) &&
    !workspace.some((root) => isWithin(root, repository) || isWithin(repository, root));
  return workspace.flatMap((root) => findRepository(root) ?? []).filter(isApart);
}

function findRepository(root: string): string | undefined {
  const own = path.join(root, '.git');
  try {
    const named = readNamed(own, GIT_FILE);
    if (named === undefined) return undefined;
    const folder = realpathSync(path.resolve(root, named));
    const back = path.resolve(folder, readNamed(path.join(folder, 'gitdir')) ?? '');
    const worktrees = path.dirname(folder);
    if (realpathSync(back) !== realpathSync(own) || path.basename(worktrees) !== 'worktrees')
      return undefined;
    return path.dirname(worktrees);
  } catch {
    // No worktree: `.git` is a folder, or there is none.
    return undefined;
  }
}

/**
 * What belongs to a repository of a workspace folder besides its `.git`, and lies in one too: the folder that a `.git`
 * file names, such as that of `git init --separate-git-dir`; the one that a worktree's shares with others, which may be
 * a bare one; what links in these lead to, such as hooks; and the folder of hooks and the files that its configuration
 * names. Or why this can't be kept as it is.
 */
export function findParts(
  git: string,
  workspace: readonly string[],
  noted: NotedParts,
): readonly string[] | string {
  try {
    return new Parts(git, workspace, noted).find();
  } catch (fault) {
    if (fault instanceof Unkept) return fault.message;
    throw fault;
  }
}

/** What is found besides. */
export interface NotedParts {
  /** The ids of hooks and configurations that have other names. */
  readonly linked: Set<string>;
  /** Workspace folders in which a repository names something that isn't there: nothing may be made in one. */
  readonly closed: Set<string>;
  /** What a repository names and isn't there. */
  readonly missing?: Set<string>;
}

class Parts {
  readonly #found = new Set<string>();
  readonly #read = new Set<string>();
  /** The folders that a relative folder of hooks may lie in. */
  readonly #trees = new Set<string>();
  /** As they are written. */
  readonly #hooks = new Set<string>();
  readonly #git: string;
  readonly #workspace: readonly string[];
  readonly #noted: NotedParts;

  constructor(git: string, workspace: readonly string[], noted: NotedParts) {
    this.#git = git;
    this.#workspace = workspace;
    this.#noted = noted;
  }

  find(): readonly string[] {
    const git = this.#git;
    const tree = path.dirname(git);
    this.#trees.add(tree);
    const own = isFolder(git) ? git : this.#add(tree, readNamed(git, GIT_FILE));
    if (own === undefined) return [...this.#found];
    const shared = this.#add(own, readNamed(path.join(own, 'commondir')));
    for (const folder of new Set([own, shared ?? own])) {
      for (const name of CONFIGURATIONS) this.#addNamed(path.join(folder, name), folder);
      this.#addHooks(path.join(folder, 'hooks'));
      this.#addLinks(folder);
    }
    for (const file of listUserSettings()) {
      this.#add('/', file);
      this.#addNamed(file, own);
    }
    for (const tree of this.#trees)
      for (const named of this.#hooks) this.#addNamedHooks(tree, named);
    return [...this.#found];
  }

  #addNamedHooks(tree: string, named: string): void {
    const hooks = this.#add(tree, named);
    if (hooks !== undefined) this.#addHooks(hooks);
  }

  #add(from: string, named: string | undefined): string | undefined {
    if (named === undefined) return undefined;
    const written = path.resolve(from, named);
    const isWritten = this.#isBelow(written);
    const file = toReal(written);
    if (file === undefined) return isWritten ? this.#addMissing(written) : undefined;
    // A program could put another in the place of a link on the way.
    if (file !== written && isWritten) throw new Unkept('names a link');
    if (this.#workspace.includes(file)) throw new Unkept('names the workspace folder itself');
    if (!this.#isBelow(file)) return undefined;
    if (!isWithin(file, this.#git)) this.#found.add(file);
    return file;
  }

  /** Whoever makes it decides what git does, so nothing can be made there. */
  #addMissing(written: string): undefined {
    this.#noted.missing?.add(written);
    let above = written;
    for (; toReal(above) === undefined; above = path.dirname(above)) {
      // One that leads nowhere yet.
      if (lstatSync(above, { throwIfNoEntry: false }) !== undefined)
        throw new Unkept('names a link');
    }
    const isNested = this.#workspace.some((root) => root !== above && isWithin(root, above));
    if (this.#isBelow(above)) this.#add(above, '.');
    else if (isNested) throw new Unkept(`names ${written}, which doesn't exist (${MISSING})`);
    else this.#noted.closed.add(above);
  }

  #addLinks(folder: string): void {
    for (const name of listLinks(folder)) this.#add(folder, readlinkSync(path.join(folder, name)));
  }

  #addHooks(folder: string): void {
    this.#addLinks(folder);
    for (const name of list(folder)) this.#noteOtherNames(path.join(folder, name));
  }

  /** What a configuration names, and those that it includes, whatever the condition. */
  #addNamed(file: string, git: string): void {
    if (this.#read.has(file) || this.#read.size === MOST_CONFIGURATIONS) return;
    this.#read.add(file);
    this.#noteOtherNames(file);
    for (const { key, value } of readSettings(file)) {
      if (value === '' || !NAMES.test(key)) continue;
      if (value.includes(ODD)) throw new Unkept(NOT_UTF8);
      const named = value.replace(/^~(?=\/)/, homedir());
      if (HOOKS.test(key)) this.#hooks.add(named);
      else if (TREE.test(key)) this.#trees.add(path.resolve(git, named));
      else {
        this.#add(path.dirname(file), named);
        this.#addNamed(path.resolve(path.dirname(file), named), git);
      }
    }
  }

  /** A program could write it by its other name. */
  #noteOtherNames(file: string): void {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isFile() && stats.nlink > 1) this.#noted.linked.add(identifyFile(stats));
  }

  #isBelow(file: string): boolean {
    return this.#workspace.some((root) => file !== root && isWithin(file, root));
  }
}

/** What git reads for every repository: the user's settings, which may lie in a workspace or name hooks there, and the system's. */
function listUserSettings(): readonly string[] {
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME } = process.env;
  const home = homedir();
  const own = [
    path.join(home, '.gitconfig'),
    path.join(XDG_CONFIG_HOME || path.join(home, '.config'), 'git/config'),
  ];
  const named = GIT_CONFIG_GLOBAL ? [GIT_CONFIG_GLOBAL] : own;
  return [...named, GIT_CONFIG_SYSTEM || '/etc/gitconfig'].filter((file) => path.isAbsolute(file));
}

const CONFIGURATIONS = ['config', 'config.worktree'];
/** Git itself follows ten levels of includes. */
const MOST_CONFIGURATIONS = 100;
const HOOKS = /^core\.hookspath$/;
/** The files of the repository, if they don't lie beside its `.git`. */
const TREE = /^core\.worktree$/;
const INCLUDES = /^include(?:if)?\.path$/;
const NAMES = new RegExp([HOOKS, TREE, INCLUDES].map(({ source }) => source).join('|'));

/** Section, without its second part, and name in lower case, with the value. */
function readSettings(file: string): readonly { readonly key: string; readonly value: string }[] {
  const read = readRegular(file);
  if (read.state !== 'read') return [];
  let section = '';
  const text = read.bytes.toString();
  return text
    .replaceAll(/^(?![ \t]*[#;])(.*)\\\r?\n/gm, '$1')
    .split(/\r?\n/)
    .flatMap((raw) => {
      const head = /^\s*\[\s*([\w.-]+)(?![\w.-])[^\]"]*(?:"(?:[^"\\]|\\.)*"\s*)?\]/.exec(raw);
      section = head?.[1]?.toLowerCase() ?? section;
      const line = /^\s*([\w-]+)\s*=\s*(.*)$/.exec(raw.slice(head?.[0].length ?? 0));
      if (line === null) return [];
      const [, name = '', value = ''] = line;
      return [{ key: `${section}.${name.toLowerCase()}`, value: parseValue(value) }];
    });
}

/** Without quotation marks and the comment behind it. */
function parseValue(written: string): string {
  const parts = written.match(/"(?:[^"\\]|\\.)*"|\\.|[^"\\#;]+|[#;].*/g) ?? [];
  const kept = parts.filter((part) => !/^[#;]/.test(part));
  const bare = kept.map((part) => (part.startsWith('"') ? part.slice(1, -1) : part)).join('');
  return bare.replaceAll(/\\(.)/g, '$1').trim();
}

class Unkept extends Error {}

const MISSING = 'create it, or remove the setting or link that names it';
const NOT_UTF8 = 'names a folder whose name is not UTF-8';

/** What the file of a worktree begins with. */
const GIT_FILE = 'gitdir: ';

/**
 * What a file of git names after this, as git reads it: up to a NUL, without the ends of lines at its end. Undefined: it is
 * no file, as whoever writes in the workspace could put a FIFO there, or has another start.
 */
function readNamed(file: string, start = ''): string | undefined {
  const read = readRegular(file);
  if (read.state !== 'read' || !read.bytes.subarray(0, start.length).equals(Buffer.from(start))) {
    return undefined;
  }
  const [named = ''] = read.bytes.toString('latin1', start.length).split('\0', 1);
  const bytes = Buffer.from(named.replace(/[\r\n]+$/, ''), 'latin1');
  if (!isUtf8(bytes)) throw new Unkept(NOT_UTF8);
  return bytes.toString();
}

/** The links that lie directly in a folder. */
function listLinks(folder: string): readonly string[] {
  return list(folder).filter((name) =>
    lstatSync(path.join(folder, name), {
      throwIfNoEntry: false,
    })?.isSymbolicLink(),
  );
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is none, or nobody can look.
    return [];
  }
}

/** Undefined: nothing is there. */
function toReal(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
}
