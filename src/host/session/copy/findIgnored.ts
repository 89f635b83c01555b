import { readRegularText } from '../../../base/disk/readRegular.ts';
import { KB } from '../../../base/units.ts';
import type { GitAnswer, ReadGit } from '../../../permissions/rules/policy.ts';
import type { CopyChange } from '../../../runtime/sandbox/changes/changes.ts';

/**
 * The changes of files that git ignores, such as what a build writes, or would ignore once they were in the workspace: a new
 * folder that ignores itself, as caches of tools do. So do new caches of known names. Without git, outside of a repository,
 * or where git can't tell, nothing else counts as ignored.
 */
export async function findIgnored(
  changes: readonly CopyChange[],
  readGit: ReadGit,
  signal: AbortSignal,
): Promise<ReadonlySet<CopyChange>> {
  const ignored = new Set<CopyChange>();
  const folders = new Set(changes.map(({ folder }) => folder));
  for (const folder of folders) {
    const own = changes.filter((change) => change.folder === folder && change.isUtf8);
    // Git never reports a tracked file as ignored. Everything below an ignored folder is ignored too.
    const git = openGit(folder, readGit, signal);
    const below = await findSelfIgnoring(own, git);
    for (const each of own) if (isNewCache(each)) below.add(each.path);
    for (const level of toLevels(own)) {
      const open = level.filter((change) => {
        if (!below.has(change.path) && !isBelow(change.path, below)) return true;
        ignored.add(change);
        return false;
      });
      const names = await askGit(open, git);
      for (const change of open) {
        if (!names.has(toName(change))) continue;
        ignored.add(change);
        if (change.kind === 'folder') below.add(change.path);
      }
    }
  }
  return ignored;
}

/** The new folders whose own new `.gitignore` ignores all that is in them. None outside of a repository. */
async function findSelfIgnoring(changes: readonly CopyChange[], git: Git): Promise<Set<string>> {
  const isNew = ({ type, kind }: CopyChange, wanted: CopyChange['kind']) =>
    type === 'added' && kind === wanted;
  const made = new Set(changes.filter((each) => isNew(each, 'folder')).map(({ path }) => path));
  const found = changes
    .filter((each) => isNew(each, 'file') && each.path.endsWith(IGNORE_FILE))
    .filter(({ path }) => made.has(path.slice(0, -IGNORE_FILE.length)))
    .filter(({ copy }) => ignoresAll(copy.toString('utf8')))
    .map(({ path }) => path.slice(0, -IGNORE_FILE.length));
  return new Set(found.length > 0 && (await git.hasRepository()) ? found : []);
}

/** Nobody reads them but the tools that make them anew. */
const CACHES = /(?:^|\/)(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|\.hypothesis|\.benchmarks)$/;

function isNewCache({ type, kind, path }: CopyChange): boolean {
  return type === 'added' && kind === 'folder' && CACHES.test(path);
}

const IGNORE_FILE = '/.gitignore';

function ignoresAll(file: string): boolean {
  const read = readRegularText(file, KB);
  if (read.state !== 'read') return false;
  const lines = read.text.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
  return lines.length > 0 && lines.every((line) => line === '*');
}

/** The changes by the depth of their paths. */
function toLevels(changes: readonly CopyChange[]): readonly (readonly CopyChange[])[] {
  const levels: CopyChange[][] = [];
  for (const change of changes) {
    const depth = change.path.split('/').length;
    const level = levels[depth] ?? [];
    level.push(change);
    levels[depth] = level;
  }
  return levels.filter((level) => level !== undefined);
}

function isBelow(file: string, folders: ReadonlySet<string>): boolean {
  for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
    if (folders.has(file.slice(0, at))) return true;
  }
  return false;
}

/** A pattern such as `build/` only matches folders, which need not exist in the workspace. */
function toName({ path, kind }: CopyChange): string {
  return kind === 'folder' ? `${path}/` : path;
}

/** Git in one workspace folder. */
interface Git {
  ask(words: readonly string[]): Promise<GitAnswer | undefined>;
  /** Looks once. */
  hasRepository(): Promise<boolean>;
}

function openGit(folder: string, readGit: ReadGit, signal: AbortSignal): Git {
  const ask = (words: readonly string[]) => readGit(folder, words, signal);
  let inside: Promise<boolean> | undefined;
  const look = async () => (await ask(['rev-parse', '--is-inside-work-tree']))?.exitCode === 0;
  return {
    ask,
    hasRepository() {
      inside ??= look();
      return inside;
    },
  };
}

async function askGit(changes: readonly CopyChange[], git: Git): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const groups = [...toLines(changes.map(toName))];
  let left = groups.length + MOST_RETRIES;
  for (let names = groups.pop(); names !== undefined && left > 0; names = groups.pop()) {
    left -= 1;
    const words = ['-c', 'core.quotePath=false', 'check-ignore', '--', ...names.map(toWord)];
    const answer = await git.ask(words);
    if (answer?.exitCode === FATAL && !(await git.hasRepository())) break;
    for (const line of answer?.exitCode === 0 ? answer.output.split('\n') : []) {
      found.add(parseName(line));
    }
    // One name, such as one in a submodule, keeps git from telling about any of them.
    if (answer?.exitCode === FATAL && names.length > 1 && left > groups.length + 1) {
      const half = Math.ceil(names.length / 2);
      groups.push(names.slice(half), names.slice(0, half));
    }
  }
  return found;
}

const FATAL = 128;
/** Programs that are started beyond the usual ones to find names that git can't tell about. */
const MOST_RETRIES = 64;

/** A colon at its start would begin a pattern. */
function toWord(name: string): string {
  return name.startsWith(':') ? `./${name}` : name;
}

/** A name as git prints it: in quotation marks, as in C, if it has such or control characters. */
function parseName(line: string): string {
  const name = line.startsWith('"')
    ? line.slice(1, -1).replaceAll(/\\(?:([0-7]{3})|(.))/g, (_, octal, char) => {
        return octal ? String.fromCharCode(Number.parseInt(octal, 8)) : (ESCAPED[char] ?? char);
      })
    : line;
  return name.startsWith('./:') ? name.slice(2) : name;
}

const ESCAPED: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

/** The names in groups that fit on a command line each. */
function toLines(names: readonly string[]): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let room = 0;
  for (const name of names) {
    room -= Buffer.byteLength(name) + 1;
    if (room < 0) {
      lines.push([]);
      room = LINE_BYTES - Buffer.byteLength(name) - 1;
    }
    lines.at(-1)?.push(name);
  }
  return lines;
}

/** Systems allow at least 1 MB for all arguments and the environment. */
const LINE_BYTES = 100_000;
