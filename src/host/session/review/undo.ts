import type { ResolveResult } from '../../../acp/gatehouse/pending.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import { type FileVersions, findUnreviewed, undoHunks } from '../../../diff/unreviewed.ts';
import { isKept } from '../../../recorder/entries.ts';
import type { Entries } from '../../../runtime/entries.ts';
import type { FileSystem, Runtime } from '../../../runtime/runtime.ts';
import { NO_FILE } from '../../../tools/applyChanges.ts';
import { describeEntries } from './describeEntries.ts';
import type { UndoneFile } from './outcome.ts';
import { passUserWrite, type UserOperation, writeBack } from './revert.ts';
import { findChanged, joinEntries } from './undoEntries.ts';
import type { Resolved } from './unreviewedChanges.ts';

export interface UndoParts extends Omit<UserOperation, 'changes'> {
  readonly files: readonly Resolved[];
  /** The same with the folders that have to be there again before. */
  withFolders(files: readonly Resolved[]): readonly Resolved[];
  /** Writes nothing: only what is out of the files already counts as undone. */
  readonly byHand: boolean;
}

/** What undoing hunks did. */
export interface UndoneChanges {
  /** The files that were written. */
  readonly changes: readonly FileChange[];
  /** Everything that was changed back. */
  readonly files: readonly string[];
  readonly conflicts: ResolveResult['conflicts'];
  /** What is no text and was changed since. */
  readonly changed: readonly string[];
  /** Of each file, what is left of its text to review; undefined: it has none. Empty with conflicts. */
  readonly left: readonly Left[];
  /** Why the rest could not be changed back, for the user. */
  readonly failed?: string;
}

type Left = readonly [Resolved, FileVersions | undefined];

/**
 * Takes unreviewed hunks out of their files and keeps what came after them; what is no text becomes again what it was.
 * All texts are written or none, and with a conflict nothing is. Files whose old content is not kept stay as they are. Fails with a message for the user when a rule denies
 * it or nothing could be changed back.
 */
export async function undoChanges(parts: UndoParts): Promise<Outcome<UndoneChanges>> {
  const { byHand, withFolders } = parts;
  const all = byHand ? parts.files : withFolders(parts.files);
  const admitted = await passUserWrite(
    parts,
    all.map(({ file }) => file.path),
  );
  if (!admitted.ok) return admitted;
  const runtime = parts.runtime(admitted.data);
  const lost = byHand ? [] : parts.files.filter((each) => isLost(each, runtime.entries));
  const kept = parts.files.filter((each) => !lost.includes(each));
  if (lost.length > 0 && kept.length === 0) return failure(toLost(lost));
  return undoKept({ ...parts, files: byHand ? kept : withFolders(kept) }, runtime, lost);
}

async function undoKept(
  parts: Omit<UndoParts, 'withFolders'>,
  runtime: Runtime,
  lost: readonly Resolved[],
): Promise<Outcome<UndoneChanges>> {
  const paths = parts.files.map(({ file }) => file.path);
  const texts = await undoTexts(parts, runtime.fs);
  if (!texts.ok) return texts;
  const { changes, conflicts, left } = texts.data;
  const entries = parts.byHand
    ? []
    : joinEntries(parts.files.flatMap((each) => each.entries).sort((a, b) => a.id - b.id));
  const removed = changes.filter(({ newText }) => newText === undefined);
  const changed = findChanged(
    entries,
    removed.map((each) => each.path),
    runtime.entries,
  );
  if (!changed.ok) return changed;
  if (conflicts.length + changed.data.length > 0) {
    return success({ changes: [], files: [], conflicts, changed: changed.data, left: [] });
  }
  const done = new Set<string>();
  const written = await writeBack(changes, entries, runtime, done);
  if (!written.ok && done.size === 0) return written;
  const files = paths.filter((each) => done.has(each));
  const failed = [
    ...(written.ok ? [] : [written.error]),
    ...(lost.length > 0 ? [toLost(lost)] : []),
    ...(files.length > 0
      ? [`${written.ok ? 'Undone' : 'Already undone'}: ${files.join(', ')}.`]
      : []),
  ];
  return success({
    ...{ files, conflicts, changed: [] },
    changes: changes.filter((each) => written.ok || done.has(each.path)),
    left: left.filter(([{ file }]) => written.ok || done.has(file.path)),
    ...((!written.ok || lost.length > 0) && { failed: failed.join(' ') }),
  });
}

/** Whether something else is there than before, and the content that was is not kept. */
function isLost({ entries }: Resolved, runtime: Entries): boolean {
  return joinEntries(entries).some((each) => !isKept(each) && runtime.toUndoing(each) === 'lost');
}

function toLost(lost: readonly Resolved[]): string {
  const names = lost.map(({ file }) => file.path).join(', ');
  return `The old content of ${names} was too large to be kept, or made room for that of newer changes, so it was not undone.`;
}

async function undoTexts(
  { files, byHand }: Pick<UndoParts, 'files' | 'byHand'>,
  fs: FileSystem,
): Promise<Outcome<Pick<UndoneChanges, 'changes' | 'conflicts' | 'left'>>> {
  const changes: FileChange[] = [];
  const conflicts: string[] = [];
  const left: Left[] = [];
  for (const resolved of files) {
    if (resolved.hunks.size === 0) {
      if (!byHand) left.push([resolved, undefined]);
      continue;
    }
    const undone = await undoOne(resolved, fs);
    if (!undone.ok) return undone;
    if (byHand && (undone.data === 'conflict' || undone.data.change)) continue;
    if (undone.data === 'conflict') conflicts.push(resolved.file.path);
    else {
      left.push([byHand ? { ...resolved, entries: [] } : resolved, undone.data.left]);
      if (undone.data.change) changes.push(undone.data.change);
    }
  }
  return success({ changes, conflicts, left });
}

interface UndoneOne {
  readonly left: FileVersions;
  /** Absent: the file doesn't have the hunks any more. */
  readonly change?: FileChange;
}

async function undoOne(
  { file: stored, hunks }: Resolved,
  fs: FileSystem,
): Promise<Outcome<UndoneOne | 'conflict'>> {
  const { path } = stored;
  const read = await fs.readForChange(path);
  if (!read.ok) return read;
  using file = read.data;
  const oldText = file?.utf8.toString('utf8');
  const undone = undoHunks(stored, hunks, oldText);
  if (undone === 'conflict') return success(undone);
  const { text: newText, left } = undone;
  if (newText === oldText) return success({ left });
  const change: FileChange = {
    ...{ path, beforeHash: file?.hash() ?? NO_FILE },
    ...(oldText !== undefined && { oldText }),
    ...(newText !== undefined && { newText }),
  };
  return success({ left, change });
}

/** The undone hunks for the model. */
export function toUndoneFile({ file, hunks, entries }: Resolved): UndoneFile {
  const entry = hunks.size === 0 ? describeEntries(entries) : undefined;
  if (entry !== undefined) return { path: file.path, hunks: [], all: true, entry };
  const all = findUnreviewed(file);
  const undone = all.filter((_, at) => hunks.has(at));
  return {
    path: file.path,
    ...(file.before === undefined && { created: true }),
    ...(file.after === undefined && { deleted: true }),
    hunks: undone,
    all: undone.length === all.length,
  };
}
