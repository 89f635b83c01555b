import type { Clock } from '../base/clock.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { MessageMetadata, Usage } from '../base/stream/stored.ts';

/** What a turn's chunks say about the message itself: its usage, how it ended. */
export interface TurnMetadata {
  readonly changed: boolean;
  /** The turn said how it ended. */
  readonly ended: boolean;
  /** Usage that the session's sums do not hold yet. */
  readonly unwritten: Usage | undefined;
  take(chunk: Chunk): void;
  value(): MessageMetadata;
  /** What changed is committed. */
  written(): void;
}

export function createTurnMetadata(initial: MessageMetadata, clock: Clock): TurnMetadata {
  let value = initial;
  let changed = false;
  let unwritten: Usage | undefined;
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
    value: () => value,
    written: () => {
      changed = false;
      unwritten = undefined;
    },
    take: (chunk) => {
      if (chunk.type === 'abort') set({ aborted_at: clock.now() });
      if (chunk.type === 'finish') set({ finish_reason: chunk.finishReason });
      if (chunk.type !== 'data-usage') return;
      unwritten = sum(unwritten, chunk.data);
      set({ usage: sum(value.usage, chunk.data) });
    },
  };
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
