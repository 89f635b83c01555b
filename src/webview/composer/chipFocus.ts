import type { Chip, ReadResult } from '../messages/attached.ts';

/**
 * The chip that gets the focus when one of `count` goes, by its index before: the next, or the one
 * before the last. Undefined for the text.
 */
export function afterRemoval(index: number, count: number): number | undefined {
  if (index + 1 < count) return index + 1;
  return index > 0 ? index - 1 : undefined;
}

/** Adds chips, each only once. */
export function addChips(own: readonly Chip[], added: readonly Chip[]): readonly Chip[] {
  const known = new Set(own.map(({ id }) => id));
  return [...own, ...added.filter(({ id }) => !known.has(id))];
}

/** Puts what was read in the place of its chip. A chip that the user removed meanwhile stays removed. */
export function settleChip(
  own: readonly Chip[],
  request: string,
  result: ReadResult,
): readonly Chip[] {
  return own.map((chip) => {
    if (chip.id !== request) return chip;
    if ('attached' in result) return { ...result.attached, request };
    const { reading: _, ...rest } = chip;
    return { ...rest, fault: result.fault };
  });
}

/** A chip because of which the message can't be sent: one that could not be read, else one that is being read. */
export function findHolding(own: readonly Chip[]): Chip | undefined {
  return own.find(({ fault }) => fault !== undefined) ?? own.find(({ reading }) => reading);
}
