import { failure, type Outcome, success } from '../base/outcome.ts';
import type { ClientFiles, OpenDocument } from '../runtime/runtime.ts';
import type { Client } from './client.ts';

/**
 * The client's open documents. With `_gatehouse/documents` only dirty ones go through it; a client
 * that has just `fs/*` is read and written for every file (contract §4). Undefined: the disk is
 * the truth.
 */
export function createClientFiles(client: Client, sessionId: string): ClientFiles | undefined {
  const { documents, readTextFile, writeTextFile } = client.facts;
  if (!documents || !readTextFile) return undefined;
  return {
    documents: async (paths) => {
      const reply = await client.peer.request<unknown>('_gatehouse/documents', {
        ...(paths === undefined ? {} : { paths: [...paths] }),
      });
      return parseDocuments(reply);
    },
    readText: async (path) => {
      const { content } = await client.peer.request('fs/read_text_file', { sessionId, path });
      return content;
    },
    writeText: async (path, content, baseVersion) => {
      if (!writeTextFile) {
        return failure(`${path} has unsaved changes in the editor. Ask the user to save it first.`);
      }
      return write(client, { sessionId, path, content }, baseVersion);
    },
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
      ...(baseVersion === undefined ? {} : { _meta: { gatehouse: { baseVersion } } }),
    });
    return success(undefined);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return failure(`The editor did not write ${file.path}: ${reason} Read it again, then retry.`);
  }
}

/** Rows that do not say what we need are left out: a document we cannot name cannot be the truth. */
export function parseDocuments(reply: unknown): readonly OpenDocument[] {
  if (typeof reply !== 'object' || reply === null || !('documents' in reply)) return [];
  if (!Array.isArray(reply.documents)) return [];
  return reply.documents.flatMap(toDocument);
}

function toDocument(row: unknown): OpenDocument[] {
  if (typeof row !== 'object' || row === null) return [];
  const { path, uri, dirty, version, encoding, eol } = { ...EMPTY, ...row };
  if (typeof uri !== 'string' || typeof dirty !== 'boolean' || typeof version !== 'number') {
    return [];
  }
  return [
    {
      path: typeof path === 'string' ? path : null,
      uri,
      dirty,
      version,
      encoding: typeof encoding === 'string' ? encoding : 'utf8',
      eol: eol === '\r\n' ? '\r\n' : '\n',
    },
  ];
}

const EMPTY: Readonly<Record<keyof OpenDocument, unknown>> = {
  path: undefined,
  uri: undefined,
  dirty: undefined,
  version: undefined,
  encoding: undefined,
  eol: undefined,
};
