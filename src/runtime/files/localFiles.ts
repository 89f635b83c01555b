import { createHash } from 'node:crypto';
import { closeSync, read, readSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { getCode } from '../../base/faults.ts';
import type { OpenDocument } from '../../base/openDocument.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB } from '../../base/units.ts';
import type { Span } from '../../diff/span.ts';
import type { PolicyFolders } from '../../permissions/patterns/roots.ts';
import { TEXT_BYTES } from '../limits.ts';
import type {
  ByteRange,
  ClientFiles,
  FileBytes,
  FileFacts,
  FileSystem,
  Gate,
  TextFile,
} from '../runtime.ts';
import { writeAtomically } from './atomicWrite.ts';
import { authorizeDocument, findDocument, readDocument, writeDocument } from './documents.ts';
import { decodeText, encodeNew } from './encoding.ts';
import { findNames } from './hardLinks.ts';
import type { Journal } from './journal.ts';
import { lendBytes } from './lentBytes.ts';
import { describeFault, describeSpecial, openForReading } from './open.ts';
import { findRealPath } from './realPath.ts';
import { removeFile } from './remove.ts';
import { spliceRaw } from './splice.ts';
import { toStamp } from './stamp.ts';

export interface LocalFilesOptions {
  readonly folders: PolicyFolders;
  readonly gate: Gate;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  readonly client?: ClientFiles;
  /** The editor's `files.encoding` for a path; UTF-8 when absent. */
  readonly getEncoding?: (path: string) => string | undefined;
}

/** Files of the local machine; the client's dirty documents take precedence over them. */
export function createLocalFiles(options: LocalFilesOptions): FileSystem {
  return {
    absolute: (path) => absolute(options, path),
    stat: (path) => stat(options, path),
    readText: (path) => readText(options, path, 'fs.read'),
    readForChange: (path) => readForChange(options, path),
    readBytes: (path, range) => readBytes(options, path, range),
    splice: (file, spans) => splice(options, file, spans),
    remove: (file) => remove(options, file),
    create: (path, text) => create(options, path, text),
    exclusively: (paths, work) => exclusively(toKeys(options, paths), work),
  };
}

/** A path that cannot be resolved serves as its own key; opening it reports the error. */
function absolute(options: LocalFilesOptions, path: string): string {
  const resolved = findRealPath(options, path);
  return resolved.ok ? resolved.data : path;
}

async function stat(options: LocalFilesOptions, path: string): Promise<Outcome<FileFacts>> {
  return withFile(options, path, 'fs.read', async (facts) => success(facts));
}

async function readBytes(
  options: LocalFilesOptions,
  path: string,
  { start = 0, max }: ByteRange,
): Promise<Outcome<FileBytes>> {
  return withFile(options, path, 'fs.read', async (facts, fd) => {
    const length = Math.max(0, Math.min(max, getSize(facts) - start));
    return success({ ...facts, bytes: await readAll(fd, start, Buffer.allocUnsafeSlow(length)) });
  });
}

type Access = 'fs.read' | 'fs.write';

async function readForChange(
  options: LocalFilesOptions,
  path: string,
): Promise<Outcome<TextFile | undefined>> {
  const resolved = findRealPath(options, path);
  if (!resolved.ok) return resolved;
  if (/[\\/]$/.test(path)) return failure(`${path} is a folder path. Add the file name.`);
  const missing = await lstat(resolved.data).then(
    () => false,
    (fault: unknown) => getCode(fault) === 'ENOENT',
  );
  const open = options.client && (await findDocument(options.client, resolved.data, path));
  if (missing && !open?.dirty) {
    const authorized = await options.gate.authorize({
      capability: 'fs.write',
      target: resolved.data,
    });
    return authorized.ok ? success(undefined) : authorized;
  }
  return readText(options, path, 'fs.write');
}

async function readText(
  options: LocalFilesOptions,
  path: string,
  capability: Access,
): Promise<Outcome<TextFile>> {
  const { client } = options;
  const resolved = findRealPath(options, path);
  if (!resolved.ok) return resolved;
  const found = client && (await findDocument(client, resolved.data, path));
  if (client && found?.dirty) {
    const authorized = await authorizeDocument(options, capability, found, resolved.data);
    if (!authorized.ok) return authorized;
    const file = await readDocument(client, found, resolved.data);
    if (!file.ok) return file;
    // A token may have been typed since the call was evaluated.
    const unsaved = file.data.utf8.toString();
    const again = await authorizeDocument(options, capability, found, resolved.data, unsaved);
    return again.ok ? file : again;
  }
  return withFile(options, path, capability, async (facts, fd, stamp) => {
    if (facts.size > TEXT_BYTES) {
      return failure(
        `${facts.path} has ${facts.size} bytes; at most ${TEXT_BYTES} can be read or edited at once. Read a part with byte_offset, or edit it with bash.`,
      );
    }
    const large = facts.size > AT_ONCE_BYTES ? lendBytes(facts.size) : undefined;
    const raw = await readAll(fd, 0, large?.bytes ?? Buffer.allocUnsafeSlow(getSize(facts)));
    const decoded = await decodeText(raw, getEncodingHint(options, found, facts.path));
    if (decoded === undefined) {
      large?.release();
      return failure(
        `${facts.path} is not a text file, so it was not changed. If you must change it, use bash.`,
      );
    }
    const hash = () => createHash('sha256').update(raw).digest('hex');
    return success({
      path: facts.path,
      raw,
      stamp,
      hash,
      ...decoded,
      [Symbol.dispose]: () => large?.release(),
    });
  });
}

/** The encoding in which the editor opens the file. */
function getEncodingHint(
  { getEncoding }: LocalFilesOptions,
  document: OpenDocument | undefined,
  file: string,
): string | undefined {
  return document?.encoding ?? getEncoding?.(file);
}

/**
 * Opens the file, calls `use` and closes it. Rejects pipes, devices and folders before reading
 * anything.
 */
async function withFile<Data>(
  options: LocalFilesOptions,
  path: string,
  capability: Access,
  use: (facts: FileFacts, fd: number, stamp: string) => Promise<Outcome<Data>>,
): Promise<Outcome<Data>> {
  const resolved = findRealPath(options, path);
  if (!resolved.ok) return resolved;
  const opened = await openForReading(resolved.data, options.gate, capability);
  if (!opened.ok) return opened;
  const { fd, stats, path: real } = opened.data;
  try {
    if (stats.isDirectory()) return failure(`${real} is a folder. Use glob to list it.`);
    if (!stats.isFile()) return failure(describeSpecial(real));
    const facts = { path: real, size: stats.size, modified: stats.mtimeMs };
    return await use(facts, fd, toStamp(stats));
  } catch (fault) {
    return failure(describeFault(fault, real));
  } finally {
    closeSync(fd);
  }
}

/** Larger files are read asynchronously, so that they don't block other sessions. */
const AT_ONCE_BYTES = 256 * KB;

const readLater = promisify(read);

/** Files in `/proc` report a size of 0; their content is only found by reading. */
function getSize({ size }: FileFacts): number {
  return size === 0 ? AT_ONCE_BYTES : size;
}

/** Fills `bytes` from file offset `start`; returns less when the file is shorter. */
async function readAll(fd: number, start: number, bytes: Buffer): Promise<Buffer> {
  const { length } = bytes;
  let done = 0;
  while (done < length) {
    const rest = [bytes, done, length - done, start + done] as const;
    const bytesRead =
      length < AT_ONCE_BYTES ? readSync(fd, ...rest) : (await readLater(fd, ...rest)).bytesRead;
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

async function splice(
  options: LocalFilesOptions,
  file: TextFile,
  spans: readonly Span[],
): Promise<Outcome<void>> {
  const { client, gate, folders, journal, signal } = options;
  const authorized = await authorizeDocument(options, 'fs.write', file.document, file.path);
  if (!authorized.ok) return authorized;
  signal.throwIfAborted();
  if (file.document) {
    if (client) return writeDocument(client, file, spans);
    return failure(`${file.path} was read from an editor that has disconnected.`);
  }
  const parts = await spliceRaw(file, spans);
  if (!parts.ok) return parts;
  return writeAtomically({
    file: file.path,
    parts: parts.data,
    stamp: file.stamp,
    before: file.raw,
    journal,
    mayWriteAllNames: async (stats) => {
      const names = await findNames([...folders.workspace, ...folders.adHoc], stats);
      return names !== undefined && mayWrite(gate, file.path, names);
    },
  });
}

async function remove({ gate, signal }: LocalFilesOptions, file: TextFile): Promise<Outcome<void>> {
  const authorized = await gate.authorize({ capability: 'fs.write', target: file.path });
  if (!authorized.ok) return authorized;
  signal.throwIfAborted();
  if (file.document)
    return failure(`${file.path} has unsaved changes in the editor. Ask the user.`);
  return removeFile(file.path, file.stamp);
}

/** Permission for one name does not imply it for the others: one of them may be `.git/config`. */
async function mayWrite(gate: Gate, file: string, names: readonly string[]): Promise<boolean> {
  for (const target of names) {
    if (target === file) continue;
    const authorized = await gate.authorize({ capability: 'fs.write', target });
    if (!authorized.ok) return false;
  }
  return true;
}

async function create(
  options: LocalFilesOptions,
  path: string,
  text: string,
): Promise<Outcome<{ readonly path: string }>> {
  const resolved = findRealPath(options, path);
  if (!resolved.ok) return resolved;
  const file = resolved.data;
  const authorized = await options.gate.authorize({ capability: 'fs.write', target: file });
  if (!authorized.ok) return authorized;
  const { client } = options;
  const found = client && (await findDocument(client, file, path));
  const encoded = await encodeNew(text, getEncodingHint(options, found, file));
  if (!encoded.ok) return encoded;
  options.signal.throwIfAborted();
  const written = await writeAtomically({
    file,
    parts: [encoded.data],
    stamp: undefined,
    before: undefined,
    journal: options.journal,
    mayWriteAllNames: async () => false,
  });
  return written.ok ? success({ path: file }) : written;
}

const running = new Map<string, Promise<unknown>>();

/**
 * The files' keys without duplicates and sorted, so that calls which lock the same files never
 * deadlock.
 */
function toKeys(options: LocalFilesOptions, paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => absolute(options, path)))].sort();
}

/** Serializes calls that change the same path, across all sessions of this process (spec CR-3). */
async function exclusively<Data>(
  [key, ...others]: readonly string[],
  work: () => Promise<Outcome<Data>>,
): Promise<Outcome<Data>> {
  if (key === undefined) return work();
  const locked = () => exclusively(others, work);
  const before = running.get(key) ?? Promise.resolve();
  const mine = before.then(locked, locked);
  const settled = mine.catch(() => undefined);
  running.set(key, settled);
  try {
    return await mine;
  } finally {
    if (running.get(key) === settled) running.delete(key);
  }
}
