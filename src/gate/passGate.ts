import { type Outcome, success } from '../base/outcome.ts';
import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { HunkReason } from '../diff/fileChange.ts';
import type { FileReview } from '../diff/fileReview.ts';
import type { WatchdogAnswer } from '../permissions/evaluate/watchdog.ts';
import { type Admission, type Admitted, admit, type Stopped } from './admit.ts';
import { type AskDetails, type AskReply, askUser } from './ask.ts';
import { decideCopy } from './copies.ts';
import { getDecidedBy, report } from './decisionEvent.ts';
import type { CollectedIn, GateCall } from './gateContext.ts';
import { findCollected, type Preview, type ProposedEntry, toTold } from './preview.ts';
import { findProposalFault, reviewEntries, reviewProposal } from './review.ts';
import { askWatchdog } from './watchdog.ts';

/** A call that may run now, with the approved part of its proposal. */
export interface Passed {
  readonly type: 'passed';
  readonly admitted: Admitted;
  readonly shown: ToolDisplay;
  readonly approved?: Preview;
  /** The ask was left to a review, so nobody has allowed the changes yet. */
  readonly collected?: CollectedIn;
  /** It may run in a copy of the workspace only. What it changes there passes the gate afterwards. */
  readonly inCopy?: true;
  /** The user's review of the proposal; absent when it was approved as proposed. */
  readonly review?: readonly FileReview[];
  /** The ids of the proposal's entries that the user left out. */
  readonly leftOut?: readonly string[];
}

/** What an ask shows in addition to the arguments: a proposal, and the call's display with it. */
export interface AskExtras {
  readonly preview?: Preview;
  /** What is proposed besides the preview. */
  readonly entries?: readonly ProposedEntry[];
  readonly shown?: ToolDisplay;
  /** Why the user is asked, when preparing the ask found out more than the decision says. */
  readonly reason?: string;
  readonly offersOutside?: boolean;
}

/** Runs before the user is asked. A failure ends the call without asking. */
export type PrepareAsk = (admitted: Admitted) => Promise<Outcome<AskExtras>>;

type Passage = Passed | Stopped;
type Edited = { readonly type: 'edited'; readonly input: unknown };

/**
 * Passes a call through the gate: admits it, then asks if that is the decision. A call whose arguments the
 * user edits starts again at validation (spec CA-41). Nothing here runs the operation; the caller does.
 */
export async function passGate(
  call: GateCall,
  input: unknown,
  prepare: PrepareAsk = async () => success({}),
): Promise<Passage> {
  const started = performance.now();
  let current = { call, input };
  // More rounds than any user needs.
  for (let round = 0; round < 20; round += 1) {
    const passage = await attempt(
      createAttempt({ call: current.call, prepare, started }, current.input),
    );
    if (passage.type !== 'edited') return passage;
    current = { call: withoutText(call), input: passage.input };
  }
  const text = 'The call was edited too many times. Make it again.';
  return { type: 'stopped', why: 'invalid', text };
}

/** The model's text is not that of edited arguments. */
function withoutText({ inputText: _, ...call }: GateCall): GateCall {
  return call;
}

interface PassageParts {
  readonly call: GateCall;
  readonly prepare: PrepareAsk;
  /** By `performance.now()`. */
  readonly started: number;
}

/** The call with one set of arguments. */
interface Attempt extends PassageParts {
  /** Evaluates with the rules at the time of the call. */
  readonly admit: () => Promise<Admission>;
}

/** The watchdog counts repeated calls, so it sees each call once, however often it is evaluated. */
function createAttempt(parts: PassageParts, input: unknown): Attempt {
  const { context, operation, signal } = parts.call;
  let answer: Promise<WatchdogAnswer> | undefined;
  const watch = () => {
    answer ??= askWatchdog(context, operation.id, input, signal);
    return answer;
  };
  return { ...parts, admit: () => admit(parts.call, input, watch) };
}

async function attempt(parts: Attempt): Promise<Passage | Edited> {
  const admission = await parts.admit();
  const collected = isAsk(admission) ? await findCollected(parts.call, admission) : undefined;
  if (isAsk(admission) && collected !== undefined) {
    report(
      parts.call,
      admission,
      { about: 'call', decision: 'allow', by: 'review' },
      parts.started,
    );
    return { type: 'passed', admitted: admission, shown: admission.shown, collected };
  }
  if (!isAsk(admission)) return conclude(parts, admission);
  return (await copy(parts, admission)) ?? ask(parts, admission);
}

