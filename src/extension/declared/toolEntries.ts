import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { isManifest } from './isManifest.ts';

/** The position of a tool declaration in a document. */
export interface EntryPosition {
  readonly offset: number;
  /** JSON Pointer (RFC 6901); empty if the whole file declares one tool. */
  readonly pointer: string;
}

/** Finds the tools that a manifest declares; none for other documents. */
export function toolEntries(file: string, text: string): readonly EntryPosition[] {
  if (!isManifest(file, (length) => text.slice(0, length))) return [];
  if (/\.ya?ml$/i.test(file)) {
    const match = /^(?:"resource"|resource)\s*:\s*["']?tool["']?\s*(?:#.*)?$/m.exec(text);
    return match === null ? [] : [{ offset: match.index, pointer: '' }];
  }
  const root = parseTree(text);
  const tools = root && findNodeAtLocation(root, ['tools']);
  return (tools?.children ?? []).map(({ offset }, index) => ({
    offset,
    pointer: `/tools/${index}`,
  }));
}
