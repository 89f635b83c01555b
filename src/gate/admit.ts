import type { ToolDisplay } from '../base/stream/chunk.ts';
import { evaluate } from '../permissions/evaluate/evaluate.ts';
import type { WatchdogAnswer } from '../permissions/evaluate/watchdog.ts';
import { isExactRule } from '../permissions/rules/exactCall.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import type { Rule } from '../permissions/rules/rule.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Gate } from '../runtime/runtime.ts';
import type { Evaluated } from './decisionEvent.ts';
import { describeCall } from './describe.ts';
import type { GateCall } from './gateContext.ts';
import type { Operation } from './operation.ts';
import { getPaths, type ResolvedCall, resolveCall, withUnsaved } from './subjects.ts';
import { createApprovals, createTouchGate } from './touch.ts';
import { findBrokenText, findCallFault } from './validate.ts';
import { confirmed, tightened, withExactRule, withNearExact } from './watchdog.ts';

/** A call that is not stopped: its decision is `allow` or `ask`. */
export interface Admitted {
  readonly type: 'admitted';
  readonly input: unknown;
  /** Each path was resolved once, at admission. */
  readonly subjects: readonly [Subject, ...Subject[]];
  /** The real paths of the subjects. */
  readonly paths: readonly string[];
  readonly decision: Decision;
  /** The rules that it was evaluated by. */
  readonly rules: readonly Rule[];
  /** The call's display. */
  readonly shown: ToolDisplay;
  /** Evaluates what the call really touches, when it touches it. */
  readonly gate: Gate;
  /** The folder that the call's command lines run in; absent if it has none. */
  readonly cwd?: string;
}

/** A call that must not run. */
export interface Stopped {
  readonly type: 'stopped';
  /**
   * `failed`: the preview for the ask could not be made. `outside`: the user wants the command to run without
   * the sandbox instead.
   */
  readonly why: 'invalid' | 'refuse' | 'deny' | 'reject' | 'outside' | 'cancel' | 'failed';
  /** For the caller, usually the model: what happened, and what to do instead. */
  readonly text: string;
  /** For the user; default: `text`. */
  readonly reason?: string;
  /** Why the user rejected it, in the user's words. */
  readonly userReason?: string;
  /** Absent when the arguments are not valid. */
  readonly shown?: ToolDisplay;
}

/** A call that was evaluated. */
export type Admission = Admitted | Unadmitted;

/** `evaluated` is absent when the arguments are not valid. */
interface Unadmitted extends Stopped {
  readonly evaluated?: Evaluated;
}

/**
 * Validates the arguments, then evaluates the capabilities, the rules and the watchdog, which may only
 * tighten (spec C-62, C-63, VC-17). `watch` gives the watchdog's answer on this call.
 */
export async function admit(
  call: GateCall,
  input: unknown,
  watch: () => Promise<WatchdogAnswer>,
): Promise<Admission> {
  const { operation, context } = call;
  const fault = await findCallFault(operation, input, call.signal);
  if (fault !== undefined) return invalid(operation, `${fault} Correct them and call again.`);

  const resolved = await withUnsaved(resolveCall(operation, input, context.policy()), context);
  const { subjects } = resolved;
  const shown = describeCall(operation, input, subjects);
  const decision = await decide(call, input, resolved, watch);
  const { reason } = decision;
  const paths = getPaths(subjects);
  const { rules } = resolved.policy;
  const evaluated = { decision, paths, rules };
  if (decision.decision === 'refuse') {
    const text = `${reason} ${REFUSED}`;
    return { type: 'stopped', why: 'refuse', text, shown, evaluated };
  }
  if (decision.decision === 'deny') {
    // The reason already names the command to run instead.
    const text = decision.instead === undefined ? `${reason} ${DENIED}` : reason;
    return { type: 'stopped', why: 'deny', text, reason, shown, evaluated };
  }
  const broken = findBrokenText(input);
  if (broken !== undefined) return { ...invalid(operation, broken), shown };

  // The user approved them, now or for this session. What only the watchdog asks about is the call itself.
  const asks = decision.subjects.some((each) => each.decision === 'ask');
  const isAnswered = decision.decision === 'ask' || (decision.rule && isExactRule(decision.rule));
  const approves = asks && isAnswered;
  const approved = createApprovals(approves ? subjects : [], decision);
  const gate = createTouchGate({ call, input, subjects, policy: resolved.policy, approved });
  const runs = subjects.some(({ match }) => match === 'command');
  const { cwd } = resolved.policy.folders;
  const admitted = { type: 'admitted', input, subjects, ...evaluated, shown, gate } as const;
  return runs ? { ...admitted, cwd } : admitted;
}

const REFUSED =
  'Nothing was done, and no rule can override this. Continue without it, or tell the user what is needed.';

/** For the model only; the user knows the rule. */
const DENIED =
  'Do not retry it in another form. Continue without it, or tell the user what is needed and why.';

function invalid({ id }: Operation, what: string): Stopped {
  return { type: 'stopped', why: 'invalid', text: `Invalid arguments for ${id}: ${what}` };
}

async function decide(
  { operation, context, inputText }: GateCall,
  input: unknown,
  { subjects, policy }: ResolvedCall,
  watch: () => Promise<WatchdogAnswer>,
): Promise<Decision> {
  const headless = policy.headless || context.ask === undefined;
  const compiled = context.compiler.compile(policy);
  const evaluated = await evaluate({ tool: operation.id, input, subjects }, compiled);
  const decision = confirmed(operation, input, evaluated, headless);
  if (decision.decision === 'refuse') return decision;
  const answer = await watch();
  if (decision.decision === 'deny') return decision;
  const { id, identity } = operation;
  const exact = context.exactRule?.(id, { input, inputText, identity });
  const settled = exact && answer.action !== 'deny' ? withExactRule(decision, exact) : undefined;
  if (settled !== undefined) return settled;
  const asked =
    answer.action === 'allow'
      ? decision
      : tightened(decision, answer, { operation, input, inputText, headless });
  return withNearExact(asked, operation.id, input, context.exactRules?.() ?? []);
}
