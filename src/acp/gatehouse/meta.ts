import { decoration, type Parser } from './parse.ts';

/** A message that may carry `_meta`. */
export interface MetaHolder {
  readonly _meta?: { readonly [key: string]: unknown } | null | undefined;
}

/** A `_meta` with our own part, as in every message of ours. */
export function toMeta<Own extends object>(own: Own): { readonly _meta: { gatehouse: Own } } {
  return { _meta: { gatehouse: own } };
}

/** The same of a message that it only decorates: a part that cannot be read counts as none. */
export function readDecoration<Own>(holder: MetaHolder, parser: Parser<Own>): Own | undefined {
  return decoration(parser).optional(holder._meta?.['gatehouse']);
}

/**
 * Parses our part of `_meta`; undefined when there is none. Throws `WireError` when it is invalid.
 */
export function readMeta<Own>(holder: MetaHolder, parser: Parser<Own>): Own | undefined {
  const own = holder._meta?.['gatehouse'];
  return own == null ? undefined : parser(own, '_meta.gatehouse');
}
