import { createHash } from 'node:crypto';
import { getMessage } from '../../base/faults.ts';
import type { OpenDocument } from '../../base/openDocument.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { applySpans, type Span } from '../../diff/span.ts';
import { resolvePath } from '../../permissions/patterns/paths.ts';
import type { ClientFiles, Gate, TextFile, Touch } from '../runtime.ts';

/** The document open at `real`, or the untitled document whose URI is `written`. */
export async function findDocument(
  client: ClientFiles,
  real: string,
  written: string,
): Promise<OpenDocument | undefined> {
  const documents = await client.documents([real]);
  const saved = documents.find(({ path }) => path !== null && samePath(path, real));
  if (saved !== undefined || !/^[\w-]+:/.test(written)) return saved;
  const all = await client.documents();
  return all.find(({ path, uri }) => path === null && uri === written);
}

/**
 * Authorizes a file that is `real`, or its document: one that was never saved also as the file that it
 * has the name of.
 */
export async function authorizeDocument(
  { gate }: { readonly gate: Gate },
  capability: Touch['capability'],
  document: OpenDocument | undefined,
  real: string,
  unsaved?: string,
): Promise<Outcome<void>> {
  const text = unsaved === undefined ? {} : { unsaved };
  const authorized = await gate.authorize({ capability, target: real, ...text });
  const later = document && findLaterFile(document);
  if (!authorized.ok || later === undefined) return authorized;
  const resolved = resolvePath(later, { cwd: undefined, platform: process.platform });
  if (!resolved.ok) return failure(resolved.error);
  return gate.authorize({ capability, target: resolved.path, ...text });
}

/** The absolute path that a document which was never saved has in its URI. */
export function findLaterFile({ path, uri }: OpenDocument): string | undefined {
  const written = path === null ? /^untitled:(\/.*)$/.exec(uri)?.[1] : undefined;
  if (written === undefined) return undefined;
  try {
    return decodeURIComponent(written).replace(/^\/(?=[a-z]:)/i, '');
  } catch {
    return written;
  }
}

/** Reads a dirty document, which takes precedence over the file on disk. */
export async function readDocument(
  client: ClientFiles,
  document: OpenDocument,
  real: string,
): Promise<Outcome<TextFile>> {
  try {
    const text = await client.readText(document.path ?? document.uri);
    const utf8 = Buffer.from(text);
    const hash = () => createHash('sha256').update(utf8).digest('hex');
    const encoding = { name: document.encoding, bom: 0 };
    const stamp = `version ${document.version}`;
    const source = { path: document.path ?? real, document };
    return success({ ...source, utf8, encoding, stamp, hash, [Symbol.dispose]: () => undefined });
  } catch (fault) {
    const text = getMessage(fault);
    return failure(`The editor could not read ${real}: ${text}`);
  }
}

/** Applies the spans as one edit in the editor, with the document's own line endings. */
export async function writeDocument(
  client: ClientFiles,
  file: TextFile,
  spans: readonly Span[],
): Promise<Outcome<void>> {
  if (file.document === undefined) return failure(`${file.path} is not open in the editor.`);
  const { document, utf8 } = file;
  const text = applySpans(utf8, spans);
  return client.writeText(document.path ?? document.uri, text, document.version);
}

function samePath(a: string, b: string): boolean {
  if (a === b) return true;
  if (process.platform === 'linux') return false;
  return a.replaceAll('\\', '/').toLowerCase() === b.replaceAll('\\', '/').toLowerCase();
}
