import { isUtf8 } from 'node:buffer';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import { readHead, readRegular } from '../../../base/disk/readRegular.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { KB, MB } from '../../../base/units.ts';
import type { FileChange } from '../../../diff/fileChange.ts';
import type { FileSystem } from '../../../runtime/runtime.ts';
import type { CopyChange } from '../../../runtime/sandbox/changes/changes.ts';
import { findMeanwhile, type Meanwhile } from '../../../runtime/sandbox/changes/meanwhile.ts';
import { NO_FILE } from '../../../tools/applyChanges.ts';
import {
  isFileOfBytes,
  type OtherChange,
  toFolderMode,
  toModeChange,
  toOtherChange,
} from './otherChanges.ts';
import { findReadOnly } from './readOnly.ts';

/** Files, and bytes of text and of binary files, that one review of a command's changes shows at most. */
const MOST_FILES = 200;
const MOST_BYTES = 4 * MB;
const MOST_BINARY_BYTES = 64 * MB;
/** Tells a large binary file from a large text. */
const HEAD_BYTES = 64 * KB;

/** What one review shows: texts as differences, anything else as a list. */
export interface ReviewedChanges {
  readonly texts: readonly FileChange[];
  readonly others: readonly OtherChange[];
}

/** A change that is not reviewed: the workspace's own entry is no longer the one that the command changed. */
export interface Overtaken {
  readonly change: CopyChange;
  readonly by: Meanwhile;
}

export interface ComparedChanges extends ReviewedChanges {
  readonly overtaken: readonly Overtaken[];
}

/**
 * The changes as they are reviewed, against the files as they were listed. Fails with the reason when one can't
 * be reviewed: too large, a file with unsaved changes, a name that is not UTF-8. A new folder is created
 * with the files in it, so it is left out if it holds some of `all`, but for an unusual mode.
 */
export async function toReviewedChanges(
  changes: readonly CopyChange[],
  all: readonly CopyChange[],
  fs: FileSystem,
): Promise<Outcome<ComparedChanges>> {
  const filled = findFilled(all);
  const made = changes.filter((change) => !isFilled(change, filled));
  if (made.length > MOST_FILES) return failure(`It changes ${made.length} files.`);
  const texts: FileChange[] = [];
  const own = findFilled(changes);
  const others: OtherChange[] = changes.flatMap((change) =>
    change.isUtf8 && isFilled(change, own) ? (toFolderMode(change) ?? []) : [],
  );
  if (made.length + others.length > MOST_FILES) return failure(`It changes ${made.length} files.`);
  const overtaken: Overtaken[] = [];
  let size = 0;
  let binary = 0;
  for (const change of made) {
    const compared = await compare(change, changes, fs);
    // Last, so that it is about what was read.
    const by = findMeanwhile(change);
    if (by !== undefined) {
      overtaken.push({ change, by });
      continue;
    }
    if (!compared.ok) return compared;
    const { text, other } = compared.data;
    if (text !== undefined) texts.push(text);
    if (other !== undefined) others.push(other);
    size += (text?.newText ?? '').length;
    binary += text === undefined ? (change.size ?? 0) : 0;
    if (size > MOST_BYTES || binary > MOST_BINARY_BYTES) {
      return failure('It changes more than one review can show.');
    }
  }
  return success({ texts, others, overtaken });
}

/** One change as it is reviewed: a difference of texts, maybe with a mode, or something else. */
interface Compared {
  readonly text?: FileChange;
  readonly other?: OtherChange | undefined;
}

async function compare(
  change: CopyChange,
  changes: readonly CopyChange[],
  fs: FileSystem,
): Promise<Outcome<Compared>> {
  if (!change.isUtf8) return failure(toReason(change, 'changes the file'));
  const isReadOnly = findReadOnly(change, changes);
  if (isReadOnly !== undefined) return failure(isReadOnly);
  if (!isText(change)) {
    const other = toOtherChange(change, MOST_BINARY_BYTES);
    return other.ok ? success({ other: other.data }) : other;
  }
  const text = await toTextChange(change, fs);
  return text.ok ? success({ text: text.data, other: toModeChange(change) }) : text;
}

function isFilled({ type, kind, folder, path }: CopyChange, filled: ReadonlySet<string>): boolean {
  return type === 'added' && kind === 'folder' && filled.has(`${folder}/${path}`);
}

/** All folders, absolute, with a change of something else than a folder below. */
function findFilled(changes: readonly CopyChange[]): ReadonlySet<string> {
  const filled = new Set<string>();
  for (const { folder, kind, path } of changes) {
    if (kind === 'folder') continue;
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = `${folder}/${path.slice(0, end)}`;
      if (filled.has(parent)) break;
      filled.add(parent);
    }
  }
  return filled;
}

/** Whether a change is shown as a difference of texts: both sides are UTF-8, as far as they exist. */
function isText(change: CopyChange): boolean {
  if (!isFileOfBytes(change)) return false;
  const isTextFile = (file: Buffer): boolean => {
    const name = file.toString('utf8');
    const read = readRegular(name, MOST_BYTES);
    if (read.state === 'read') return isTextBytes(read.bytes);
    const head = readHead(name, HEAD_BYTES);
    return head.state !== 'read' || !head.bytes.includes(0);
  };
  const after = change.type === 'deleted' || isTextFile(change.copy);
  return after && (change.was === undefined || isTextFile(change.file));
}

async function toTextChange(change: CopyChange, fs: FileSystem): Promise<Outcome<FileChange>> {
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
  if (now.state !== 'read' || !isTextBytes(now.bytes)) {
    return failure(toReason(change, 'writes the large file'));
  }
  return success({ ...before, newText: now.bytes.toString('utf8') });
}

function isTextBytes(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0) && !bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function toReason({ path }: CopyChange, what: string): string {
  return `It ${what} ${toCodeSpan(path)}.`;
}
