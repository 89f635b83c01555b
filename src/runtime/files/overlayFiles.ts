import { createHash } from 'node:crypto';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { mergeTexts } from '../../diff/merge.ts';
import { applySpans, changedSpan, type Span } from '../../diff/span.ts';
import type { Overlay, OverlayBase, OverlayFile } from '../overlay.ts';
import type { FileSystem, Gate, TextEncoding, TextFile } from '../runtime.ts';
import { authorizeDocument } from './documents.ts';
import { encodeText } from './encoding.ts';
import { spliceRaw } from './splice.ts';

export interface OverlayFilesOptions {
  readonly files: FileSystem;
  readonly overlay: Overlay;
  readonly gate: Gate;
  readonly toolCallId: string;
  /** Called when the call changed the overlay. */
  onChange(): void;
}

/**
 * Files with the session's overlay on top: reads see its texts, and changes go into it, so that nothing
 * on disk or in the editor changes. Every access is authorized as if it reached the file itself.
 */
export function createOverlayFiles(options: OverlayFilesOptions): FileSystem {
  const { files } = options;
  return {
    absolute: (path) => files.absolute(path),
    exclusively: (paths, work) => files.exclusively(paths, work),
    readText: (path) => readText(options, path),
    readForChange: (path) => readForChange(options, path),
    async stat(path) {
      const read = await readProposed(options, path);
      if (read === undefined) return files.stat(path);
      if (!read.ok) return read;
      using file = read.data;
      return success({ path: file.path, size: file.utf8.length, modified: Date.now() });
    },
    async readBytes(path, { start = 0, max }) {
      const read = await readProposed(options, path);
      if (read === undefined) return files.readBytes(path, { start, max });
      if (!read.ok) return read;
      using file = read.data;
      const bytes = Buffer.from(file.utf8.subarray(start, start + max));
      return success({ path: file.path, size: file.utf8.length, modified: Date.now(), bytes });
    },
    splice: (file, spans) => splice(options, file, spans),
    create: (path, text) => create(options, path, text),
    remove: (file) => remove(options, file),
  };
}

async function readText(options: OverlayFilesOptions, path: string): Promise<Outcome<TextFile>> {
  return (await readProposed(options, path)) ?? readUnchanged(options, path);
}

/** A file without a proposal of its own; it may be another name of one that has. */
async function readUnchanged(
  { files, overlay, gate }: OverlayFilesOptions,
  path: string,
): Promise<Outcome<TextFile>> {
  const read = await files.readText(path);
  const entry = read.ok ? findOtherName(overlay, read.data) : undefined;
  if (!read.ok || entry === undefined) return read;
  read.data[Symbol.dispose]();
  const authorized = await gate.authorize({ capability: 'fs.read', target: entry.path });
  return authorized.ok ? toTextFile(entry, read.data.encoding) : authorized;
}

/** The file in its proposed state; undefined when the overlay does not have it. */
async function readProposed(
  options: OverlayFilesOptions,
  path: string,
): Promise<Outcome<TextFile> | undefined> {
  const { files, overlay, gate } = options;
  const entry = overlay.find(files.absolute(path));
  if (entry === undefined) return undefined;
  const authorized = await gate.authorize({ capability: 'fs.read', target: entry.path });
  if (!authorized.ok) return authorized;
  const base = entry.base === undefined ? undefined : await files.readText(path);
  return toTextFile(...follow(overlay, entry, base?.ok ? base.data : undefined));
}

async function readForChange(
  options: OverlayFilesOptions,
  path: string,
): Promise<Outcome<TextFile | undefined>> {
  const { files, overlay } = options;
  const read = await files.readForChange(path);
  if (!read.ok) return read;
  const entry = overlay.find(files.absolute(path));
  if (entry !== undefined) {
    const [current, encoding] = follow(overlay, entry, read.data);
    return current.text === undefined ? success(undefined) : toTextFile(current, encoding);
  }
  const other = read.data && findOtherName(overlay, read.data);
  if (other === undefined) return read;
  read.data?.[Symbol.dispose]();
  return failure(
    `${path} is another name of ${other.path}, which has changes that the user has not reviewed yet. Use that path.`,
  );
}

/** The proposal of a file that is the same one on disk under another name (a hard link). */
function findOtherName(overlay: Overlay, { stamp, raw }: TextFile): OverlayFile | undefined {
  if (raw === undefined) return undefined;
  return overlay.list().find(({ base }) => base?.stamp === stamp);
}

/**
 * The entry, merged with what the user did to the file since. Where both changed the same lines, the
 * proposal keeps its own and is marked, so that the review shows what it would replace.
 */
