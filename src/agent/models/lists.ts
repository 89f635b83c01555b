import { asString, toRecord } from '../../base/json.ts';

type Row = Readonly<Record<string, unknown>>;

/** The rows of a list in an answer; anything else in their place is none. */
export function toList(answer: unknown, field: string): readonly Row[] {
  const list = toRecord(answer)[field];
  return Array.isArray(list) ? list.map(toRecord) : [];
}

/** A text that says something. */
export function readText(row: Row, field: string): string | undefined {
  const text = asString(row[field]);
  return text === undefined || text.trim() === '' ? undefined : text;
}

export function toName(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

/** A context window; 0 and anything else mean that nobody knows it. */
export function toTokens(value: unknown): { readonly contextTokens?: number } {
  const known = typeof value === 'number' && Number.isInteger(value) && value > 0;
  return known ? { contextTokens: value } : {};
}
