/**
 * A pattern in which only `*` is special, as the literal parts between the stars: `['git ', '']` is
 * `git *`. A single part is an exact text.
 */
export type StarPattern = readonly string[];

/** Splits at every `*`. A run of stars counts as one. */
export function parseStar(pattern: string): StarPattern {
  return pattern.split(/\*+/);
}

/**
 * Whether the whole text matches. Each part is searched once, from left to right, so the time is
 * linear in the text and no pattern causes backtracking (CVE-2026-26996).
 */
export function matchesStar(pattern: StarPattern, text: string): boolean {
  const head = pattern[0] ?? '';
  const last = pattern.length - 1;
  if (last === 0) return text === head;
  if (!text.startsWith(head)) return false;

  const tail = pattern[last] ?? '';
  const end = text.length - tail.length;
  if (end < head.length || !text.endsWith(tail)) return false;

  let at = head.length;
  for (let index = 1; index < last; index += 1) {
    const part = pattern[index] ?? '';
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Stands for "any text" when one pattern is matched against another. Commands can't contain it. */
const ANY = '\uFFFF';

/**
 * Whether `wide` matches everything that `narrow` matches (spec CA-2, decision 1). The stars of
 * `narrow` become tokens that only a star of `wide` can match. False when in doubt.
 */
export function coversStar(wide: StarPattern, narrow: StarPattern): boolean {
  if (wide.some((part) => part.includes(ANY)) || narrow.some((part) => part.includes(ANY))) {
    return wide.length === narrow.length && wide.every((part, index) => part === narrow[index]);
  }
  return matchesStar(wide, narrow.join(ANY));
}
