import type { Usage } from '../../base/stream/stored.ts';

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Default: as `input`. */
  readonly cacheRead?: number;
  /** Default: as `input`. */
  readonly cacheWrite?: number;
  /** What requests with more input than `tokens` cost. */
  readonly above?: { readonly tokens: number } & Omit<Price, 'above'>;
}

/** Of models on the user's own machine. */
export const FREE: Price = { input: 0, output: 0 };

/** US dollars for one request. */
export function toCost(price: Price, usage: Usage): number {
  const { input, output, cache_read, cache_write } = usage;
  const sent = input + cache_read + cache_write;
  const rate = price.above !== undefined && sent > price.above.tokens ? price.above : price;
  return (
    (input * rate.input +
      cache_read * (rate.cacheRead ?? rate.input) +
      cache_write * (rate.cacheWrite ?? rate.input) +
      output * rate.output) /
    1_000_000
  );
}
