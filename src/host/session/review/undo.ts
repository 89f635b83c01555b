import type { ResolveResult } from '../../../acp/gatehouse/pending.ts';
import { type Outcome, success } from '../../../base/outcome.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import { type FileVersions, findUnreviewed, undoHunks } from '../../../diff/unreviewed.ts';
import type { FileSystem } from '../../../runtime/runtime.ts';
import { applyChanges, NO_FILE } from '../../../tools/applyChanges.ts';
import type { UndoneFile } from './outcome.ts';
import { passUserWrite, type UserOperation } from './revert.ts';
import type { Resolved } from './unreviewedChanges.ts';

export interface UndoParts extends Omit<UserOperation, 'changes'> {
  readonly files: readonly Resolved[];
  /** Writes nothing: only what is out of the files already counts as undone. */
  readonly byHand: boolean;
}

/** What undoing hunks did. */
export interface UndoneChanges {
  /** The files that were written. */
  readonly changes: readonly FileChange[];
  readonly conflicts: ResolveResult['conflicts'];
  /** Of each file, what is left to review. Empty with conflicts. */
  readonly left: readonly (readonly [Resolved, FileVersions])[];
}

/**
 * Takes unreviewed hunks out of their files and keeps what came after them. All files are written or, with a
 * conflict, none. Fails with a message for the user when a rule denies it or a file can't be written.
 */
export async function undoChanges(parts: UndoParts): Promise<Outcome<UndoneChanges>> {
  const paths = parts.files.map(({ file }) => file.path);
  const admitted = await passUserWrite(parts, paths);
  if (!admitted.ok) return admitted;
  const runtime = parts.runtime(admitted.data);
  const changes: FileChange[] = [];
  const conflicts: string[] = [];
  const left: [Resolved, FileVersions][] = [];
  for (const resolved of parts.files) {
    const undone = await undoOne(resolved, runtime.fs);
    if (!undone.ok) return undone;
    if (parts.byHand && (undone.data === 'conflict' || undone.data.change)) continue;
    if (undone.data === 'conflict') conflicts.push(resolved.file.path);
    else {
      left.push([resolved, undone.data.left]);
      if (undone.data.change) changes.push(undone.data.change);
    }
  }
  if (conflicts.length > 0) return success({ changes: [], conflicts, left: [] });
  if (changes.length === 0) return success({ changes, conflicts, left });
  const written = await applyChanges({ changes }, runtime);
  return written.ok ? success({ changes, conflicts, left }) : written;
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
export function toUndoneFile({ file, hunks }: Resolved): UndoneFile {
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
