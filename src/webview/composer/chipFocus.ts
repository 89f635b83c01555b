import type { Attached } from '../messages/attached.ts';

/**
 * The chip that gets the focus when one of `count` goes, by its index before: the next, or the one
 * before the last. Undefined for the text.
 */
export function afterRemoval(index: number, count: number): number | undefined {
  if (index + 1 < count) return index + 1;
  return index > 0 ? index - 1 : undefined;
}

/** Adds chips, each only once. */
export function addChips(
  own: readonly Attached[],
  added: readonly Attached[],
): readonly Attached[] {
  const known = new Set(own.map(({ id }) => id));
  return [...own, ...added.filter(({ id }) => !known.has(id))];
}