/** Passes a call that may run in a copy of the workspace; undefined: the user is asked. */
async function copy(parts: Attempt, admitted: Admitted): Promise<Passed | undefined> {
  const { operation, context, forReal } = parts.call;
  if (forReal || context.copies?.() !== true) return undefined;
  const decision = await decideCopy({
    ...admitted,
    operation,
    policy: context.policy(),
    compiler: context.compiler,
  });
  if (decision === undefined) return undefined;
  const { paths, rules, shown } = admitted;
  const settled = { about: 'call', decision: 'allow', by: 'rule' } as const;
  report(parts.call, { decision, paths, rules }, settled, parts.started);
  return { type: 'passed', admitted: { ...admitted, decision }, shown, inCopy: true };
}

function isAsk(admission: Admission): admission is Admitted {
  return admission.type === 'admitted' && admission.decision.decision === 'ask';
}

/** Ends an attempt that needs no user. */
function conclude({ call, started }: PassageParts, admission: Admission): Passage {
  const evaluated = admission.type === 'admitted' ? admission : admission.evaluated;
  if (evaluated !== undefined) {
    const { decision } = evaluated.decision;
    const by = getDecidedBy(evaluated.decision);
    if (decision !== 'ask') report(call, evaluated, { about: 'call', decision, by }, started);
  }
  if (admission.type === 'stopped') return admission;
  return { type: 'passed', admitted: admission, shown: admission.shown };
}

async function ask(parts: Attempt, admitted: Admitted): Promise<Passage | Edited> {
  const { call, prepare, started } = parts;
  const { context, operation, signal, toolCallId } = call;
  const { decision, input } = admitted;
  if (context.ask === undefined) {
    report(call, admitted, { about: 'call', decision: 'deny', by: 'headless' }, started);
    const text = `${decision.reason} No user is available to ask, so the call is denied.`;
    return { type: 'stopped', why: 'deny', text, shown: admitted.shown };
  }
  const prepared = await prepare(admitted);
  if (!prepared.ok) {
    const text = await toTold(prepared.error, { ...call, ...admitted }, false);
    return { type: 'stopped', why: 'failed', text, shown: admitted.shown };
  }
  const { preview, entries, reason, offersOutside } = prepared.data;
  const fault = preview && findProposalFault(preview);
  if (fault !== undefined) {
    return { type: 'stopped', why: 'failed', text: fault, shown: admitted.shown };
  }
  const shown = { ...admitted.shown, ...prepared.data.shown };
  const details: AskDetails = {
    toolCallId,
    tool: operation.id,
    ...(operation.identity !== undefined && { identity: operation.identity }),
    kind: operation.kind,
    title: shown.title ?? operation.id,
    ...(operation.isAside && { isAside: true }),
    input,
    decision: reason === undefined ? decision : { ...decision, reason },
    ...(preview && { preview }),
    ...(entries && { entries }),
    ...(offersOutside && { offersOutside }),
    ...(shown.locations && { locations: shown.locations }),
    ...(admitted.cwd !== undefined && { cwd: admitted.cwd }),
    checkEdit: (edited) => checkEdit(call, edited),
  };
  const result = await askUser(context.ask, details, signal, () => findSettled(parts, details));
  if (result.by === 'rules') return conclude(parts, result.settled);
  const denied = await findNewDeny(parts, result.reply);
  return denied
    ? conclude(parts, denied)
    : answer(parts, { admitted, shown, preview, entries }, result.reply);
}

/**
 * What the current rules make of a pending ask; undefined: the user decides. Rules that allow don't settle a
 * review: the user may already have left out a part of it, which only their answer tells.
 */
async function findSettled(
  { admit }: Attempt,
  { preview, entries }: AskDetails,
): Promise<Admission | undefined> {
  const again = await admit();
  const isReview = preview !== undefined || entries !== undefined;
  return again.type === 'admitted' && (isReview || isAsk(again)) ? undefined : again;
}

