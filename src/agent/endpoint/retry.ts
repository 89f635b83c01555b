import type { ModelFailure } from './faults.ts';

/** Longest wait in milliseconds; if the endpoint asks for more, the turn fails instead. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_WAIT_MS = 1_000;

/** Statuses of temporary errors. */
const PASSING = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

/**
 * Milliseconds to wait before a retry; undefined when retrying makes no sense. Uses the endpoint's
 * `retry-after`, else 1 s, doubled each time. Only a request that failed before streaming anything
 * is retried automatically, so that no output appears twice.
 */
export function backOff(
  fault: ModelFailure,
  attempt: number,
  maxRetries: number,
): number | undefined {
  const passes = fault.passing ?? (fault.status !== undefined && PASSING.has(fault.status));
  if (attempt > maxRetries || !passes) return;
  const wait = fault.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
  if (fault.retryAfterMs !== undefined && wait > LONGEST_WAIT_MS) return;
  return Math.min(wait, LONGEST_WAIT_MS);
}
