import { Emitter } from '../../../base/event.ts';
import { sha256 } from '../../../base/text/sha256.ts';
import type { ApprovedFile, HunkReason } from '../../../diff/fileChange.ts';
import { findFirstLineEnd, isSameText, restoreLineEnds } from '../../../diff/lineEnds.ts';
import { findLineHunks, type LineHunk } from '../../../diff/lineHunks.ts';

/** Identifies a tool call. Call ids are only unique within a session. */
export interface CallKey {
  readonly sessionId: string;
  readonly toolCallId: string;
}

/** One file of a proposal. Its texts have the file's own line ends and no byte order mark. */
export interface ProposedChange {
  readonly call: CallKey;
  /** Absolute path. */
  readonly path: string;
  /** `document`: not a file on disk, for example a plan. */
  readonly kind: 'edit' | 'create' | 'delete' | 'document';
  /** What the proposal is based on; empty for a new file. */
  readonly baseText: string;
  /** Empty for a deletion. */
  readonly proposedText: string;
}

/**
 * One changed part of a review. Its lines are those of the current file (`old`) and of the proposal
 * as the user left it (`new`).
 */
export interface ReviewHunk extends LineHunk {
  /** Identifies the hunk by place and content, so that a mark is gone when the hunk changes. */
  readonly key: string;
  /** Of a rejected hunk the lines are back in the text; `newText` is what was proposed. */
  readonly state: 'pending' | 'kept' | 'rejected';
  /** Why it was rejected. */
  readonly reason?: string;
}

/** What of a review outlives a window: the user's text and decisions. */
export interface ReviewMarks {
  /** Keys of the hunks marked as kept. */
  readonly kept: readonly string[];
  /** Reasons of rejected hunks by key. */
  readonly reasons: Readonly<Record<string, string>>;
}

/**
 * A file under review. The proposal's text is what the user makes of it; everything else is derived:
 * a hunk is rejected when the text no longer has it, however that came about. Only *kept* is a mark,
 * and it is cleared when its hunk changes.
 */
export class ProposedFile {
  readonly change: ProposedChange;
  readonly #changed = new Emitter<void>();
  /** Fires after the text, the current file or a mark changed. */
  readonly onDidChange = this.#changed.event;
  #text: string;
  #readDocument: (() => string) | undefined;
  #current: string;
  #missing = false;
  #kept: ReadonlySet<string>;
  #reasons: ReadonlyMap<string, string>;
  #hunks: readonly ReviewHunk[] | undefined;
  #proposed: readonly LineHunk[] | undefined;

  constructor(change: ProposedChange, restored?: ReviewMarks & { readonly text: string }) {
    this.change = change;
    this.#text = restored?.text ?? change.proposedText;
    this.#current = change.baseText;
    this.#kept = new Set(restored?.kept);
    this.#reasons = new Map(Object.entries(restored?.reasons ?? {}));
  }

  /** The proposal as the user left it, with exact line ends. */
  get text(): string {
    const readDocument = this.#readDocument;
    if (readDocument !== undefined) {
      this.#readDocument = undefined;
      const { baseText, proposedText } = this.change;
      const lineEnd = findFirstLineEnd(baseText, proposedText);
      this.#text = restoreLineEnds(this.#text, readDocument(), lineEnd);
    }
    return this.#text;
  }

  /** The file as it is now, with unsaved text. */
  get current(): string {
    return this.#current;
  }

  /** The file was deleted after the proposal was made. */
  get missing(): boolean {
    return this.#missing;
  }

  /** The user changed the file after the proposal was made; the host will not write over that. */
  get stale(): boolean {
    return this.#missing || !isSameText(this.#current, this.change.baseText);
  }

  /** Allowing the proposal deletes the file. */
  get deletes(): boolean {
    return this.change.kind === 'delete' && this.text === '';
  }

  /** The user changed or rejected something. */
  get edited(): boolean {
    return this.text !== this.change.proposedText;
  }

