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
  /** The price of the model that requests aside, such as summaries, go to; default: `price`. */
  readonly aside?: { readonly price: Price | undefined } | undefined;
  readonly limits: () => CostLimits;
  readonly day: DayCosts;
  /** What the session has used so far. It is counted on. */
  readonly spent: Spent;
}

/** US dollars and tokens. */
export interface Spent {
  cost: number;
  tokens: number;
}

/** Counts what a turn costs, and says when no request may follow. */
export interface TurnCosts {
  /** The chunks, those about usage with their cost. */
  count(chunks: AsyncIterable<Chunk>): AsyncGenerator<Chunk, void>;
  /** Counts one request aside. Returns its US dollars; undefined if the price is unknown. */
  addAside(usage: Usage): number | undefined;
  findStop(): ModelFailure | undefined;
}

export function createTurnCosts(parts: TurnCostParts): TurnCosts {
  const { price, aside = { price }, limits, day, spent } = parts;
  let unnoted: string | undefined;
  const add = (usage: Usage, paid: Price | undefined): number | undefined => {
    spent.tokens += getTotal(usage);
    if (paid === undefined) return undefined;
    const cost = toCost(paid, usage);
    spent.cost += cost;
    const noted = day.add(cost);
    if (!noted.ok) unnoted = noted.error;
    return cost;
  };
  return {
    async *count(chunks) {
      for await (const chunk of chunks) {
        if (chunk.type !== 'data-usage') {
          yield chunk;
          continue;
        }
        const cost = add(chunk.data, chunk.aside === true ? aside.price : price);
        yield cost === undefined ? chunk : { ...chunk, cost, sessionCost: spent.cost };
      }
    },
    addAside: (usage) => add(usage, aside.price),
    findStop() {
      const { dayCost, sessionCost: most, unpricedTokens } = limits();
      if (most > 0 && spent.cost >= most)
        return stop(`This session has cost ${toDollars(spent.cost)}`, 'sessionCost');
      if (dayCost > 0) {
        const today = day.today();
        // What can't be counted can't be limited.
        const fault = unnoted ?? (today.ok ? undefined : today.error);
        if (fault !== undefined) return stop(fault.replace(/\.$/, ''), 'dayCost');
        if (today.ok && today.data >= dayCost)
          return stop(`Today's sessions have cost ${toDollars(today.data)}`, 'dayCost');
      }
      const limited = (most > 0 || dayCost > 0) && price === undefined && unpricedTokens > 0;
      if (!limited || spent.tokens < unpricedTokens) return undefined;
      const used = spent.tokens.toLocaleString('en');
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
