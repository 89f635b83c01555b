import type { Clock } from '../base/clock.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import { compact, toLimit } from './compact.ts';
import { applyCompactions, findRecent } from './compaction/boundary.ts';
import { countCharacters, countJson, estimateTokens, type Measure } from './compaction/sizes.ts';
import type { Conversation } from './conversation.ts';
import type { ModelFailure } from './endpoint/faults.ts';
import type { StepOutcome } from './modelStep.ts';
import type { ToolCard, Turn } from './turn.ts';

/** Keeps a turn's requests within the model's context window (spec CS-86, spec CS-88). */
export interface ContextCare {
  /** Call with each chunk after it joined the conversation. */
  note(chunk: Chunk): void;
  /**
   * Compacts the conversation if the next request would be too large. Returns why it can't be sent, if
   * the session was switched to a model whose window it does not fit all the same.
   */
  beforeStep(): AsyncGenerator<Chunk, ModelFailure | undefined>;
  /** Whether a request that the endpoint refused as too long is worth repeating; once in a turn. */
  afterFault(outcome: StepOutcome): AsyncGenerator<Chunk, boolean>;
}

export function createContextCare(
  turn: Turn,
  conversation: Conversation,
  clock: Clock,
): ContextCare {
  const watch = createWatch(turn, conversation);
  let limit = toLimit(turn.contextTokens);
  // A summary that failed, or that made too little room, would do so again before each step.
  let useless = false;
  let refused = false;
  return {
    note: watch.note,
    async *beforeStep() {
      const used = watch.used();
      if (useless || used < limit) return undefined;
      const end = yield* compact(turn, conversation, { limit, used }, clock);
      useless = end.kind !== 'completed' || watch.used() >= limit;
      return useless ? findRefusal(turn, watch.used()) : undefined;
    },
    async *afterFault({ fault, streamed }) {
      if (fault?.kind !== 'context-length' || streamed || refused) return false;
      refused = true;
      const used = watch.used();
      limit = toRefusedLimit(fault.text, used);
      const size = Math.max(used, limit + 1);
      const end = yield* compact(turn, conversation, { limit, used: size }, clock);
      useless = end.kind !== 'completed';
      return end.kind === 'completed';
    },
  };
}

/**
 * The user has chosen another model since the last answer, and can choose the earlier one again
 * (spec CS-88). Without a switch, the endpoint says what is too long.
 */
function findRefusal({ model, messages, contextTokens = 0 }: Turn, used: number) {
  const visible = messages.filter(({ metadata }) => metadata.hidden_at === undefined);
  const last = visible.findLast(({ metadata }) => metadata.model !== undefined)?.metadata.model;
  const switched = last !== undefined && last.model_id !== model.modelId;
  if (!switched || contextTokens === 0 || used <= contextTokens) return undefined;
  return {
    ...({ kind: 'context-length', retryable: false } as const),
    text: `The conversation does not fit the context window of "${model.modelId}" (${contextTokens} tokens), although it was compacted: it has about ${used}. Nothing was sent, and everything is kept. Switch back to "${last.model_id}", or fork the session from an earlier message.`,
  };
}

/** The window that the endpoint names, if it is smaller than the request; else a part of the request. */
function toRefusedLimit(text: string, used: number): number {
  const named = WINDOWS.map((pattern) => Number(pattern.exec(text)?.[1])).find(
    (size) => size >= 512,
  );
  const limit = named === undefined ? Number.POSITIVE_INFINITY : toLimit(named);
  return Math.min(limit, Math.ceil(used * SMALLER));
}

const WINDOWS = [
  /(?:context (?:length|window|size)|n_ctx)\D{0,24}(\d{3,8})/i,
  /(\d{3,8}) tokens? (?:context|max)/i,
];

const SMALLER = 0.6;

interface Watch {
  note(chunk: Chunk): void;
  /** Tokens of the next request: the last answer's usage and an estimate of what came since. */
  used(): number;
}

function createWatch(turn: Turn, conversation: Conversation): Watch {
  const count = () => countCharacters(applyCompactions(conversation.messages)) + overhead(turn);
  let measure = findMeasure(conversation, count);
  return {
    note(chunk) {
      if (chunk.type === 'data-usage' && chunk.aside !== true) {
        const { input, output, cache_read, cache_write } = chunk.data;
        measure = { tokens: input + output + cache_read + cache_write, characters: count() };
      }
      // What was measured is no longer sent.
      if (chunk.type === 'data-compaction' && chunk.data.status === 'completed')
        measure = undefined;
    },
    used: () => estimateTokens(count(), measure),
  };
}

/** How large the last stored answer left the conversation, unless it was compacted since. */
function findMeasure(conversation: Conversation, count: () => number): Measure | undefined {
  const shown = findRecent(conversation.messages);
  for (let at = shown.length - 1; at >= 0; at--) {
    const message = shown[at];
    const tokens = message?.metadata.context_tokens;
    if (typeof tokens === 'number' && tokens > 0) {
      return { tokens, characters: count() - countCharacters(shown.slice(at + 1)) };
    }
    if (message?.parts.some(({ type }) => type === 'data-compaction')) return undefined;
  }
  return undefined;
}

const known = new WeakMap<readonly ToolCard[], number>();

/** Characters of the prompt and the tools, which each request has. */
function overhead({ system, tools }: Turn): number {
  const counted = known.get(tools) ?? countJson(tools);
  known.set(tools, counted);
  return system.length + counted;
}
