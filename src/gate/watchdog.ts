import { WATCHDOG_FAILED, type WatchdogAnswer } from '../permissions/evaluate/watchdog.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import type { GateContext } from './gateContext.ts';
import type { Operation } from './operation.ts';

/** Milliseconds a watchdog has for its answer. */
const LIMIT_MS = 10_000;

/** Asks the session's watchdog; without one everything passes. */
export async function askWatchdog(
  { watchdog, sessionId }: GateContext,
  tool: string,
  input: unknown,
  signal: AbortSignal,
): Promise<WatchdogAnswer> {
  if (watchdog === undefined) return { action: 'allow' };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<WatchdogAnswer>((resolve) => {
    timer = setTimeout(() => resolve({ action: 'deny', reason: WATCHDOG_FAILED }), LIMIT_MS);
  });
  try {
    return await Promise.race([watchdog({ sessionId, tool, input }, signal), late]);
  } catch {
    return { action: 'deny', reason: WATCHDOG_FAILED };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A tool whose author wants every call confirmed (spec D-25): no rule may allow it unseen, and without a
 * user it does not run. What an answer would store is left out, for no rule would be obeyed.
 */
export function confirmed(
  { confirmation, id }: Operation,
  decision: Decision,
  headless: boolean,
): Decision {
  if (confirmation === undefined || decision.decision !== 'allow') return decision;
  if (!headless && confirmation === 'user') return decision;
  const reason = `${id} wants each of its calls confirmed.`;
  if (!headless) return { ...decision, decision: 'ask', reason, candidates: () => [] };
  return { ...decision, decision: 'deny', reason: `${reason} No user is there to ask.` };
}
