import type { Price } from './price.ts';
import { PRICES } from './prices.ts';
import type { ProviderId } from './provider.ts';

export interface KnownFacts {
  readonly contextTokens?: number;
  readonly price?: Price;
}

export function findKnown(provider: ProviderId, id: string): KnownFacts {
  const rows = PRICES.models[provider === 'openai-chat' ? 'openai' : provider] ?? [];
  const found = rows.find((row) => isVersionOf(id, row.id));
  if (found === undefined) return {};
  const { contextTokens, price } = found;
  return { ...(contextTokens !== undefined && { contextTokens }), ...(price && { price }) };
}

/** The id itself or one with a date or `-latest`; another word behind it is another model. */
function isVersionOf(id: string, row: string): boolean {
  if (!id.startsWith(row)) return false;
  return /^(-\d{4,8}(-\d{2}-\d{2})?|-latest|-preview.*)?$/.test(id.slice(row.length));
}
