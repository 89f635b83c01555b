import type { UnreviewedFile } from '../../../acp/gatehouse/pending.ts';
import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { StoredEntry, StoredEntryChange } from '../../../recorder/entries.ts';

/** What the changes of one path, in order, made of what was there, in one line. Undefined: there are none. */
export function describeEntries(entries: readonly StoredEntryChange[]): string | undefined {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const { before } = first;
  const { after } = last;
  if (after.type === 'none') return `deleted ${toNoun(before)}`;
  if (before.type === 'mode' && after.type === 'mode') {
    return `mode ${toMode(before.mode)} → ${toMode(after.mode)}`;
  }
  if (before.type === 'none') return `new ${toNoun(after)}`;
  return toNoun(after);
}

export function toKind(entries: readonly StoredEntryChange[]): UnreviewedFile['kind'] {
  if (entries[0]?.before.type === 'none') return 'created';
  return entries.at(-1)?.after.type === 'none' ? 'deleted' : 'changed';
}

function toNoun(entry: StoredEntry): string {
  switch (entry.type) {
    case 'link':
      return `link to ${toCodeSpan(entry.target)}`;
    case 'folder':
      return 'folder';
    case 'file':
      return 'binary file';
    case 'mode':
    case 'none':
      return 'file';
  }
}

function toMode(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}
