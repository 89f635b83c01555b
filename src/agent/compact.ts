import type { Clock } from '../base/clock.ts';
import { createId } from '../base/ids.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { Compaction } from '../base/stream/dataChunk.ts';
import type { Usage } from '../base/stream/stored.ts';
import { toPlainHistory } from './compaction/plainHistory.ts';
import { type CompactionPlan, planCompaction, pruneAll } from './compaction/plan.ts';
import { toTokens } from './compaction/sizes.ts';
import type { Conversation } from './conversation.ts';
import { summarise } from './summarise.ts';
import type { Turn } from './turn.ts';

/** Tokens of a window whose size nobody said. */
const ASSUMED_WINDOW = 128_000;

/** Tokens kept free for the answer, at most (spec CS-86). */
const RESERVE = 20_000;

/** The part of the limit that the last turns may take, and what is aimed at, of the limit. */
const TAIL = 0.25;
const GOAL = 0.6;

/** Less than this is not worth a summary, in characters. */
const LEAST = 2_000;

/** The tokens that a request may have: the window without a reserve for the answer. */
export function toLimit(contextTokens: number | undefined): number {
  const window = contextTokens || ASSUMED_WINDOW;
  return window - Math.min(RESERVE, Math.floor(window / 4));
}

export interface CompactionOptions {
  /** Tokens that the next request may have. */
  readonly limit: number;
  /** Tokens that it would have; absent when the user asks, who wants all of it summarised. */
  readonly used?: number;
  /** What the user wants the summary to keep. */
  readonly focus?: string;
}

/** What became of it. */
export type CompactionEnd =
  | { readonly kind: 'completed' | 'nothing' }
  | { readonly kind: 'failed'; readonly error: string };

/**
 * Makes the conversation smaller (spec CS-86, spec CS-87): outputs of old calls are left out first; if that
 * isn't enough, a summary stands for what is old. Nothing changes in the record but for the part that says
 * so. A summary that fails leaves everything as it was. Rejects only on abort, after the `cancelled` chunk.
 */
export async function* compact(
  turn: Turn,
  conversation: Conversation,
  options: CompactionOptions,
  clock: Clock,
): AsyncGenerator<Chunk, CompactionEnd> {
  const { used, limit } = options;
  const auto = used !== undefined;
  // A token has about four characters, so a quarter of the limit has as many characters as tokens in it.
  const plan = planCompaction(conversation.messages, auto ? limit * 4 * TAIL : undefined);
  const id = createId('cmp', clock.now());
  const show = (data: Compaction): Chunk => ({ type: 'data-compaction', id, data });
  const pruned = auto ? toPruned(plan, used, limit) : undefined;
  if (pruned?.enough) {
    yield show({ status: 'completed', auto: true, ...pruned.record });
    return { kind: 'completed' };
  }
  if (plan.oldCharacters < LEAST) {
    if (!auto) yield show({ status: 'failed', error: NOTHING });
    return { kind: 'nothing' };
  }
  yield show({ status: 'in_progress', ...(auto && { auto: true }) });
  try {
    const usages: Usage[] = [];
    const { model = turn.model, prompt } = await turn.summarizer();
    const request = { system: prompt, ...toRequest(plan, options, usages) };
    const summary = await summarise({ ...turn, model }, request, clock);
    for (const data of usages) yield { type: 'data-usage', data, aside: true, transient: true };
    if (!summary.ok) {
      const error = `${summary.error} ${UNCHANGED}`;
      yield show({ status: 'failed', error });
      return { kind: 'failed', error };
    }
    yield show({ status: 'completed', ...toSummed(plan, summary.data, options) });
    return { kind: 'completed' };
  } catch (error) {
    if (turn.signal.aborted) yield show({ status: 'cancelled' });
    throw error;
  }
}

const NOTHING = 'There is nothing to compact yet: the conversation is short.';
const UNCHANGED = 'The conversation was not compacted, and nothing of it is lost.';

function toRequest({ old }: CompactionPlan, { limit, focus }: CompactionOptions, usages: Usage[]) {
  return {
    text: toPlainHistory(old),
    ...(focus !== undefined && { focus }),
    // Some texts have fewer characters in a token than the estimate says.
    most: limit * 3,
    onUsage: (usage: Usage) => void usages.push(usage),
  };
}

interface Pruned {
  readonly enough: boolean;
  readonly record: Omit<Compaction, 'status'>;
}

/** What leaving out old outputs, and cutting new ones that are too large, would do. */
function toPruned(plan: CompactionPlan, used: number, limit: number): Pruned {
  const { characters, outputs } = pruneAll(plan.old);
  const cut = toCut(plan, limit);
  const saved = plan.oldCharacters - characters + (cut?.saved ?? 0);
  // As the endpoint counts, which may be another number of characters in a token than we assume.
  const left = used * (1 - saved / Math.max(1, plan.oldCharacters + plan.tailCharacters));
  const enough = (outputs > 0 || cut !== undefined) && left <= limit * GOAL;
  return {
    enough,
    record: { outputs: outputs + (cut?.outputs ?? 0), ...plan.tail, ...cut?.record },
  };
}

/** The newest outputs are cut only if they alone leave no room. */
function toCut({ tailCharacters, tailOutputs }: CompactionPlan, limit: number) {
  const room = limit * 4 * GOAL;
  if (tailOutputs === 0 || tailCharacters <= room) return undefined;
  const most = Math.floor((room * GOAL) / tailOutputs);
  return {
    saved: tailCharacters - most * tailOutputs,
    outputs: tailOutputs,
    record: { tail_output_characters: most },
  };
}

function toSummed(
  plan: CompactionPlan,
  summary: string,
  { used, limit }: CompactionOptions,
): Omit<Compaction, 'status'> {
  return {
    summary,
    ...(used !== undefined && { auto: true }),
    messages: plan.old.length,
    summary_tokens: toTokens(summary.length),
    ...plan.tail,
    ...(used !== undefined && toCut(plan, limit)?.record),
  };
}
