import type { ModelAccess } from '../../models/provider.ts';

/** An address with `/v1` or `/api` behind it means the same server. */
export function toRoot({ baseUrl }: Pick<ModelAccess, 'baseUrl'>): string {
  return baseUrl.replace(/\/(v1|api)$/, '');
}
