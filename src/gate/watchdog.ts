import { NOTHING_OFFERED } from '../permissions/evaluate/evaluate.ts';
import { WATCHDOG_FAILED, type WatchdogAnswer } from '../permissions/evaluate/watchdog.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import type { GateContext } from './gateContext.ts';
import type { Operation } from './operation.ts';

/** Time limit of the watchdog in milliseconds. */
const LIMIT_MS = 10_000;

/** Asks the session's watchdog. Without one, every call passes. */
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
 * Applies an author's demand to confirm every call (spec D-25): no rule may skip the ask, and without a
 * user the call does not run. No rules are offered to store, because none would apply.
 */
export function confirmed(
  { confirmation, askReason, id }: Operation,
  decision: Decision,
  headless: boolean,
): Decision {
  if (confirmation === 'ask' && decision.decision === 'ask') {
    return { ...decision, ...(askReason && { reason: askReason }), ...NOTHING_OFFERED };
  }
  if (confirmation === undefined || decision.decision !== 'allow') return decision;
  if (!headless && confirmation === 'user') return decision;
  const reason = askReason ?? `${id} requires confirmation of every call.`;
  if (!headless) return { ...decision, decision: 'ask', reason, ...NOTHING_OFFERED };
  return { ...decision, decision: 'deny', reason: `${reason} No user is available to ask.` };
}
