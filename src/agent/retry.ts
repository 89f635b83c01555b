import type { ModelFailure } from './faults.ts';

/** The longest wait that is worth holding the turn for; beyond it the user is told. Milliseconds. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 1_000;

/** Statuses that pass by themselves. */
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

/**
 * How long to wait before asking again, in milliseconds; undefined when asking again makes no sense.
 * The endpoint's own `retry-after` counts, else 1 s doubled each time. Only what failed before its
 * first word is asked again by itself: what was streamed must not be said twice.
 */
export function backOff(
  fault: ModelFailure,
  attempt: number,
  maxRetries: number,
): number | undefined {
  if (attempt > maxRetries || fault.status === undefined || !PASSING.has(fault.status)) return;
  const wait = fault.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
  if (fault.retryAfterMs !== undefined && wait > LONGEST_WAIT_MS) return;
  return Math.min(wait, LONGEST_WAIT_MS);
}
