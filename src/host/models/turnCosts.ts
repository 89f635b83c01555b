import type { ModelFailure } from '../../agent/endpoint/faults.ts';
import { type Price, toCost } from '../../agent/models/price.ts';
import type { Chunk } from '../../base/stream/chunk.ts';
import type { Usage } from '../../base/stream/stored.ts';
import type { DayCosts } from './dayCosts.ts';

/** The user's limits, in US dollars and tokens; 0: none. */
export interface CostLimits {
  readonly sessionCost: number;
  readonly dayCost: number;
  readonly unpricedTokens: number;
}

export interface TurnCostParts {
  /** Undefined: unknown. */
  readonly price: Price | undefined;
  readonly limits: () => CostLimits;
  readonly day: DayCosts;
  /** What the session has used before this turn. */
  readonly before: { readonly cost: number; readonly tokens: number };
}

/** Counts what a turn costs, and says when no request may follow. */
export interface TurnCosts {
  /** The chunks, those about usage with their cost. */
  count(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void>;
  findStop(): ModelFailure | undefined;
}

export function createTurnCosts({ price, limits, day, before }: TurnCostParts): TurnCosts {
  let { cost: sessionCost, tokens } = before;
  let unnoted: string | undefined;
  const add = (chunk: Extract<Chunk, { type: 'data-usage' }>): Chunk => {
    tokens += getTotal(chunk.data);
    if (price === undefined) return chunk;
    const cost = toCost(price, chunk.data);
    sessionCost += cost;
    const noted = day.add(cost);
    if (!noted.ok) unnoted = noted.error;
    return { ...chunk, cost, sessionCost };
  };
  return {
    async *count(chunks) {
      for await (const chunk of chunks) yield chunk.type === 'data-usage' ? add(chunk) : chunk;
    },
    findStop() {
      const { dayCost, sessionCost: most, unpricedTokens } = limits();
      if (most > 0 && sessionCost >= most)
        return stop(`This session has cost ${toDollars(sessionCost)}`, 'sessionCost');
      if (dayCost > 0) {
        const today = day.today();
        // What can't be counted can't be limited.
        const fault = unnoted ?? (today.ok ? undefined : today.error);
        if (fault !== undefined) return stop(fault.replace(/\.$/, ''), 'dayCost');
        if (today.ok && today.data >= dayCost)
          return stop(`Today's sessions have cost ${toDollars(today.data)}`, 'dayCost');
      }
      const limited = (most > 0 || dayCost > 0) && price === undefined && unpricedTokens > 0;
      if (!limited || tokens < unpricedTokens) return undefined;
      const used = tokens.toLocaleString('en');
      return stop(
        `The model's price is unknown, and this session has used ${used} tokens`,
        'unpricedTokens',
      );
    },
  };
}

function stop(what: string, limit: keyof CostLimits): ModelFailure {
  return {
    kind: 'budget',
    retryable: true,
    text: `${what}, so Gatehouse stopped before the next request (gatehouse.limits.${limit}). Everything so far is saved. Raise the limit, then retry.`,
  };
}

function toDollars(amount: number): string {
  return `$${amount.toFixed(amount < 0.1 ? 4 : 2)}`;
}

function getTotal({ input, output, cache_read, cache_write }: Usage): number {
  return input + output + cache_read + cache_write;
}
