import type { ChatItem, NoteItem } from '../../../webview/messages/chatState.ts';

/** The items of the session's history: notes and error cards are of this window only. */
export function findHistory(items: readonly ChatItem[]): readonly ChatItem[] {
  return items.filter(({ kind }) => kind !== 'note' && kind !== 'error');
}

/** The notes that have a button, without it. */
export function withoutCommands(items: readonly ChatItem[]): readonly NoteItem[] {
  return items.flatMap((item) => {
    if (item.kind !== 'note' || item.command === undefined) return [];
    const { command: _, ...note } = item;
    return [note];
  });
}

/** The id of the note that messages before those that are shown could not be loaded. */
export const MISSING_NOTE = 'missing';
