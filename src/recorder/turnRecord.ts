import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { createId } from '../base/ids.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import { createFold, type Fold, type PartChange } from '../base/stream/fold.ts';
import type { MessageMetadata, StoredMessage } from '../base/stream/stored.ts';
import type { Database } from './file/database.ts';
import { BusyError, isBusy } from './file/faults.ts';
import { insertMessage } from './messages.ts';
import type { TurnRecord } from './records.ts';
import {
  type PartRows,
  type PlannedRow,
  planRows,
  readIndexes,
  removeContinued,
  restart,
  toRows,
  writeParts,
} from './rows.ts';
import { createTurnMetadata, type TurnMetadata, writeMetadata } from './turnMetadata.ts';

/**
 * Running text is written after this many milliseconds or deltas, so a crash loses at most 100 ms.
 */
const BATCH_MS = 100;
const BATCH_DELTAS = 256;

const OWN_ID = /^prt_[0-9a-f]{12}[0-9A-Za-z]{14}$/;

export interface TurnContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly sessionId: string;
  readonly metadata: MessageMetadata;
  /** Called with the message id before each write. */
  changed(messageId: string): void;
  /** Whether this process may still write the session; asked within the transaction of each write. */
  owns(): boolean;
}

/**
 * Writes one assistant message as it grows (spec CS-92 to CS-95): a new one, or `unfinished`, whose
 * calls get their results in their own rows.
 */
export function openTurnRecord(
  context: TurnContext,
  onClose: () => void,
  unfinished?: StoredMessage,
): TurnRecord {
  return new GrowingMessage(context, onClose, unfinished);
}

interface Writing {
  readonly all?: boolean;
}

class GrowingMessage implements TurnRecord {
  readonly messageId: string;
  readonly #context: TurnContext;
  readonly #onClose: () => void;
  readonly #fold: Fold;
  readonly #metadata: TurnMetadata;
  readonly #rows: PartRows[] = [];
  readonly #dirty = new Set<number>();
  /** Rows not yet committed; after a failed write they are retried with the next batch. */
  #planned: PlannedRow[] = [];
  #nextIndex = 0;
  #deltas = 0;
  #stored = false;
  /** All rows are written again: another file took the place of the one that had them. */
  #again = false;
  #closed = false;
  #timer: Disposable | undefined;
  #failure: { readonly error: unknown } | undefined;
  #behind: Promise<void> | undefined;
  #left = false;

  constructor(context: TurnContext, onClose: () => void, unfinished?: StoredMessage) {
    this.#context = context;
    this.#onClose = onClose;
    this.#metadata = createTurnMetadata(context.metadata, context.clock);
    const { id, parts = [] } = unfinished ?? {};
    this.messageId = id ?? createId('msg', context.clock.now());
    this.#stored = unfinished !== undefined;
    this.#fold = createFold(parts.map(({ id: _, ...body }) => body));
    if (id === undefined) return;
    // Stored rows keep their place, so only new ones need an index.
    const indexes = readIndexes(context.database, id);
    for (const part of parts) this.#rows.push(toRows(part.id, indexes.get(part.id) ?? 0));
    this.#nextIndex = ([...indexes.values()].at(-1) ?? -1) + 1;
  }

