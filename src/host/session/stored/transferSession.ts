import { randomUUID } from 'node:crypto';
import { lstat, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import type {
  ExportFormat,
  ExportQuery,
  ExportResult,
  ImportSession,
  SessionResult,
} from '../../../acp/gatehouse/history.ts';
import { getCode, getMessage } from '../../../base/faults.ts';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { MB } from '../../../base/units.ts';
import { exportLines, exportMarkdown } from '../../../recorder/library/exportSession.ts';
import { importSession } from '../../../recorder/library/importSession.ts';
import type { RecorderStore } from '../../../recorder/recorder.ts';
import type { OpenHost } from '../openHost.ts';
import { getStored } from './sessionEntries.ts';

/** The longest text that an answer holds. Characters. */
const ANSWER_CHARACTERS = 4 * MB;

/** Returns what is stored of a session, or writes it to a file, which only the user can read. */
export async function exportStored(host: OpenHost, query: ExportQuery): Promise<ExportResult> {
  const { sessionId, format, file } = query;
  getStored(host, sessionId);
  const texts = toTexts(host.services.recorder.store, sessionId, format);
  if (file === undefined) return { text: await collect(texts, sessionId) };
  requireAbsolute({ file });
  const written = await writeWhole(file, texts);
  if (!written.ok) throw RequestError.invalidParams({ file }, written.error);
  return { file };
}

/** Imports an exported session, which is stored and not open. */
export async function importStored(host: OpenHost, query: ImportSession): Promise<SessionResult> {
  requireAbsolute({ ...query });
  const { services } = host;
  const imported = await importSession(services.recorder.store, query);
  if (!imported.ok) {
    const problem = `Nothing was imported. ${imported.error}`;
    throw RequestError.invalidParams({ file: query.file }, problem);
  }
  services.search.later();
  services.sessionsChanged();
  return { sessionId: imported.data };
}

function requireAbsolute(paths: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(paths)) {
    if (!path.isAbsolute(value)) {
      throw RequestError.invalidParams({ [name]: 'Must be an absolute path.' });
    }
  }
}

/** The parts of an exported text, in order. */
export function toTexts(
  store: RecorderStore,
  sessionId: string,
  format: ExportFormat,
): Iterable<string> {
  return format === 'jsonl' ? exportLines(store, sessionId) : exportMarkdown(store, sessionId);
}

async function collect(texts: Iterable<string>, sessionId: string): Promise<string> {
  let whole = '';
  for await (const text of inTurns(texts)) {
    whole += text;
    if (whole.length <= ANSWER_CHARACTERS) continue;
    const problem = `The session is longer than ${ANSWER_CHARACTERS / MB} MB. Name a file to export it to.`;
    throw RequestError.invalidParams({ sessionId }, problem);
  }
  return whole;
}

/** A file with the whole text replaces an existing one. Fails with a message for the user, with nothing changed. */
export async function writeWhole(file: string, texts: Iterable<string>): Promise<Outcome<void>> {
  try {
    await write(file, texts);
    return success(undefined);
  } catch (fault) {
    const why = WHY[getCode(fault) ?? ''] ?? getMessage(fault);
    return failure(
      `The session was not exported to ${file}: ${why}. An existing file was left as it was. Export it to another file.`,
    );
  }
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'its folder is not writable for you',
  EDQUOT: 'the disk is full',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'its folder is a file',
  EPERM: 'its folder is not writable for you',
  EROFS: 'the disk is read-only',
};

async function write(file: string, texts: Iterable<string>): Promise<void> {
  await removeLeft(file);
  const part = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(part, 'wx', 0o600);
    try {
      for await (const text of inTurns(texts)) await handle.appendFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (fault) {
    await rm(part, { force: true });
    throw fault;
  }
}

/** An export that was not written to for so long belongs to a host that was killed. Milliseconds. */
const LEFT_MS = 3600 * 1000;
const PART = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.part$/;

/** Removes what a killed host left of its export to the same file: nobody else would find it. */
async function removeLeft(file: string): Promise<void> {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  // A folder that can't be listed may be writable all the same.
  for (const each of await readdir(folder).catch(() => [])) {
    if (!each.startsWith(name) || !PART.test(each.slice(name.length))) continue;
    const part = path.join(folder, each);
    const stats = await lstat(part).catch(() => undefined);
    if (stats?.isFile() && Date.now() - stats.mtimeMs > LEFT_MS) await rm(part, { force: true });
  }
}

/** Other requests get their turn between two messages. */
async function* inTurns(texts: Iterable<string>): AsyncGenerator<string> {
  for (const text of texts) {
    yield text;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
