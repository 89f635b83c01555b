import type { OpenDocument } from '../../base/openDocument.ts';

/**
 * Reads the answer of `_gatehouse/documents`. Rows that do not say what we need are left out: a
 * document we cannot name cannot be the truth.
 */
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
