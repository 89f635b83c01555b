import type { Hunk } from './hunks.ts';

/**
 * Finds which hunks of a change were applied to get this text; undefined when it contains other
 * changes. A new diff could not tell: where lines repeat, the same text has several diffs.
 */
export function matchKept(
  oldText: string,
  hunks: readonly Hunk[],
  text: string,
): readonly boolean[] | undefined {
  const kept: boolean[] = [];
  // Hunks taken as kept; when the rest does not match, the search backtracks and tries the other choice.
  const open: { readonly index: number; readonly at: number }[] = [];
  const seen = new Set<string>();
  let [index, at] = [0, 0];
  let keep = true;
  for (let steps = 0; steps < hunks.length * STEPS_PER_HUNK + STEPS_PER_HUNK; steps += 1) {
    const next = follow(oldText, hunks, text, { index, at, keep });
    if (next !== undefined && index === hunks.length) return kept;
    if (next !== undefined && !seen.has(`${index + 1} ${next}`)) {
      if (keep) open.push({ index, at });
      kept[index] = keep;
      seen.add(`${index + 1} ${next}`);
      [index, at, keep] = [index + 1, next, true];
      continue;
    }
    if (keep && index < hunks.length) {
      keep = false;
      continue;
    }
    const back = open.pop();
    if (back === undefined) return undefined;
    [index, at, keep] = [back.index, back.at, false];
    kept.length = index;
  }
  return undefined;
}

const STEPS_PER_HUNK = 8;

interface Step {
  readonly index: number;
  /** The offset up to which the text is matched. */
  readonly at: number;
  readonly keep: boolean;
}

/**
 * The offset after a hunk that was or wasn't applied, or after the rest of the text; undefined when
 * it doesn't match.
 */
function follow(
  oldText: string,
  hunks: readonly Hunk[],
  text: string,
  { index, at, keep }: Step,
): number | undefined {
  const before = hunks[index - 1];
  const from = before === undefined ? 0 : before.oldStart + before.oldText.length;
  const hunk = hunks[index];
  const same = oldText.slice(from, hunk?.oldStart);
  if (!text.startsWith(same, at)) return undefined;
  const end = at + same.length;
  if (hunk === undefined) return end === text.length ? end : undefined;
  const part = keep ? hunk.newText : hunk.oldText;
  return text.startsWith(part, end) ? end + part.length : undefined;
}
