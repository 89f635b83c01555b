import type { Judgement } from '../permissions/policy.ts';
import { type Verdict, WATCHDOG_FAILED } from '../permissions/watchdog.ts';
import type { CallContext } from './call.ts';
import type { Tool } from './contract.ts';

/** Milliseconds a watchdog has for its verdict. */
const LIMIT_MS = 10_000;

/** Asks the session's watchdog; without one everything passes. */
export async function askWatchdog(
  { watchdog, sessionId }: CallContext,
  tool: string,
  input: unknown,
  signal: AbortSignal,
): Promise<Verdict> {
  if (watchdog === undefined) return { verdict: 'allow' };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Verdict>((resolve) => {
    timer = setTimeout(() => resolve({ verdict: 'deny', reason: WATCHDOG_FAILED }), LIMIT_MS);
  });
  try {
    return await Promise.race([watchdog({ sessionId, tool, input }, signal), late]);
  } catch {
    return { verdict: 'deny', reason: WATCHDOG_FAILED };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A tool whose author wants every call confirmed (D-25): no rule may allow it unseen, and without a
 * user it does not run. What an answer would store is left out, for no rule would be obeyed.
 */
export function confirmed(
  { confirmation, id }: Tool,
  judgement: Judgement,
  headless: boolean,
): Judgement {
  if (confirmation === undefined || judgement.decision !== 'allow') return judgement;
  if (!headless && confirmation === 'user') return judgement;
  const reason = `${id} wants each of its calls confirmed.`;
  if (!headless) return { ...judgement, decision: 'ask', reason, candidates: () => [] };
  return { ...judgement, decision: 'deny', reason: `${reason} No user is there to ask.` };
}
