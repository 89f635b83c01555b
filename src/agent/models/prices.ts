import type { Price } from './price.ts';
import type { ProviderId } from './provider.ts';

/** The providers' public price lists, from which the figures below are. */
const LISTS: Readonly<Partial<Record<ProviderId, string>>> = {
  anthropic: 'https://docs.claude.com/en/docs/about-claude/pricing',
  openai: 'https://platform.openai.com/docs/pricing',
  google: 'https://ai.google.dev/gemini-api/docs/pricing',
};

interface KnownModel {
  /** The id without a date. */
  readonly id: string;
  readonly contextTokens?: number;
  readonly price?: Price;
}

/**
 * What the lists of the providers don't say: context windows and prices, of the standard tier. A model that
 * is not listed here has no known price.
 */
const MODELS: Readonly<Partial<Record<ProviderId, readonly KnownModel[]>>> = {
  anthropic: [
    claude('claude-opus-4-8', 5, 25, 1_000_000),
    claude('claude-opus-4-7', 5, 25, 1_000_000),
    claude('claude-opus-4-6', 5, 25, 1_000_000),
    claude('claude-opus-4-5', 5, 25, 200_000),
    claude('claude-opus-4-1', 15, 75, 200_000),
    claude('claude-opus-4', 15, 75, 200_000),
    claude('claude-sonnet-4-6', 3, 15, 1_000_000),
    claude('claude-sonnet-4-5', 3, 15, 200_000),
    claude('claude-sonnet-4', 3, 15, 200_000),
    claude('claude-haiku-4-5', 1, 5, 200_000),
    claude('claude-3-5-haiku', 0.8, 4, 200_000),
  ],
  openai: [
    gpt('gpt-5.5-pro', 1_050_000),
    gpt('gpt-5.5', 1_050_000, { input: 5, cacheRead: 0.5, output: 30 }, 272_000),
    gpt('gpt-5.4-mini', 400_000, { input: 0.75, cacheRead: 0.075, output: 4.5 }),
    gpt('gpt-5.4-nano', 400_000, { input: 0.2, cacheRead: 0.02, output: 1.25 }),
    gpt('gpt-5.4-pro', 1_050_000),
    gpt('gpt-5.4', 1_050_000, { input: 2.5, cacheRead: 0.25, output: 15 }, 272_000),
    gpt('gpt-5.1', 400_000, { input: 1.25, cacheRead: 0.125, output: 10 }),
    gpt('gpt-5-mini', 400_000, { input: 0.25, cacheRead: 0.025, output: 2 }),
    gpt('gpt-5-nano', 400_000, { input: 0.05, cacheRead: 0.005, output: 0.4 }),
    gpt('gpt-5-pro', 400_000),
    gpt('gpt-5', 400_000, { input: 1.25, cacheRead: 0.125, output: 10 }),
    gpt('gpt-4.1-mini', 1_047_576, { input: 0.4, cacheRead: 0.1, output: 1.6 }),
    gpt('gpt-4.1-nano', 1_047_576, { input: 0.1, cacheRead: 0.025, output: 0.4 }),
    gpt('gpt-4.1', 1_047_576, { input: 2, cacheRead: 0.5, output: 8 }),
    gpt('gpt-4o-mini', 128_000, { input: 0.15, cacheRead: 0.075, output: 0.6 }),
    gpt('gpt-4o', 128_000, { input: 2.5, cacheRead: 1.25, output: 10 }),
    gpt('o4-mini', 200_000, { input: 1.1, cacheRead: 0.275, output: 4.4 }),
    gpt('o3-mini', 200_000, { input: 1.1, cacheRead: 0.55, output: 4.4 }),
    gpt('o3', 200_000, { input: 2, cacheRead: 0.5, output: 8 }),
  ],
  google: [
    gemini('gemini-3.5-flash', { input: 1.5, output: 9 }),
    gemini('gemini-3.1-pro', { input: 2, cacheRead: 0.2, output: 12 }, { input: 4, output: 18 }),
    gemini('gemini-3.1-flash-lite', { input: 0.25, output: 1.5 }),
    gemini(
      'gemini-2.5-pro',
      { input: 1.25, cacheRead: 0.125, output: 10 },
      { input: 2.5, output: 15 },
    ),
    gemini('gemini-2.5-flash-lite', { input: 0.1, output: 0.4 }),
    gemini('gemini-2.5-flash', { input: 0.3, cacheRead: 0.03, output: 2.5 }),
  ],
};

/** The cache of Anthropic: writing costs a quarter more, reading a tenth. */
function claude(id: string, input: number, output: number, contextTokens: number): KnownModel {
  const price = { input, output, cacheRead: input / 10, cacheWrite: input * 1.25 };
  return { id, contextTokens, price };
}

/** `above`: the size from which a request costs twice its input and half as much again of its output. */
function gpt(id: string, contextTokens: number, price?: Price, above?: number): KnownModel {
  if (price === undefined) return { id, contextTokens };
  if (above === undefined) return { id, contextTokens, price };
  const more = {
    tokens: above,
    input: price.input * 2,
    output: price.output * 1.5,
    ...(price.cacheRead !== undefined && { cacheRead: price.cacheRead * 2 }),
  };
  return { id, contextTokens, price: { ...price, above: more } };
}

/** `more`: the price of a request with more than 200,000 tokens of input. */
function gemini(id: string, price: Price, more?: Price): KnownModel {
  const above = more && { above: { tokens: 200_000, ...more } };
  return { id, contextTokens: 1_048_576, price: { ...price, ...above } };
}

export const PRICES = {
  /** The day whose prices these are. */
  date: '2026-06-30',
  lists: LISTS,
  models: MODELS,
} as const;
