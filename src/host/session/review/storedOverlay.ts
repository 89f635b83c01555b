import { createId } from '../../../base/ids.ts';
import type { ProposalTable, StoredProposal } from '../../../recorder/proposals.ts';
import type { ChangeLog, Overlay, OverlayFile } from '../../../runtime/overlay.ts';

/** The overlay of a session as it is stored. It outlives the host process. */
export interface StoredOverlay extends Overlay {
  /** The calls that changed the file, in order. */
  calls(path: string): readonly string[];
  remove(path: string): void;
  /** The id of the next review. It stays the same until that review is answered. */
  readonly reviewId: string;
  /** The review was answered: the files that are left belong to the next one. */
  renew(): void;
  /** Reads what other windows stored. */
  reload(): void;
}

/** Stores every change before it is in effect. Methods throw when the database can't be written. */
export function openStoredOverlay(
  table: Pick<ProposalTable, 'proposals' | 'putProposal' | 'removeProposal'>,
  sessionId: string,
  changes: ChangeLog,
): StoredOverlay {
  let files = read();
  let reviewId = readReviewId();

  function read(): Map<string, StoredProposal> {
    return new Map(table.proposals(sessionId).map((file) => [file.path, file]));
  }

  function readReviewId(): string {
    const [first] = files.values();
    return first?.reviewId || createId('rev');
  }

  const overlay: StoredOverlay = {
    get reviewId() {
      return reviewId;
    },
    renew() {
      reviewId = createId('rev');
      for (const file of files.values()) overlay.put(file);
    },
    find: (path) => files.get(path),
    list: () => [...files.values()],
    calls: (path) => files.get(path)?.calls ?? [],
    put(file, toolCallId) {
      if (toolCallId !== undefined) note(changes, toolCallId, files.get(file.path), file);
      if (changesNothing(file)) {
        overlay.remove(file.path);
        return;
      }
      const before = overlay.calls(file.path);
      const added = toolCallId === undefined || before.includes(toolCallId) ? [] : [toolCallId];
      const { path, base, text, conflict } = file;
      const stored: StoredProposal = {
        ...{ path, reviewId, calls: [...before, ...added] },
        ...(base && { base }),
        ...(text !== undefined && { text }),
        ...(conflict && { conflict }),
      };
      table.putProposal(sessionId, stored);
      files.set(file.path, stored);
    },
    remove(path) {
      if (!files.has(path)) return;
      table.removeProposal(sessionId, path);
      files.delete(path);
    },
    reload() {
      files = read();
      reviewId = files.size > 0 ? readReviewId() : reviewId;
    },
  };
  return overlay;
}

function note(
  changes: ChangeLog,
  toolCallId: string,
  known: OverlayFile | undefined,
  { path, base, text }: OverlayFile,
): void {
  const before = known === undefined ? base?.text : known.text;
  const texts = {
    ...(before !== undefined && { before }),
    ...(text !== undefined && { after: text }),
  };
  changes.note(toolCallId, { path, ...texts });
}

function changesNothing({ base, text }: OverlayFile): boolean {
  return base?.text === text;
}
