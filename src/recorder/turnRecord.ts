import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import { createId } from '../base/ids.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import {
  createFold,
  type Fold,
  isToolBody,
  type PartBody,
  type PartChange,
} from '../base/stream/fold.ts';
import type { MessageMetadata, StoredMessage } from '../base/stream/stored.ts';
import type { Database } from './database.ts';
import { insertMessage } from './messages.ts';
import type { TurnRecord } from './records.ts';
import { numberAt, toPartJson } from './rows.ts';
import { touchSession } from './sessions.ts';
import { createTurnMetadata, type TurnMetadata } from './turnMetadata.ts';

/**
 * Running text is written after this many milliseconds or deltas, so a crash loses at most 100 ms.
 */
const BATCH_MS = 100;
const BATCH_DELTAS = 64;

/** Longer texts continue in a new row, because rewriting one growing row is quadratic. */
const SEGMENT_CHARACTERS = 8_192;

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

/** The rows of one part: one, or several for a long text. */
interface PartRows {
  readonly firstId: string;
  id: string;
  index: number;
  /** The text of the last row; earlier rows are complete. */
  tail: string;
}

interface Writing {
  readonly all?: boolean;
  readonly also?: () => void;
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
  #closed = false;
  #timer: Disposable | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(context: TurnContext, onClose: () => void, unfinished?: StoredMessage) {
    this.#context = context;
    this.#onClose = onClose;
    this.#metadata = createTurnMetadata(context.metadata, context.clock);
    const { id, parts = [] } = unfinished ?? {};
    this.messageId = id ?? createId('msg', context.clock.now());
    this.#stored = unfinished !== undefined;
    this.#fold = createFold(parts.map(({ id: _, ...body }) => body));
    for (const part of parts)
      this.#rows.push({ firstId: part.id, id: part.id, index: 0, tail: '' });
    if (id !== undefined) this.#nextIndex = findNextIndex(context.database, id);
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
    if (done || !this.#stored || this.#deltas >= BATCH_DELTAS) this.#write();
    if (this.#dirty.size > 0 || this.#metadata.changed) this.#flushLater();
  }

  flush(): void {
    this.#write({ all: true });
  }

  /**
   * Without `all`, usage waits for the timer or the end of the turn. `also` runs in the same
   * transaction.
   */
  #write({ all = this.#metadata.ended, also = () => {} }: Writing = {}): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#deltas = 0;
    for (const part of this.#dirty) this.#plan(part);
    this.#dirty.clear();
    const news = this.#stored && all && this.#metadata.changed;
    if (this.#planned.length === 0 && !news) {
      also();
      return;
    }
    const { database, clock, sessionId, changed } = this.#context;
    changed(this.messageId);
    const message = { id: this.messageId, sessionId, now: clock.now() };
    const metadata = this.#metadata.value();
    database.transaction(() => {
      if (!this.#context.owns()) throw new TakenOverError();
      if (!this.#stored) insertMessage(database, { ...message, role: 'assistant', metadata });
      for (const row of this.#planned) writePart(database, message, row);
      if (all) writeMetadata(database, message, this.#metadata);
      also();
    });
    this.#planned = [];
    this.#stored = true;
    if (all) this.#metadata.written();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.#write({ all: true, also: this.#onClose });
    } catch (error) {
      this.#onClose();
      // There is nothing to do about it, and the user sees the other window's turn.
      if (!(error instanceof TakenOverError)) throw error;
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
    this.#rows[part] = { firstId: id, id, index: this.#nextIndex++, tail: '' };
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
        this.flush();
      } catch (error) {
        // Rethrown at the next chunk, where it can end the turn with an error; no one catches it
        // here.
        this.#failure = { error };
      }
    });
  }
}

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

/** Stored rows keep their place, so only new ones need an index. */
function findNextIndex(database: Database, messageId: string): number {
  const sql = 'SELECT coalesce(max("index"), -1) + 1 AS next FROM chat_parts WHERE message_id = ?';
  const row = database.get(sql, messageId);
  return row === undefined ? 0 : numberAt(row, 'next');
}

interface PlannedRow {
  readonly id: string;
  readonly index: number;
  readonly body: PartBody;
  readonly json: string;
}

/**
 * The rows to write for a part, including the completed previous row of a long text. Updates `own`.
 */
function planRows(body: PartBody, own: PartRows, nextIndex: () => number): PlannedRow[] {
  if (body.type !== 'text' && body.type !== 'reasoning') {
    return [{ id: own.id, index: own.index, body, json: toPartJson(body) }];
  }
  const planned: PlannedRow[] = [];
  for (;;) {
    const end = own.tail.length > SEGMENT_CHARACTERS ? cutAt(own.tail) : own.tail.length;
    const text = own.tail.slice(0, end);
    const continues = own.id === own.firstId ? {} : { continues: own.firstId };
    const json = JSON.stringify({ type: body.type, text, ...continues });
    planned.push({ id: own.id, index: own.index, body, json });
    if (end === own.tail.length) return planned;
    own.tail = own.tail.slice(end);
    own.id = createId('prt');
    own.index = nextIndex();
  }
}

/** Don't cut a surrogate pair in half. */
function cutAt(text: string): number {
  const code = text.charCodeAt(SEGMENT_CHARACTERS);
  return code >= 0xdc00 && code <= 0xdfff ? SEGMENT_CHARACTERS - 1 : SEGMENT_CHARACTERS;
}

interface RowOwner {
  readonly id: string;
  readonly sessionId: string;
  readonly now: number;
}

function writePart(
  database: Database,
  { id: messageId, sessionId, now }: RowOwner,
  row: PlannedRow,
) {
  const { id, index, body, json } = row;
  const tool = isToolBody(body) ? body : undefined;
  database.run(
    UPSERT_PART,
    ...[id, messageId, sessionId, index, body.type, json],
    ...[tool?.toolCallId ?? null, tool?.state ?? null, now, now],
  );
}

function writeMetadata(database: Database, { id, sessionId, now }: RowOwner, meta: TurnMetadata) {
  if (!meta.changed) return;
  const sql = 'UPDATE chat_messages SET metadata_json = ?, updated_at = ? WHERE id = ?';
  database.run(sql, JSON.stringify(meta.value()), now, id);
  touchSession(database, sessionId, now, meta.unwritten);
}

/** A part's type and call never change, so an update leaves their indexes alone. */
const UPSERT_PART = `
  INSERT INTO chat_parts (id, message_id, session_id, "index", type, data_json, tool_call_id, tool_state, created_at, updated_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(id) DO UPDATE SET data_json = excluded.data_json, tool_state = excluded.tool_state,
    updated_at = excluded.updated_at`;
