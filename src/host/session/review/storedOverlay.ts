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
  /**
   * The user answered the review: its files belong to the next one until they are settled. Reads what other
   * windows stored meanwhile. False: another window had an answer before.
   */
  claim(): boolean;
  /** Whether another window had an answer to the review of these files. */
  isAnswered(): boolean;
  /** Reads what other windows stored. */
  reload(): void;
}

/** Stores every change before it is in effect. Methods throw when the database can't be written. */
export function openStoredOverlay(
  table: Omit<ProposalTable, 'addOutcome' | 'outcomes' | 'removeOutcome'>,
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
    if (first?.reviewId) return first.reviewId;
    const id = createId('rev');
    // Earlier versions stored none.
    table.renewReview(sessionId, '', id);
    return id;
  }

  const overlay: StoredOverlay = {
    get reviewId() {
      return reviewId;
    },
    claim() {
      const next = createId('rev');
      const claimed = table.renewReview(sessionId, reviewId, next);
      overlay.reload();
      if (claimed) reviewId = next;
      return claimed;
    },
    isAnswered: () => files.size > 0 && !table.hasReview(sessionId, reviewId),
    find: (path) => files.get(path),
    list: () => [...files.values()],
    calls: (path) => files.get(path)?.calls ?? [],
    put(file, toolCallId) {
      if (toolCallId !== undefined) note(changes, toolCallId, files.get(file.path), file);
      if (changesNothing(file)) {
        overlay.remove(file.path);
        return;
      }
      // The card of an earlier review may have ended without an answer.
      if (files.size === 0) reviewId = createId('rev');
      const stored = toStored(file, reviewId, addCall(overlay.calls(file.path), toolCallId));
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

function toStored(
  { path, base, text, conflict }: OverlayFile,
  reviewId: string,
  calls: readonly string[],
): StoredProposal {
  return {
    ...{ path, reviewId, calls },
    ...(base && { base }),
    ...(text !== undefined && { text }),
    ...(conflict && { conflict }),
  };
}

function addCall(calls: readonly string[], toolCallId: string | undefined): readonly string[] {
  return toolCallId === undefined || calls.includes(toolCallId) ? calls : [...calls, toolCallId];
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
