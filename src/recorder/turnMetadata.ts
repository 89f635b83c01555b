import type { Clock } from '../base/clock.ts';
import { recordOf } from '../base/json.ts';
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
      if (chunk.type !== 'data-usage' || !('data' in chunk)) return;
      const usage = toUsage(chunk.data);
      unwritten = sum(unwritten, usage);
      set({ usage: sum(value.usage, usage) });
    },
  };
}

function toUsage(data: unknown): Usage {
  const { input, output, reasoning, cache_read, cache_write } = recordOf(data);
  return {
    input: Number(input) || 0,
    output: Number(output) || 0,
    reasoning: Number(reasoning) || 0,
    cache_read: Number(cache_read) || 0,
    cache_write: Number(cache_write) || 0,
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
