import type { ChangeTable, EntryTable } from '../../../recorder/changes.ts';
import type { ChangeLog } from '../../../runtime/overlay.ts';

export interface ChangeLogParts {
  readonly table: Pick<
    ChangeTable & EntryTable,
    'addChange' | 'removeChange' | 'addEntryChange' | 'removeEntryChange'
  >;
  readonly sessionId: string;
  /** Called before a text is changed. If the change then isn't made, the function that it returns is called. */
  onNote: ChangeLog['note'];
}

/** Stores what the session's calls change, before they change it. */
export function createChangeLog({ table, sessionId, onNote }: ChangeLogParts): ChangeLog {
  return {
    note(toolCallId, change) {
      const id = table.addChange(sessionId, toolCallId, change);
      const drop = onNote(toolCallId, change);
      return () => {
        if (id !== undefined) table.removeChange(id);
        drop();
      };
    },
    noteEntry(toolCallId, change) {
      // A review or a revert can't be reverted.
      if (toolCallId.startsWith('rev_')) return () => undefined;
      const id = table.addEntryChange(sessionId, toolCallId, change);
      return () => table.removeEntryChange(id);
    },
  };
}
