import type { ReadGit } from '../../../permissions/rules/policy.ts';
import type { CopyChange } from '../../../runtime/sandbox/changes/changes.ts';

/**
 * The changes of files that git ignores, such as what a build writes. Without git, outside of a repository,
 * or where git can't tell, nothing counts as ignored.
 */
export async function findIgnored(
  changes: readonly CopyChange[],
  readGit: ReadGit | undefined,
  signal: AbortSignal,
): Promise<ReadonlySet<CopyChange>> {
  const ignored = new Set<CopyChange>();
  if (readGit === undefined) return ignored;
  const folders = new Set(changes.map(({ folder }) => folder));
  for (const folder of folders) {
    const own = changes.filter((change) => change.folder === folder && change.isUtf8);
    // Git never reports a tracked file as ignored. Everything below an ignored folder is ignored too.
    const below = new Set<string>();
    for (const level of toLevels(own)) {
      const open = level.filter((change) => {
        if (!isBelow(change.path, below)) return true;
        ignored.add(change);
        return false;
      });
      const names = await askGit(folder, open, readGit, signal);
      for (const change of open) {
        if (!names.has(toName(change))) continue;
        ignored.add(change);
        if (change.kind === 'folder') below.add(change.path);
      }
    }
  }
  return ignored;
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

async function askGit(
  folder: string,
  changes: readonly CopyChange[],
  readGit: ReadGit,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const names of toLines(changes.map(toName))) {
    // Git quotes names with quotation marks and control characters, so those don't count as ignored.
    const words = ['-c', 'core.quotePath=false', 'check-ignore', '--', ...names];
    const answer = await readGit(folder, words, signal);
    for (const name of answer?.exitCode === 0 ? answer.output.split('\n') : []) found.add(name);
  }
  return found;
}

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
