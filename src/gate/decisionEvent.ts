import type { Decision, SubjectDecision } from '../permissions/rules/policy.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import type { GateCall } from './gateContext.ts';

/** How the gate settled a call, or something that a running call reached. */
export interface DecisionEvent {
  readonly sessionId: string;
  readonly toolCallId: string;
  /** The operation's id: the name that rules use. */
  readonly tool: string;
  /** `touch`: a running call reached something it did not name, such as the target of a redirect. */
  readonly about: 'call' | 'touch';
  /** `cancel`: the ask ended without an answer. */
  readonly decision: 'allow' | 'deny' | 'refuse' | 'cancel';
  readonly by: DecidedBy;
  /** The layer, the rule and the sentence behind the decision, or behind the ask that was answered. */
  readonly layer: Decision['layer'];
  readonly rule?: Rule;
  readonly reason: string;
  /** Why the user rejected it, in the user's words. */
  readonly userReason?: string;
  /** What was evaluated, each with its own decision. */
  readonly subjects: readonly SubjectDecision[];
  /** The real paths of the subjects, as resolved before the ask. */
  readonly paths: readonly string[];
  /** All rules in force when it was evaluated. The same list while they don't change. */
  readonly rules: readonly Rule[];
  /** Milliseconds from the request to the decision, including the time that the user took. */
  readonly durationMs: number;
}

/**
 * Who settled it. `rule` includes decisions that no stored rule made; `headless`: it needed an ask and no
 * user was available; `abort`: the turn ended first; `review`: its changes wait for the user's review.
 */
export type DecidedBy =
  | 'capability'
  | 'rule'
  | 'watchdog'
  | 'user'
  | 'headless'
  | 'abort'
  | 'review';

/** Who settled a call without an ask. */
export function getDecidedBy({ headless, layer }: Decision): DecidedBy {
  if (headless === true) return 'headless';
  return layer === 'rules' ? 'rule' : layer;
}

/** What was evaluated, by which rules and with which result. */
export interface Evaluated {
  readonly decision: Decision;
  readonly paths: readonly string[];
  readonly rules: readonly Rule[];
}

type Settled = Pick<DecisionEvent, 'about' | 'decision' | 'by' | 'userReason'>;

/** Reports to the session's listener how a call was settled; `started` is from `performance.now()`. */
export function report(
  { context, toolCallId, operation }: GateCall,
  { decision, paths, rules }: Evaluated,
  settled: Settled,
  started: number,
): void {
  const { layer, rule, reason } = decision;
  context.onDecision?.({
    sessionId: context.sessionId,
    toolCallId,
    tool: operation.id,
    ...settled,
    layer,
    ...(rule !== undefined && { rule }),
    reason,
    subjects: decision.subjects,
    paths,
    rules,
    durationMs: Math.max(0, Math.round(performance.now() - started)),
  });
}
