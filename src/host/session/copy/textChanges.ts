import { isUtf8 } from 'node:buffer';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { readRegular } from '../../../base/disk/readRegular.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { MB } from '../../../base/units.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { FileSystem } from '../../../runtime/runtime.ts';
import type { CopyChange } from '../../../runtime/sandbox/changes/changes.ts';
import { NO_FILE } from '../../../tools/applyChanges.ts';

/** Files, and bytes of text, that one review of a command's changes shows at most. */
const MOST_FILES = 200;
const MOST_BYTES = 4 * MB;

/**
 * The changes as changes of texts, against the files as they are now. Fails with the reason when one changes
 * something else: a binary file, a link, a mode, a deleted folder, a file with unsaved changes. A new
 * folder is created with the files in it, so it is left out if it holds some of `all`.
 */
export async function toTextChanges(
  changes: readonly CopyChange[],
  all: readonly CopyChange[],
  fs: FileSystem,
): Promise<Outcome<readonly FileChange[]>> {
  const made = changes.filter((change) => !isFilled(change, all));
  if (made.length > MOST_FILES) return failure(`It changes ${made.length} files.`);
  const texts: FileChange[] = [];
  let size = 0;
  for (const change of made) {
    const text = await toTextChange(change, fs);
    if (!text.ok) return text;
    size += (text.data.newText ?? '').length;
    if (size > MOST_BYTES) return failure('It changes more text than one review can show.');
    texts.push(text.data);
  }
  return success(texts);
}

function isFilled({ type, kind, path }: CopyChange, all: readonly CopyChange[]): boolean {
  if (type !== 'added' || kind !== 'folder') return false;
  return all.some((other) => other.kind !== 'folder' && other.path.startsWith(`${path}/`));
}

async function toTextChange(change: CopyChange, fs: FileSystem): Promise<Outcome<FileChange>> {
  const what = findOther(change);
  if (what !== undefined) return failure(toReason(change, what));
  const path = change.file.toString('utf8');
  const read = await fs.readForChange(path);
  if (!read.ok) return read;
  using file = read.data;
  if (file?.document) {
    return failure(`${toCodeSpan(change.path)} has unsaved changes in the editor.`);
  }
  if (file !== undefined && (file.encoding.name !== 'utf8' || file.encoding.bom > 0)) {
    return failure(toReason(change, 'changes the encoded file'));
  }
  const before = {
    path,
    beforeHash: file?.hash() ?? NO_FILE,
    ...(file && { oldText: file.utf8.toString('utf8') }),
  };
  if (change.type === 'deleted') return success(before);
  const now = readRegular(change.copy.toString('utf8'), MOST_BYTES);
  if (now.state !== 'read' || !isText(now.bytes)) {
    return failure(toReason(change, 'writes the binary or large file'));
  }
  return success({ ...before, newText: now.bytes.toString('utf8') });
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Permissions to execute, and the bits beyond the permissions. */
const EXECUTES = 0o7111;

/** What a change does besides changing text, as the words of a sentence; undefined: nothing. */
function findOther(change: CopyChange): string | undefined {
  const { type, kind, was, mode, wasMode } = change;
  if (!change.isUtf8) return 'changes the file';
  if (kind === 'link' || was === 'link') return 'changes the link';
  if (kind === 'folder' || was === 'folder') return 'changes the folder';
  if (kind === 'special' || was === 'special') return 'changes the special file';
  if (type === 'mode' || (type === 'changed' && mode !== wasMode)) return 'changes the mode of';
  return type === 'added' && ((mode ?? 0) & EXECUTES) !== 0 ? 'creates the executable' : undefined;
}

function toReason({ path }: CopyChange, what: string): string {
  return `It ${what} ${toCodeSpan(path)}.`;
}