function follow(
  overlay: Overlay,
  entry: OverlayFile,
  file: TextFile | undefined,
): [OverlayFile, TextEncoding] {
  if (file === undefined) return [entry, UTF8];
  using held = file;
  const { encoding } = held;
  return [followBase(overlay, entry, toBase(held)), encoding];
}

/** `now` is the file's present state. Stores and returns the entry based on it. */
export function followBase(overlay: Overlay, entry: OverlayFile, now: OverlayBase): OverlayFile {
  const { base } = entry;
  if (base?.hash === now.hash) return entry;
  const next = { path: entry.path, base: now, ...rebase(entry, now.text) };
  overlay.put(next);
  return next;
}

function rebase(entry: OverlayFile, now: string): Pick<OverlayFile, 'text' | 'conflict'> {
  const { base, text } = entry;
  // A deletion, or a file that the user created meanwhile: the review shows the whole of it.
  if (text === undefined) return { conflict: true };
  if (base === undefined) return { text, ...(text !== now && { conflict: true }) };
  const merged = mergeTexts(base.text, now, text);
  const conflict = entry.conflict === true || merged.conflicts.length > 0;
  return { text: merged.text, ...(conflict && { conflict }) };
}

export function toBase(file: TextFile): OverlayBase {
  return { hash: file.hash(), text: file.utf8.toString('utf8'), stamp: file.stamp };
}

const UTF8: TextEncoding = { name: 'utf8', bom: 0 };

function toTextFile(entry: OverlayFile, encoding: TextEncoding): Outcome<TextFile> {
  const { path, text } = entry;
  if (text === undefined) {
    return failure(
      `${path} does not exist: you deleted it, and the user has not reviewed that yet.`,
    );
  }
  const utf8 = Buffer.from(text);
  const digest = createHash('sha256').update(utf8).digest('hex');
  const stamp = `overlay ${path} ${digest}`;
  const hash = () => digest;
  return success({ path, utf8, encoding, stamp, hash, [Symbol.dispose]: () => undefined });
}

async function splice(
  options: OverlayFilesOptions,
  file: TextFile,
  spans: readonly Span[],
): Promise<Outcome<void>> {
  const { overlay } = options;
  const authorized = await authorizeDocument(options, 'fs.write', file.document, file.path);
  if (!authorized.ok) return authorized;
  const text = applySpans(file.utf8, spans);
  const entry = overlay.find(file.path);
  if (entry === undefined) {
    const fits = await findEncodingFault(file, text);
    if (fits !== undefined) return failure(fits);
    return put(options, { path: file.path, base: toBase(file), text });
  }
  if (entry.text !== file.utf8.toString('utf8')) return failure(changed(file.path));
  const encoded = await encodeText(text, file.encoding);
  return encoded.ok ? put(options, { ...entry, text }) : encoded;
}

/** Why the text could not be written into the file later. */
async function findEncodingFault(file: TextFile, text: string): Promise<string | undefined> {
  if (file.raw === undefined) return undefined;
  const spliced = await spliceRaw(file, [changedSpan(file.utf8, text)]);
  return spliced.ok ? undefined : spliced.error;
}

async function create(
  options: OverlayFilesOptions,
  path: string,
  text: string,
): Promise<Outcome<{ readonly path: string }>> {
  const { files, overlay, gate } = options;
  const target = files.absolute(path);
  const authorized = await gate.authorize({ capability: 'fs.write', target });
  if (!authorized.ok) return authorized;
  const entry = overlay.find(target);
  if (entry?.text !== undefined) return failure(`${target} exists already.`);
  const done = put(options, { ...entry, path: target, text });
  return done.ok ? success({ path: target }) : done;
}

async function remove(options: OverlayFilesOptions, file: TextFile): Promise<Outcome<void>> {
  const { overlay, gate } = options;
  const authorized = await gate.authorize({ capability: 'fs.write', target: file.path });
  if (!authorized.ok) return authorized;
  if (file.document) {
    return failure(`${file.path} has unsaved changes in the editor. Ask the user.`);
  }
  const entry = overlay.find(file.path);
  if (entry === undefined) return put(options, { path: file.path, base: toBase(file) });
  if (entry.text !== file.utf8.toString('utf8')) return failure(changed(file.path));
  const { text: _, ...rest } = entry;
  return put(options, rest);
}

function put(
  { overlay, toolCallId, onChange }: OverlayFilesOptions,
  file: OverlayFile,
): Outcome<void> {
  overlay.put(file, toolCallId);
  onChange();
  return success(undefined);
}

function changed(path: string): string {
  return `${path} changed since it was read. Read it again.`;
}
