import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { isInFolder } from '../../base/disk/insideFolder.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { GB, MB } from '../../base/units.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
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
  const made = makeFolder(folder.data);
  if (!made.ok) return made;
  try {
    const opened = await openGit(folders.workspace, env, { cwd: folder.data, resolve }, signal);
    const cloned = opened.ok
      ? await fill(parts, { git: opened.data, url, folder: folder.data, request })
      : opened;
    if (!cloned.ok) await remove(made.data);
    return cloned.ok ? cloned : failure(`${cloned.error} Nothing was kept of the clone.`);
  } catch (fault) {
    await remove(made.data);
    throw fault;
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

/** Makes the folder and those above it. Returns the first one that was made. */
function makeFolder(folder: string): Outcome<string> {
  try {
    const parent = path.dirname(folder);
    const first = mkdirSync(parent, { recursive: true }) ?? folder;
    // Fails if it exists by now, also as a link.
    mkdirSync(folder);
    if (realpathSync(folder) === folder) return success(first);
    return failure(`${folder} leads elsewhere than when the call was evaluated.`);
  } catch (fault) {
    return failure(`The folder could not be made: ${getMessage(fault)}.`);
  }
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

interface Filling {
  readonly git: GitProgram;
  readonly url: URL;
  readonly folder: string;
  readonly request: CloneRequest;
}

/** Fetches, looks at what it is, and only then writes its files. */
async function fill(
  parts: CloneParts,
  { git, url, folder, request: { ref, depth } }: Filling,
): Promise<Outcome<Clone>> {
  const { signal, limits = LIMITS } = parts;
  const size = watchSize(folder, limits.bytes);
  const branch = ref === undefined ? [] : [`--branch=${ref}`];
  const fetched = await git.run({
    args: [
      ...['clone', '--quiet', '--no-checkout', '--no-recurse-submodules', '--template='],
      ...['--no-local', '--single-branch', '--no-tags', `--depth=${depth}`, ...branch],
      ...['--', url.href, folder],
    ],
    signal,
    watch: size.watch,
  });
  size.stop();
  if (size.isOver()) return failure(`It is larger than ${limits.bytes / MB} MB.`);
  if (!fetched.ok) return failure(explain(fetched.error));
  const own = [`--git-dir=${path.join(folder, '.git')}`, `--work-tree=${folder}`];
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