  record(...chunks: readonly Chunk[]): void {
    if (this.#closed) return;
    if (this.#failure) throw this.#failure.error;
    let done = false;
    for (const chunk of chunks) {
      this.#metadata.take(chunk);
      const change = this.#fold.apply(chunk);
      if (change) this.#note(change, chunk);
      done ||= isDone(chunk, change);
    }
    // Each attempt on a locked file would block the thread.
    if (this.#behind !== undefined) return;
    if (done || !this.#stored || this.#deltas >= BATCH_DELTAS) this.#write();
    if (this.#dirty.size > 0 || this.#metadata.changed) this.#flushLater();
  }

  get behind(): Promise<void> | undefined {
    return this.#behind;
  }

  flush(): void {
    if (!this.#write({ all: true })) throw new BusyError(BEHIND);
  }

  rewrite(): void {
    this.#stored = false;
    this.#again = true;
    this.#planned = [];
    for (const [part, own] of this.#rows.entries()) {
      const body = this.#fold.parts[part];
      if (body === undefined) continue;
      restart(own, body);
      this.#dirty.add(part);
    }
    this.#write({ all: true });
  }

  /** Returns whether it is written; otherwise it is later. */
  #write(writing: Writing = {}): boolean {
    try {
      this.#writeNow(writing);
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    this.#behind ??= this.#catchUp();
    // Whoever waits for it is told.
    this.#behind.catch(() => undefined);
    return false;
  }

  /** Writes what is kept in memory as soon as the file is free, however long that takes. */
  async #catchUp(): Promise<void> {
    const { database } = this.#context;
    let isTold = false;
    for (;;) {
      try {
        await database.free();
        this.#writeNow({ all: true });
        this.#behind = undefined;
        return;
      } catch (error) {
        if (!isBusy(error)) {
          this.#behind = undefined;
          this.#failure = { error };
          throw error;
        }
        if (!isTold) database.tell(LOCKED_LONG);
        isTold = true;
      }
    }
  }

  #leave(): void {
    if (this.#left || !this.#closed) return;
    this.#onClose();
    this.#left = true;
  }

  /**
   * Without `all`, usage waits for the timer or the end of the turn. What is written last gives the
   * session free, in the same transaction.
   */
  #writeNow({ all = this.#metadata.ended }: Writing): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#deltas = 0;
    for (const part of this.#dirty) this.#plan(part);
    this.#dirty.clear();
    const news = this.#stored && all && this.#metadata.changed;
    if (this.#planned.length === 0 && !news) {
      this.#leave();
      return;
    }
    const { database, clock, sessionId, changed } = this.#context;
    changed(this.messageId);
    const message = { id: this.messageId, sessionId, now: clock.now() };
    const metadata = this.#metadata.value();
    database.transaction(() => {
      if (!this.#context.owns()) throw new TakenOverError();
      if (!this.#stored) insertMessage(database, { ...message, role: 'assistant', metadata });
      if (this.#again) removeContinued(database, message.id, this.#rows);
      writeParts(database, message, this.#planned);
      if (all) writeMetadata(database, message, this.#metadata);
      this.#leave();
    });
    this.#planned = [];
    this.#stored = true;
    this.#again = false;
    if (all) this.#metadata.written();
  }

  close(): boolean {
    this.#closed = true;
    if (this.#left) return true;
    try {
      return this.#write({ all: true });
    } catch (error) {
      this.#leave();
      // There is nothing to do about it, and the user sees the other window's turn.
      if (!(error instanceof TakenOverError)) throw error;
      return true;
    }
  }

  #note(change: PartChange, chunk: Chunk): void {
    if (change.kind === 'opened') this.#open(change.index, chunk);
    // A call's arguments are written once, when they are complete.
    if (chunk.type === 'tool-input-delta') return;
    this.#dirty.add(change.index);
    if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta') return;
    this.#deltas += 1;
    const own = this.#rows[change.index];
    if (own) own.tail += chunk.delta;
  }

  /** Keeps an id that is already ours, so that the part is the same live and after a reload. */
  #open(part: number, chunk: Chunk): void {
    const given = 'id' in chunk && chunk.id !== undefined && OWN_ID.test(chunk.id) ? chunk.id : '';
    const id = given === '' ? createId('prt', this.#context.clock.now()) : given;
    this.#rows[part] = toRows(id, this.#nextIndex++);
  }

  #plan(part: number): void {
    const body = this.#fold.parts[part];
    const own = this.#rows[part];
    if (body === undefined || own === undefined) return;
    this.#planned.push(...planRows(body, own, () => this.#nextIndex++));
  }

  #flushLater(): void {
    this.#timer ??= this.#context.clock.after(BATCH_MS, () => {
      try {
        this.#write({ all: true });
      } catch (error) {
        // Rethrown at the next chunk, where it can end the turn with an error; no one catches it
        // here.
        this.#failure = { error };
      }
    });
  }
}

const BEHIND = 'The history is locked or being repaired. Nothing was lost; try again in a moment.';
const LOCKED_LONG =
  'The history has been locked by another program for some time. What happens meanwhile is kept in memory and stored as soon as possible; do not close this window. If another program has the file open, close it.';

/** What this process still has of the turn would overwrite what the other one made of it. */
class TakenOverError extends Error {
  constructor() {
    super('Another window has continued this session while this one was stopped.');
  }
}

/**
 * Whether a chunk must be stored before it is shown: a call's state, the end of a text part, the end of
 * the turn. Everything else may wait for its batch.
 */
function isDone(chunk: Chunk, change: PartChange | undefined): boolean {
  switch (chunk.type) {
    case 'text-end':
    case 'reasoning-end':
    case 'tool-input-available':
    case 'tool-input-error':
    case 'tool-approval-request':
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
    case 'error':
    case 'finish':
    case 'abort':
      return true;
    case 'tool-hosted':
      return change?.kind !== 'shown';
    case 'tool-progress':
      // The answer to an approval is a state; a running call's output is not.
      return change?.kind === 'state';
    default:
      return chunk.type.startsWith('data-') && change !== undefined;
  }
}
