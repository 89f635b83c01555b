import { lstatSync, mkdirSync, realpathSync, renameSync, rmdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isInFolder } from '../../base/disk/insideFolder.ts';
import { toOwnFolder } from '../../base/disk/ownFolder.ts';
import { getCode, getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { GB, MB } from '../../base/units.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import type { Journal } from '../files/journal.ts';
import { findRealPath } from '../files/realPath.ts';
import { findAddresses, type NetHooks } from '../net/net.ts';
import { parseTarget } from '../net/netTarget.ts';
import type { Clone, CloneRequest, Repositories } from '../repositories.ts';
import type { Gate } from '../runtime.ts';
import { type GitProgram, openGit } from './gitProgram.ts';
import { readTree, staysInside, type Tree } from './readTree.ts';
import { watchSize } from './watchSize.ts';

export interface CloneParts {
  readonly gate: Gate;
  readonly journal: Pick<Journal, 'noteFolder' | 'noteFolders'>;
  readonly folders: PolicyFolders;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly hooks: NetHooks;
  /** Replaced by tests. */
  readonly limits?: CloneLimits;
}

export interface CloneLimits {
  /** Of what is fetched, and of the files. */
  readonly bytes: number;
  readonly files: number;
}

const LIMITS: CloneLimits = { bytes: GB, files: 50_000 };

/** Clones with the git of the system, to a host whose addresses the gate let through. */
export function createRepositories(parts: CloneParts): Repositories {
  return { clone: (request) => clone(parts, request) };
}

async function clone(parts: CloneParts, request: CloneRequest): Promise<Outcome<Clone>> {
  const { gate, folders, env, signal, hooks } = parts;
  const target = parseTarget(request.url);
  if (!target.ok) return target;
  const url = target.data;
  const folder = await admitFolder(parts, request.path);
  if (!folder.ok) return folder;
  const host = await gate.authorize({ capability: 'net.fetch', target: url.href });
  if (!host.ok) return host;
  const addresses = await findAddresses({ gate, hooks }, {}, url);
  if (!addresses.ok) return addresses;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const all = addresses.data.map(({ address, family }) =>
    family === 6 ? `[${address}]` : address,
  );
  const resolve = `${url.hostname}:${port}:${all.join(',')}`;
  const made = makeFolder(parts.journal, folder.data);
  if (!made.ok) return made;
  const { own } = made.data;
  try {
    const opened = await openGit(folders.workspace, env, { cwd: own, resolve }, signal);
    const filled = opened.ok
      ? await fill(parts, { git: opened.data, url, own, folder: folder.data, request })
      : opened;
    const cloned = filled.ok ? giveName(filled.data, own, folder.data) : filled;
    if (!cloned.ok) await made.data.remove();
    return cloned.ok ? cloned : failure(`${cloned.error} Nothing was kept of the clone.`);
  } catch (fault) {
    await made.data.remove();
    throw fault;
  } finally {
    await made.data.done();
  }
}

/** The real path of the new folder, if it may be written. */
async function admitFolder(
  { gate, folders }: Pick<CloneParts, 'gate' | 'folders'>,
  written: string,
): Promise<Outcome<string>> {
  const real = findRealPath({ gate, folders }, written);
  if (!real.ok) return real;
  const folder = real.data;
  const authorized = await gate.authorize({ capability: 'fs.write', target: folder });
  if (!authorized.ok) return authorized;
  const fault = findFolderFault(folder, folders);
  if (fault !== undefined) return failure(`${fault} Choose another path.`);
  const exists = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  return exists
    ? failure(`${written} exists already. Choose another path; nothing is cloned into it.`)
    : success(folder);
}

function findFolderFault(folder: string, { workspace, cwd }: PolicyFolders): string | undefined {
  const root = [...workspace, cwd].find((each) => isInFolder(folder, each));
  if (root === undefined) return `${folder} is outside of the workspace.`;
  // Programs look into such folders for what they run.
  const below = path.relative(root, folder).split(path.sep);
  const hidden = below.find((part) => part.startsWith('.'));
  return hidden && `Nothing is cloned into a folder that begins with a dot (${hidden}).`;
}

interface MadeFolder {
  /** The folder that is filled, beside the one that it becomes. Absolute. */
  readonly own: string;
  /** Removes it and the folders above it that were made for it. */
  remove(): Promise<void>;
  /** A killed process leaves nothing to be removed from now on. */
  done(): Promise<void>;
}

/** Half a clone must not pass for a repository, also after the host was killed: it gets its name at the end. */
function makeFolder(journal: CloneParts['journal'], folder: string): Outcome<MadeFolder> {
  const own = toOwnFolder(folder);
  const missing = findMissing(path.dirname(folder));
  const parents = missing.length > 0 ? journal.noteFolders(own, missing) : undefined;
  if (parents?.ok === false) return parents;
  const entry = journal.noteFolder(own);
  const done = async () => {
    if (entry.ok) await entry.data.done();
    if (parents?.ok) await parents.data.done();
  };
  const remove = () => removeMade(own, missing);
  if (!entry.ok) return entry;
  try {
    mkdirSync(own, { recursive: true });
    if (realpathSync(own) === own) return success({ own, remove, done });
    void remove().then(done);
    return failure(`${folder} leads elsewhere than when the call was evaluated.`);
  } catch (fault) {
    void done();
    return failure(`The folder could not be made: ${getMessage(fault)}.`);
  }
}

async function removeMade(own: string, parents: readonly string[]): Promise<void> {
  await rm(own, { recursive: true, force: true, maxRetries: 3 });
  try {
    for (const folder of parents) rmdirSync(folder);
  } catch (fault) {
    // Someone else has put something into it.
    if (getCode(fault) === undefined) throw fault;
  }
}

/** The folders that do not exist, innermost first. */
function findMissing(folder: string): readonly string[] {
  const exists = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  return exists ? [] : [folder, ...findMissing(path.dirname(folder))];
}

function giveName(cloned: Clone, own: string, folder: string): Outcome<Clone> {
  try {
    // An empty folder could be replaced.
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) {
      return failure(`${folder} was made meanwhile.`);
    }
    renameSync(own, folder);
    return success({ ...cloned, path: folder });
  } catch (fault) {
    return failure(`The folder could not get its name: ${getMessage(fault)}.`);
  }
}

