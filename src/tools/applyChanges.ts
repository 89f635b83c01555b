import { createHash } from 'node:crypto';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { DisplayContent } from '../base/stream/chunk.ts';
import type { FileChange } from '../diff/fileChange.ts';
import { changedSpan, type Span } from '../diff/span.ts';
import type { Preview } from '../gate/preview.ts';
import { UNKNOWN_8BIT } from '../runtime/files/encoding.ts';
import type { FileSystem, Runtime, TextFile } from '../runtime/runtime.ts';
import { diffContent, hunkContent } from './hunks.ts';

/** SHA-256 of empty input: the `beforeHash` of a file that does not exist yet. */
export const NO_FILE = createHash('sha256').digest('hex');

/**
 * Makes the approved changes. Every file is locked and checked before the first one is written, so that
 * a conflict changes nothing. Returns the paths that were written, and adds each to `done`, since a later
 * one may fail.
 */
export async function applyChanges(
  { changes }: Preview,
  runtime: Runtime,
  done: string[] = [],
): Promise<Outcome<readonly string[]>> {
  const paths = changes.map(({ path }) => path);
  return runtime.fs.exclusively(paths, () => checkAndApply(changes, runtime, done));
}

/** Why a file no longer matches its proposal, or undefined. */
export function findConflict(
  { path, beforeHash, oldText }: FileChange,
  file: TextFile | undefined,
): string | undefined {
  // An empty file and a missing one have the same hash, so compare existence too.
  const same = (file === undefined) === (oldText === undefined);
  if (same && (file?.hash() ?? NO_FILE) === beforeHash) return undefined;
  return `${path} changed while you waited for approval. Read it and propose the change again.`;
}

/** Replaces the text of a file. Bytes outside the difference stay unchanged where the encoding permits. */
export async function replaceText(
  file: TextFile,
  text: string,
  fs: FileSystem,
): Promise<Outcome<readonly DisplayContent[]>> {
  const span = changedSpan(file.utf8, text);
  const spans: readonly Span[] = span.start === span.end && span.text === '' ? [] : [span];
  const whole = { start: 0, end: file.utf8.length, text };
  const written = await fs.splice(file, isPlain(file) || spans.length === 0 ? spans : [whole]);
  return written.ok ? success(hunkContent(file.path, file.utf8, spans)) : written;
}

/** Whether parts of the text can be encoded on their own; otherwise the whole file is encoded again. */
function isPlain({ encoding }: TextFile): boolean {
  return encoding.name === 'utf8' || encoding.name === UNKNOWN_8BIT;
}

async function checkAndApply(
  changes: readonly FileChange[],
  { fs, session }: Runtime,
  done: string[],
): Promise<Outcome<readonly string[]>> {
  const opened: TextFile[] = [];
  try {
    return await applyOpened(changes, { fs, session }, opened, done);
  } finally {
    for (const file of opened) file[Symbol.dispose]();
  }
}

/** Adds every file that it opens to `opened`, and every path that it writes to `done`. */
async function applyOpened(
  changes: readonly FileChange[],
  { fs, session }: Pick<Runtime, 'fs' | 'session'>,
  opened: TextFile[],
  done: string[],
): Promise<Outcome<readonly string[]>> {
  const checked: { readonly change: FileChange; readonly file: TextFile | undefined }[] = [];
  const seen = new Set<string>();
  for (const change of changes) {
    const file = await fs.readForChange(change.path);
    if (!file.ok) return failure(`${file.error} Nothing was written.`);
    if (file.data) opened.push(file.data);
    const conflict = findConflict(change, file.data);
    if (conflict !== undefined) return failure(`${conflict} Nothing was written.`);
    const identity = getIdentity(file.data, fs.absolute(change.path));
    if (seen.has(identity)) {
      return failure(
        `${change.path} is the same file as another one of the proposal. Propose one change for it. Nothing was written.`,
      );
    }
    seen.add(identity);
    checked.push({ change, file: file.data });
  }
  const content: DisplayContent[] = [];
  for (const { change, file } of checked) {
    const written = await applyOne(change, file, fs);
    if (!written.ok) return failure(withDone(written.error, done));
    done.push(change.path);
    content.push(...written.data);
    session.progress({ locations: done.map((path) => ({ path })), content });
  }
  return success(done);
}

/** What links, hard links and spellings of one file have in common. */
function getIdentity(file: TextFile | undefined, path: string): string {
  if (file === undefined) return path;
  return file.document === undefined ? file.stamp : file.path;
}

async function applyOne(
  { path, oldText, newText }: FileChange,
  file: TextFile | undefined,
  fs: FileSystem,
): Promise<Outcome<readonly DisplayContent[]>> {
  if (file === undefined) {
    if (newText === undefined) return success([]);
    const created = await fs.create(path, newText);
    return created.ok ? success(diffContent(path, undefined, newText)) : created;
  }
  if (newText !== undefined) return replaceText(file, newText, fs);
  const removed = await fs.remove(file);
  return removed.ok ? success(diffContent(path, oldText, undefined)) : removed;
}

/** Writing can still fail after the checks: a full disk, or a rule that changed. */
function withDone(error: string, done: readonly string[]): string {
  if (done.length === 0) return error;
  return `${error} These files were already written: ${done.join(', ')}. Read them before you continue.`;
}
