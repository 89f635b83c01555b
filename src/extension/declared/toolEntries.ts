import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { isManifest } from './isManifest.ts';

/** Where a document declares a tool. */
export interface EntryPosition {
  readonly offset: number;
  /** RFC 6901; empty for a file that is one tool. */
  readonly pointer: string;
}

/** The tools that a manifest's text declares; none for any other document. */
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
