import type { ChangeTable } from '../../../recorder/changes.ts';
import type { EntryTable } from '../../../recorder/entries.ts';
import type { ChangeLog } from '../../../runtime/overlay.ts';
import type { UnreviewedWrites } from '../../../tools/call.ts';
import type { UnreviewedChanges } from './unreviewedChanges.ts';

/** What running calls change without an ask and the user reviews afterwards: the paths of each call. */
export type UnaskedWrites = Map<string, Set<string>>;

export interface ChangeLogParts {
  readonly table: Pick<
    ChangeTable & EntryTable,
    'addChange' | 'removeChange' | 'addEntryChange' | 'removeEntryChange'
  >;
  readonly sessionId: string;
  readonly unasked: UnaskedWrites;
  readonly unreviewed: Pick<UnreviewedChanges, 'add'>;
  /** Called when some of what awaits a review can't be undone any more. */
  onDropped(): void;
}

/** Stores what the session's calls change, before they change it, and what of it awaits a review. */
export function createChangeLog(parts: ChangeLogParts): ChangeLog {
  const { table, sessionId, unasked, unreviewed, onDropped } = parts;
  return {
    note(toolCallId, change) {
      const id = table.addChange(sessionId, toolCallId, change);
      const paths = unasked.get(toolCallId);
      paths?.add(change.path);
      const drop = paths && unreviewed.add(change);
      return () => {
        if (id !== undefined) table.removeChange(id);
        paths?.delete(change.path);
        drop?.();
      };
    },
    noteEntry(toolCallId, change) {
      // A review or a revert can't be reverted.
      if (toolCallId.startsWith('rev_')) return () => undefined;
      const paths = unasked.get(toolCallId);
      paths?.add(change.path);
      const ofUndo = toolCallId.startsWith('und_') ? 'undo' : 'reviewed';
      const as = paths === undefined ? ofUndo : 'unreviewed';
      const { id, droppedUnreviewed } = table.addEntryChange(sessionId, toolCallId, change, as);
      if (droppedUnreviewed) onDropped();
      return () => {
        table.removeEntryChange(id);
        paths?.delete(change.path);
      };
    },
  };
}

/** A call's changes await a review from now on, until it ends. `onEnd` is called then if there are some. */
export function noteUnasked(
  unasked: UnaskedWrites,
  toolCallId: string,
  onEnd: () => void,
): UnreviewedWrites {
  const paths = new Set<string>();
  unasked.set(toolCallId, paths);
  return {
    count: () => paths.size,
    end() {
      unasked.delete(toolCallId);
      // Texts are listed as they are written; anything else is only now.
      if (paths.size > 0) onEnd();
    },
  };
}
