import type { Clock } from '../base/clock.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { MessageMetadata, Usage } from '../base/stream/stored.ts';
import type { Database } from './file/database.ts';
import type { RowOwner } from './rows.ts';
import { touchSession } from './sessions.ts';

/** Message metadata collected from a turn's chunks: usage and how the turn ended. */
export interface TurnMetadata {
  readonly changed: boolean;
  /** The turn has reported how it ended. */
  readonly ended: boolean;
  /** Usage that is not in the session's totals yet. */
  readonly unwritten: Usage | undefined;
  /** US dollars of that usage. */
  readonly unwrittenCost: number;
  take(chunk: Chunk): void;
  value(): MessageMetadata;
  /** Call after the changes were committed. */
  written(): void;
}

export function createTurnMetadata(initial: MessageMetadata, clock: Clock): TurnMetadata {
  let value = initial;
  let changed = false;
  let unwritten: Usage | undefined;
  let unwrittenCost = 0;
  const set = (news: MessageMetadata) => {
    value = { ...value, ...news };
    changed = true;
  };
  return {
    get changed() {
      return changed;
    },
    get ended() {
      return value.finish_reason !== undefined || value.aborted_at !== undefined;
    },
    get unwritten() {
      return unwritten;
    },
    get unwrittenCost() {
      return unwrittenCost;
    },
    value: () => value,
    written: () => {
      changed = false;
      unwritten = undefined;
      unwrittenCost = 0;
    },
    take: (chunk) => {
      if (chunk.type === 'abort') set({ aborted_at: clock.now() });
      if (chunk.type === 'finish') set({ finish_reason: chunk.finishReason });
      if (chunk.type !== 'data-usage') return;
      unwritten = sum(unwritten, chunk.data);
      unwrittenCost += chunk.cost ?? 0;
      set({
        usage: sum(value.usage, chunk.data),
        ...(chunk.aside !== true && { context_tokens: getTotal(chunk.data) }),
      });
    },
  };
}

/** Writes what changed to the message's row, and the usage to the session's totals. */
export function writeMetadata(
  database: Database,
  { id, sessionId, now }: RowOwner,
  meta: TurnMetadata,
): void {
  if (!meta.changed) return;
  const sql = 'UPDATE chat_messages SET metadata_json = ?, updated_at = ? WHERE id = ?';
  database.run(sql, JSON.stringify(meta.value()), now, id);
  touchSession(database, sessionId, now, meta.unwritten, meta.unwrittenCost);
}

/** What the model read and wrote in one request. */
function getTotal({ input, output, cache_read, cache_write }: Usage): number {
  return input + output + cache_read + cache_write;
}

function sum(a: Usage | undefined, b: Usage): Usage {
  if (a === undefined) return b;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
  };
}