interface Filling {
  readonly git: GitProgram;
  readonly url: URL;
  readonly own: string;
  /** What it becomes. */
  readonly folder: string;
  readonly request: CloneRequest;
}

/** Fetches, looks at what it is, and only then writes its files. */
async function fill(
  parts: CloneParts,
  { git, url, own: at, folder, request: { ref, depth } }: Filling,
): Promise<Outcome<Clone>> {
  const { signal, limits = LIMITS } = parts;
  const size = watchSize(at, limits.bytes);
  const branch = ref === undefined ? [] : [`--branch=${ref}`];
  const fetched = await git.run({
    args: [
      ...['clone', '--quiet', '--no-checkout', '--no-recurse-submodules', '--template='],
      ...['--no-local', '--single-branch', '--no-tags', `--depth=${depth}`, ...branch],
      ...['--', url.href, at],
    ],
    signal,
    watch: size.watch,
  });
  size.stop();
  if (size.isOver()) return failure(`It is larger than ${limits.bytes / MB} MB.`);
  if (!fetched.ok) return failure(explain(fetched.error));
  const own = [`--git-dir=${path.join(at, '.git')}`, `--work-tree=${at}`];
  const run = (...args: readonly string[]) => git.run({ args: [...own, ...args], signal });
  const head = await run('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (!head.ok) {
    return success({ path: folder, files: 0, bytes: 0, submodules: [], outsideLinks: [] });
  }
  const tree = await checkTree(parts, folder, run);
  if (!tree.ok) return tree;
  const outsideLinks = await findOutsideLinks(tree.data, run);
  if (!outsideLinks.ok) return outsideLinks;
  if (outsideLinks.data.length > 0) {
    const set = await run('config', 'core.symlinks', 'false');
    if (!set.ok) return set;
  }
  const written = await run('checkout', '--quiet', '--force', '--no-guess', 'HEAD', '--');
  if (!written.ok) return written;
  const { files, bytes, submodules } = tree.data;
  const commit = head.data.trim();
  const found = { submodules, outsideLinks: outsideLinks.data };
  return success({ path: folder, commit, files: files.length, bytes, ...found });
}

type Run = (...args: readonly string[]) => Promise<Outcome<string>>;

/** What the commit holds, if all of it may be written. */
async function checkTree(
  { gate, signal, limits = LIMITS }: CloneParts,
  folder: string,
  run: Run,
): Promise<Outcome<Tree>> {
  const listed = await run('ls-tree', '-r', '-l', '-z', '--full-tree', 'HEAD');
  if (!listed.ok) return listed;
  const tree = readTree(listed.data);
  if (!tree.ok) return tree;
  const { files, bytes } = tree.data;
  if (files.length > limits.files) return failure(`It has more than ${limits.files} files.`);
  if (bytes > limits.bytes) return failure(`Its files are larger than ${limits.bytes / MB} MB.`);
  for (const [at, file] of files.entries()) {
    // Evaluating is synchronous in effect, and there may be many files.
    if (at % 200 === 199) await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    const target = path.join(folder, file);
    const authorized = await gate.authorize({ capability: 'fs.write', target });
    if (!authorized.ok)
      return failure(`It has a file that may not be written. ${authorized.error}`);
  }
  return tree;
}

/** A link's target is longer only if it is an attack. */
const MOST_LINKS = 2000;

async function findOutsideLinks({ links }: Tree, run: Run): Promise<Outcome<readonly string[]>> {
  if (links.length > MOST_LINKS) return failure(`It has more than ${MOST_LINKS} links.`);
  const outside: string[] = [];
  for (const { path: link, id } of links) {
    const target = await run('cat-file', 'blob', id);
    if (!target.ok) return target;
    if (!staysInside(link, target.data)) outside.push(link);
  }
  return success(outside);
}

/** Git's words, with what to do. */
function explain(words: string): string {
  if (/terminal prompts disabled|Authentication failed|error: 40[13]/.test(words)) {
    return 'The host wants a sign-in, and none is used here. Ask the user to clone it.';
  }
  if (/error: 30\d/.test(words)) {
    return 'The host redirects to another address. Use that one, if you know it.';
  }
  return `It could not be cloned: ${words}`;
}
