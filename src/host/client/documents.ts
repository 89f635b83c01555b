import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReadTextFileResponse } from '@agentclientprotocol/sdk';
import { toMeta } from '../../acp/gatehouse/parse.ts';
import type { WriteMeta } from '../../acp/gatehouse/session.ts';
import { getMessage } from '../../base/faults.ts';
import type { OpenDocument } from '../../base/openDocument.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { MB } from '../../base/units.ts';
import { findDocument } from '../../runtime/files/documents.ts';
import type { ClientFiles } from '../../runtime/runtime.ts';
import type { Client } from './client.ts';
import { requestClient } from './requestClient.ts';

/**
 * The client's open documents. With the `documents` extension only dirty ones go through
 * it; a client that has just `fs/*` is asked for every file, since it does not say which are open.
 * Undefined: the disk is the truth.
 */
export function createClientFiles(client: Client, sessionId: string): ClientFiles | undefined {
  const { documents, readTextFile } = client.facts;
  if (!readTextFile) return undefined;
  const readText = async (file: string): Promise<string> => {
    const params = { sessionId, path: file };
    const reply = await client.peer.request<ReadTextFileResponse>('fs/read_text_file', params);
    return reply.content;
  };
  return {
    documents: documents
      ? (paths) => listDocuments(client, paths)
      : (paths) => findDocuments(client, readText, paths),
    readText,
    writeText: async (file, content, baseVersion) => {
      if (!client.facts.writeTextFile) {
        return failure(`${file} has unsaved changes in the editor. Ask the user to save it first.`);
      }
      return write(client, { sessionId, path: file, content }, documents ? baseVersion : undefined);
    },
  };
}

/**
 * The text of the open document whose file has this real path, if it isn't saved. Undefined: what is on disk counts.
 */
export function createUnsavedText(client: Client, sessionId: string) {
  const files = createClientFiles(client, sessionId);
  if (files === undefined) return undefined;
  return async (real: string): Promise<string | undefined> => {
    const document = await findDocument(files, real, real);
    return document?.dirty ? files.readText(document.path ?? document.uri) : undefined;
  };
}

async function listDocuments(
  client: Client,
  paths: readonly string[] | undefined,
): Promise<readonly OpenDocument[]> {
  const { documents } = await requestClient(
    client,
    'documents',
    paths === undefined ? {} : { paths },
  );
  return documents;
}

/** Larger files are read from disk: editors do not open them, and messages are limited. Bytes. */
const CLIENT_FILE_LIMIT = 5 * MB;

/**
 * The files for which a client with only `fs/*` is the source of truth. A client that can write gets
 * every change through its own fs, so that it can show it. For a client that cannot, only files whose
 * text differs from the disk count.
 */
async function findDocuments(
  client: Client,
  readText: (file: string) => Promise<string>,
  paths: readonly string[] | undefined,
): Promise<readonly OpenDocument[]> {
  const found = await Promise.all(
    (paths ?? []).map(async (file): Promise<OpenDocument[]> => {
      const facts = path.isAbsolute(file) ? await stat(file).catch(() => undefined) : undefined;
      if (!facts?.isFile() || facts.size > CLIENT_FILE_LIMIT) return [];
      // If the client cannot provide the file, such as a binary one, it is read from disk.
      const text = await readText(file).catch(() => undefined);
      if (text === undefined) return [];
      if (!client.facts.writeTextFile && text === (await readFile(file, 'utf8'))) return [];
      return [toOpen(file, text)];
    }),
  );
  return found.flat();
}

function toOpen(file: string, text: string): OpenDocument {
  return {
    path: file,
    uri: pathToFileURL(file).href,
    dirty: true,
    version: 0,
    encoding: 'utf8',
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

async function write(
  client: Client,
  file: { readonly sessionId: string; readonly path: string; readonly content: string },
  baseVersion: number | undefined,
): Promise<Outcome<void>> {
  try {
    await client.peer.request('fs/write_text_file', {
      ...file,
      ...(baseVersion === undefined ? {} : toMeta<WriteMeta>({ baseVersion })),
    });
    return success(undefined);
  } catch (error) {
    const reason = getMessage(error);
    return failure(`The editor did not write ${file.path}: ${reason} Read it again, then retry.`);
  }
}