/**
 * Why an edited call can't run. The watchdog isn't asked yet: it sees the call when it starts again with
 * these arguments.
 */
async function checkEdit(call: GateCall, input: unknown): Promise<string | undefined> {
  const admission = await admit(withoutText(call), input, async () => ({ action: 'allow' }));
  return admission.type === 'stopped' ? (admission.reason ?? admission.text) : undefined;
}

/** The user's answer doesn't lift a deny that came into force while they were asked. */
async function findNewDeny(parts: Attempt, reply: AskReply): Promise<Admission | undefined> {
  if (reply.outcome !== 'allow' || reply.editedInput !== undefined) return undefined;
  const again = await parts.admit();
  return again.type === 'stopped' ? again : undefined;
}

interface Asked {
  readonly admitted: Admitted;
  readonly shown: ToolDisplay;
  readonly preview: Preview | undefined;
  readonly entries: readonly ProposedEntry[] | undefined;
}

function answer(
  { call, started }: PassageParts,
  { admitted, shown, preview, entries = [] }: Asked,
  reply: AskReply,
): Passage | Edited {
  const settle = (decision: 'allow' | 'deny' | 'cancel', userReason?: string) => {
    const by = decision === 'cancel' && call.signal.aborted ? 'abort' : 'user';
    const why = userReason ? { userReason } : {};
    report(call, admitted, { about: 'call', decision, by, ...why }, started);
  };
  if (reply.outcome === 'cancelled') {
    settle('cancel');
    const text = 'The call was cancelled before it ran.';
    return { type: 'stopped', why: 'cancel', text, shown };
  }
  if (reply.outcome === 'reject') {
    const reason = reply.reason?.trim();
    settle('deny', reason);
    return { type: 'stopped', why: 'reject', ...rejection(reason), shown };
  }
  if (reply.outcome === 'outside') {
    if (call.operation.toUnsandboxed !== undefined) {
      return { type: 'edited', input: call.operation.toUnsandboxed(admitted.input) };
    }
    settle('deny');
    const text = 'The user has the command run without the sandbox instead.';
    return { type: 'stopped', why: 'outside', text, shown };
  }
  if (reply.editedInput !== undefined) return { type: 'edited', input: reply.editedInput };
  const reviewed = preview && reviewProposal(preview, reply.approved, reply.reasons);
  if (reviewed?.ok === false) {
    settle('deny');
    return { type: 'stopped', why: 'invalid', text: reviewed.error, shown };
  }
  const left = reviewEntries(entries, reply.leftOut, reviewed?.data.approved);
  if (!left.ok) {
    settle('deny');
    return { type: 'stopped', why: 'invalid', text: left.error, shown };
  }
  const { leftOut, isEmpty } = left.data;
  const hasTexts = (reviewed?.data.approved.changes.length ?? 0) > 0;
  if (isEmpty && !hasTexts && (reviewed !== undefined || entries.length > 0)) {
    const reason = joinReasons(reply.reasons);
    settle('deny', reason);
    return { type: 'stopped', why: 'reject', ...rejectedAll(reason), shown };
  }
  settle('allow');
  return { type: 'passed', admitted, shown, ...reviewed?.data, ...(leftOut && { leftOut }) };
}

function joinReasons(reasons: readonly HunkReason[] = []): string | undefined {
  if (reasons.length === 0) return undefined;
  return reasons.map(({ path, line, reason }) => `${path}:${line}: ${reason}`).join('\n');
}

/** The user allowed the call, and nothing of its proposal. */
function rejectedAll(reasons: string | undefined) {
  const reason = 'The user rejected every change of the proposal';
  if (reasons !== undefined) {
    return { text: `${reason}:\n${reasons}`, reason: `${reason}.`, userReason: reasons };
  }
  return { text: `${reason}. Ask what to do instead.`, reason: `${reason}.` };
}

/** `text` tells the model what to do next; `reason` is for the user. */
function rejection(reason: string | undefined) {
  const rejected = 'The user rejected this call';
  if (reason) return { text: `${rejected}: ${reason}`, reason, userReason: reason };
  const text = `${rejected}. Do not retry it in another form; ask what to do instead.`;
  return { text, reason: `${rejected}.` };
}