  get marks(): ReviewMarks {
    return { kept: [...this.#kept], reasons: Object.fromEntries(this.#reasons) };
  }

  /**
   * The user edited the proposal's document, in which all lines have one line end. Its text is read
   * when someone needs it: for each key of a large document that would be too often.
   */
  edit(readDocument: () => string): void {
    this.#readDocument = readDocument;
    this.#update();
  }

  /** The file itself changed on disk or in the editor; `missing` if there is none any more. */
  refresh(current: { readonly text: string } | 'missing'): void {
    if (this.change.kind === 'document') return;
    const missing = current === 'missing' && this.change.kind !== 'create';
    const text = current === 'missing' ? '' : current.text;
    if (text === this.#current && missing === this.#missing) return;
    this.#current = text;
    this.#missing = missing;
    this.#update();
  }

  /** Marks a hunk as kept, or as pending again. */
  mark(key: string, kept: boolean): void {
    const next = new Set(this.#kept);
    if (kept) next.add(key);
    else next.delete(key);
    this.#kept = next;
    this.#update();
  }

  /** Why a hunk was rejected; empty removes the reason. */
  explain(key: string, reason: string): void {
    const next = new Map(this.#reasons);
    if (reason === '') next.delete(key);
    else next.set(key, reason);
    this.#reasons = next;
    this.#update();
  }

  /**
   * In the order of the proposal's lines, with the rejected ones where they would be. A document has none: it
   * is approved or denied as a whole.
   */
  get hunks(): readonly ReviewHunk[] {
    if (this.change.kind === 'document') return [];
    this.#hunks ??= this.#findHunks();
    return this.#hunks;
  }

  /** What the user approved; undefined when nothing of the proposal is left. */
  get approved(): ApprovedFile | undefined {
    const { path, baseText, proposedText } = this.change;
    const { text } = this;
    if (text !== proposedText && text === baseText) return undefined;
    return { path, text: this.deletes ? null : text };
  }

  /** The reasons of the rejected hunks, by their lines in the text the proposal is based on. */
  get reasons(): readonly HunkReason[] {
    const { path } = this.change;
    return this.hunks.flatMap(({ state, oldLine, reason }) =>
      state === 'rejected' && reason !== undefined ? [{ path, line: oldLine, reason }] : [],
    );
  }

  #update(): void {
    this.#hunks = undefined;
    this.#changed.fire();
  }

  #findHunks(): readonly ReviewHunk[] {
    const found = findLineHunks(this.#current, this.text);
    const open = found.map((hunk): ReviewHunk => {
      const key = toKey(hunk);
      return { ...hunk, key, state: this.#kept.has(key) ? 'kept' : 'pending' };
    });
    // The lines of the proposal mean nothing in a file that changed since.
    if (this.stale) return open;
    return [...open, ...this.#findRejected(found)].sort((a, b) => a.oldLine - b.oldLine);
  }

  #findRejected(found: readonly LineHunk[]): readonly ReviewHunk[] {
    if (!this.edited) return [];
    const { baseText, proposedText } = this.change;
    this.#proposed ??= findLineHunks(baseText, proposedText);
    return this.#proposed
      .filter((hunk) => !found.some((other) => touches(hunk, other)))
      .map((hunk): ReviewHunk => {
        const key = toKey(hunk);
        const reason = this.#reasons.get(key);
        const before = found.findLast(({ oldLine }) => oldLine <= hunk.oldLine);
        const shift =
          before === undefined
            ? 0
            : before.newLine + before.newCount - before.oldLine - before.oldCount;
        const newLine = hunk.oldLine + shift;
        const lines = { newLine, newCount: hunk.oldCount };
        return { ...hunk, ...lines, key, state: 'rejected', ...(reason && { reason }) };
      });
  }
}

/** Inserted lines have no old ones to overlap with, so what is adjacent to them counts. */
function touches(a: LineHunk, b: LineHunk): boolean {
  const [aEnd, bEnd] = [a.oldLine + a.oldCount, b.oldLine + b.oldCount];
  if (a.oldCount === 0 || b.oldCount === 0) return a.oldLine <= bEnd && b.oldLine <= aEnd;
  return a.oldLine < bEnd && b.oldLine < aEnd;
}

function toKey({ oldLine, oldText, newText }: LineHunk): string {
  const content = sha256(`${oldText}\0${newText}`, 'base64url');
  return `${oldLine}:${content.slice(0, 16)}`;
}
