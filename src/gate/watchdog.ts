import { findNearExact } from '../permissions/decide/nearArguments.ts';
import { NOTHING_OFFERED } from '../permissions/evaluate/evaluate.ts';
import { WATCHDOG_FAILED, type WatchdogAnswer } from '../permissions/evaluate/watchdog.ts';
import { type ExactArguments, listExactRules, offerExact } from '../permissions/rules/exactCall.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import type { GateContext } from './gateContext.ts';
import type { Operation } from './operation.ts';

/** In milliseconds: more than `limits.watchdogMs` may be, for a watchdog that does not keep to it. */
const LIMIT_MS = 70_000;

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
  operation: Operation,
  input: unknown,
  decision: Decision,
  headless: boolean,
): Decision {
  const { confirmation, askReason, id } = toConfirming(operation, input, decision);
  if (confirmation === 'ask' && decision.decision === 'ask') {
    return { ...decision, ...(askReason && { reason: askReason }), ...NOTHING_OFFERED };
  }
  if (confirmation === undefined || decision.decision !== 'allow') return decision;
  if (!headless && confirmation === 'user') return decision;
  const reason = askReason ?? `${id} requires confirmation of every call.`;
  if (!headless) return { ...decision, decision: 'ask', reason, ...NOTHING_OFFERED };
  return { ...decision, decision: 'deny', reason: `${reason} No user is available to ask.` };
}

/** A call without the sandbox asks as if its author demanded it, whatever allows the command. */
function toConfirming(operation: Operation, input: unknown, { decision, reason }: Decision) {
  if (operation.withoutSandbox?.(input) !== true) return operation;
  const askReason = decision === 'ask' ? `${WITHOUT_SANDBOX} ${reason}` : WITHOUT_SANDBOX;
  return { id: operation.id, confirmation: 'ask', askReason } as const;
}

const WITHOUT_SANDBOX = 'It asks to run without the sandbox, with all of your rights.';

/** A call that the watchdog denies or asks about. */
interface Watched extends ExactArguments {
  readonly operation: Operation;
  readonly headless: boolean;
}

/**
 * Applies the watchdog's answer, which no rule about more than this call lifts: what can be stored is an
 * answer for this tool with these arguments, in this session (spec C-61).
 */
export function tightened(
  decision: Decision,
  { action, reason }: Exclude<WatchdogAnswer, { readonly action: 'allow' }>,
  { operation, input, inputText, headless }: Watched,
): Decision {
  const title = operation.title?.(input) ?? operation.id;
  const { id: tool, identity } = operation;
  const call = { tool, identity, input, inputText, title };
  const stricter = {
    ...decision,
    layer: 'watchdog',
    reason,
    ...NOTHING_OFFERED,
    offers: () => offerExact(call, () => isLifted(decision)),
  } as const;
  if (action === 'ask' && !headless) return { ...stricter, decision: 'ask' };
  return { ...stricter, decision: 'deny', ...(action === 'ask' && { headless: true }) };
}

/** The decision on a call for which the user's answer was kept; undefined if it changes nothing. */
export function withExactRule(decision: Decision, rule: Rule): Decision | undefined {
  const kept = { ...decision, layer: 'rules', rule, ...NOTHING_OFFERED } as const;
  if (rule.action === 'deny') {
    const reason = 'You rejected exactly this call for the rest of the session.';
    return { ...kept, decision: 'deny', reason };
  }
  if (decision.decision === 'allow') return decision;
  if (!isLifted(decision)) return undefined;
  return { ...kept, decision: 'allow', reason: 'You allowed exactly this call for this session.' };
}

/** An ask names the kept answer that differs from this call in one argument, if no other rule is nearer. */
export function withNearExact(
  decision: Decision,
  tool: string,
  input: unknown,
  exact: readonly Rule[],
): Decision {
  if (decision.decision !== 'ask' || exact.length === 0) return decision;
  // What the watchdog asks about, no rule by pattern would have allowed.
  const byPattern = decision.layer === 'watchdog' ? undefined : decision.near;
  const near = () => byPattern?.() ?? findNearExact(listExactRules(exact, tool), input);
  return { ...decision, near };
}

/** Whether an answer for exactly this call lifts the ask of the rules: some rule could do so too. */
function isLifted(decision: Decision): boolean {
  return decision.decision === 'allow' || decision.offers().allow.length > 0;
}
