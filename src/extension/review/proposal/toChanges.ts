import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { type DiffMeta, readDiffMeta } from '../../../acp/gatehouse/session.ts';
import { sha256 } from '../../../base/text/sha256.ts';
import { MB } from '../../../base/units.ts';
import { applyFragments } from '../../../diff/fragments.ts';
import type { CallKey, ProposedChange } from './proposedFile.ts';

/** VS Code neither sends larger documents to extensions nor compares them. Bytes, or characters. */
export const LARGEST_REVIEW = 50 * MB;

/** The text of a file as the host reads it: of an open document with unsaved text, or else of the disk. */
export interface CurrentText {
  readonly text: string;
  /** SHA-256 in hex of the bytes, or of the document's text if it has unsaved changes. */
  readonly hash: string;
}

/** Reads a file; undefined if it can't be read as text, `missing` if there is none. */
export type ReadCurrent = (path: string) => Promise<CurrentText | 'missing' | undefined>;

type Diff = Extract<ToolCallContent, { type: 'diff' }>;
type Part = Diff & { readonly meta: DiffMeta };

/**
 * The proposed files of a permission request, in order. Undefined if one of them can't be reviewed
 * as a whole: it is sent in parts, and the file is not the one that the proposal was made for.
 */
export async function toChanges(
  call: CallKey,
  content: readonly ToolCallContent[],
  read: ReadCurrent,
): Promise<readonly ProposedChange[] | undefined> {
  const diffs = content
    .filter((part): part is Diff => part.type === 'diff')
    .map((part): Part => ({ ...part, meta: readDiffMeta(part) }));
  const changes: ProposedChange[] = [];
  for (const [path, parts] of Map.groupBy(diffs, (part) => part.path)) {
    const texts = await toTexts(path, parts, read);
    if (texts === undefined) return undefined;
    changes.push({ call, path, ...texts });
  }
  return changes.length === 0 ? undefined : changes;
}

type Texts = Pick<ProposedChange, 'kind' | 'baseText' | 'proposedText'>;

async function toTexts(
  path: string,
  parts: readonly Part[],
  read: ReadCurrent,
): Promise<Texts | undefined> {
  const [part] = parts;
  if (part === undefined) return undefined;
  // Our host sends whole texts unless they are too large for a message.
  if (parts.length === 1 && part.meta.beforeHash !== undefined && !part.meta.partial) {
    return { kind: toKind(part), baseText: part.oldText ?? '', proposedText: part.newText };
  }
  if (part.oldText == null) return { kind: 'create', baseText: '', proposedText: part.newText };
  const current = await read(path);
  if (current === undefined || current === 'missing') return undefined;
  const proposedText =
    part.meta.beforeHash === undefined
      ? applyFragments(current.text, parts.map(toFragment))
      : applyWindow(current, part);
  // What the user typed into a document that VS Code does not send would be lost.
  if (proposedText === undefined || proposedText.length > LARGEST_REVIEW) return undefined;
  return { kind: 'edit', baseText: current.text, proposedText };
}

function toKind({ oldText, meta }: Part): ProposedChange['kind'] {
  if (meta.document) return 'document';
  if (meta.deleted) return 'delete';
  return oldText == null ? 'create' : 'edit';
}

function toFragment({ oldText, newText, meta: { line } }: Part) {
  return { oldText: oldText ?? '', newText, ...(line !== undefined && { line }) };
}

/** The file with the changed window of a large proposal. */
function applyWindow({ text, hash }: CurrentText, { oldText, newText, meta }: Part) {
  if (oldText == null || meta.line === undefined || hash !== meta.beforeHash) return undefined;
  let at = 0;
  for (let line = 1; line < meta.line; line += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0) return undefined;
    at = next + 1;
  }
  if (!text.startsWith(oldText, at)) return undefined;
  return text.slice(0, at) + newText + text.slice(at + oldText.length);
}

/** SHA-256 in hex, as the host hashes a file or a document's text. */
export function hashText(content: string | Uint8Array): string {
  return sha256(content, 'hex');
}
