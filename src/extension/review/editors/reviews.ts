import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { Emitter } from '../../../base/event.ts';
import type { ApprovedFile, HunkReason } from '../../../diff/fileChange.ts';
import type { CallKey, ProposedFile } from '../proposal/proposedFile.ts';
import type { ReviewStore } from '../proposal/reviewStore.ts';
import { type ReadCurrent, toChanges } from '../proposal/toChanges.ts';
import type { Review, ReviewTabs } from './reviewTabs.ts';

/** What the user made of a proposal, for the reply to its request. */
export interface ReviewResult {
  /** Every file of which something is left; absent when everything is as proposed. */
  readonly approved?: readonly ApprovedFile[];
  /** Why hunks were rejected. */
  readonly reasons: readonly HunkReason[];
  /** What the user wrote beside the lines of a proposal that they rejected. */
  readonly comments?: string;
}

/** How a review ends. */
export type ReviewEnd = 'approved' | 'rejected' | 'withdrawn';

export interface ReviewsParts {
  readonly store: ReviewStore;
  readonly tabs: Pick<ReviewTabs, 'open' | 'close' | 'becomeFile' | 'isOpen'>;
  readonly readCurrent: ReadCurrent;
  /** Removes the comments on the review's files and returns them. */
  takeComments(review: Review): string | undefined;
  /** Tells the user that text they typed was not written, and is still in the open tab. */
  textKept(review: Review): void;
}

/** An approved review whose call has not ended yet. */
interface Approved {
  readonly review: Review;
  /** The texts that were approved. */
  readonly texts: readonly string[];
  /** The user answered in the diff. */
  readonly inDiff: boolean;
}

/**
 * The reviews of pending requests. Only the current request has a tab: call `setCurrent` whenever
 * another request becomes the current one.
 */
export class Reviews {
  readonly #parts: ReviewsParts;
  readonly #pending = new Map<string, Review>();
  /** Answered with approval and not finished yet, by call. */
  readonly #approved = new Map<string, Approved>();
  readonly #changed = new Emitter<void>();
  /** Fires after a review was added or answered. */
  readonly onDidChange = this.#changed.event;
  readonly #opened = new Set<string>();
  #current: string | undefined;
  /** The review that the user is about to answer in its diff. */
  #answering: string | undefined;

  constructor(parts: ReviewsParts) {
    this.#parts = parts;
  }

  /** The id of the current request. */
  get current(): string | undefined {
    return this.#current;
  }

  get pending(): readonly Review[] {
    return [...this.#pending.values()];
  }

  get(id: string): Review | undefined {
    return this.#pending.get(id);
  }

  /** Whether a request is about a document, such as a plan, and not about files. */
  isDocument(id: string | undefined): boolean {
    const files = id === undefined ? [] : (this.#pending.get(id)?.files ?? []);
    return files.some(({ change }) => change.kind === 'document');
  }

  /** The pending review that a file belongs to. */
  withFile(file: ProposedFile): Review | undefined {
    return this.pending.find(({ files }) => files.includes(file));
  }

  /** The pending review of a call. */
  withCall({ sessionId, toolCallId }: CallKey): Review | undefined {
    const isOf = ({ change: { call } }: ProposedFile) =>
      call.sessionId === sessionId && call.toolCallId === toolCallId;
    return this.pending.find(({ files }) => files.some(isOf));
  }

  /**
   * Adds the review of a request. Undefined if its proposal can't be reviewed as whole files: it has
   * none, or the file has changed so that only the changed parts can be shown.
   */
  async add(
    id: string,
    call: CallKey,
    content: readonly ToolCallContent[],
  ): Promise<Review | undefined> {
    const changes = await toChanges(call, content, this.#parts.readCurrent);
    if (changes === undefined) return undefined;
    const review: Review = { id, files: await this.#parts.store.propose(changes) };
    this.#pending.set(id, review);
    this.#changed.fire();
    return review;
  }

  /** Whether the diff of a pending request was opened. */
  wasOpened(id: string): boolean {
    return this.#opened.has(id);
  }

  /** Opens the review of a request. False if it has none. */
  async open(id: string, focus: boolean): Promise<boolean> {
    const review = this.#pending.get(id);
    if (review === undefined) return false;
    this.#opened.add(id);
    for (const file of review.files) {
      const current = await this.#parts.readCurrent(file.change.path);
      if (current !== undefined) file.refresh(current);
      await this.#parts.store.keep(file);
    }
    await this.setCurrent(id);
    if (!this.#pending.has(id)) return true;
    await this.#parts.tabs.open(review, focus);
    return true;
  }

  /**
   * Closes the tabs of all other requests that are still asked. The tab of one that was answered or
   * withdrawn a moment ago is left to `finish`: it may become the file, or hold text the user typed.
   */
  async setCurrent(
    id: string | undefined,
    isAsked: (id: string) => boolean = () => true,
  ): Promise<void> {
    if (id === this.#current) return;
    this.#current = id;
    for (const review of this.pending) {
      if (review.id !== id && isAsked(review.id)) await this.#parts.tabs.close(review);
    }
  }

  /** Call before a review is answered in its diff, so that the focus stays there. */
  answering(id: string): void {
    this.#answering = id;
  }

  /** Ends a review with the answer to its request, and returns what the user made of it. */
  async finish(id: string, answer: ReviewEnd): Promise<ReviewResult> {
    const review = this.#pending.get(id);
    if (review === undefined) return { reasons: [] };
    const comments = answer === 'rejected' ? this.#parts.takeComments(review) : undefined;
    const result = { ...toResult(review), ...(comments !== undefined && { comments }) };
    this.#pending.delete(id);
    this.#opened.delete(id);
    this.#changed.fire();
    const edited = review.files.some((file) => file.edited);
    if (answer === 'approved') {
      const texts = review.files.map(({ text }) => text);
      const inDiff = this.#answering === id;
      for (const { change } of review.files) {
        this.#approved.set(toKey(change.call), { review, texts, inDiff });
      }
    } else if (answer === 'withdrawn' && edited && this.#parts.tabs.isOpen(review)) {
      this.#parts.textKept(review);
    } else {
      await this.#parts.tabs.close(review);
    }
    return result;
  }

  /** A call has ended. The tab of an applied proposal becomes the file. */
  async callEnded(call: CallKey, applied: boolean): Promise<void> {
    const known = this.#approved.get(toKey(call));
    if (known === undefined) return;
    this.#approved.delete(toKey(call));
    const { review, texts, inDiff } = known;
    const typedSince = review.files.some(({ text }, at) => text !== texts[at]);
    const edited = review.files.some((file) => file.edited);
    if (typedSince || (!applied && edited)) {
      if (this.#parts.tabs.isOpen(review)) this.#parts.textKept(review);
    } else if (applied) await this.#parts.tabs.becomeFile(review, inDiff);
    else await this.#parts.tabs.close(review);
  }

  dispose(): void {
    this.#pending.clear();
    this.#approved.clear();
    this.#changed.dispose();
  }
}

function toResult({ files }: Review): ReviewResult {
  const reasons = files.flatMap((file) => file.reasons);
  if (files.every((file) => !file.edited)) return { reasons };
  const approved = files.flatMap((file) => file.approved ?? []);
  return { approved, reasons };
}

function toKey({ sessionId, toolCallId }: CallKey): string {
  return JSON.stringify([sessionId, toolCallId]);
}
