import { randomUUID } from 'node:crypto';
import { messageOf } from '../base/faults.ts';
import type { Chunk, ToolDisplay } from '../base/stream/chunk.ts';
import type { Envelope } from '../base/stream/envelope.ts';
import { createApprovals } from '../gate/approvals.ts';
import { type AskReply, settle } from '../gate/ask.ts';
import type { Preview } from '../gate/preview.ts';
import { createTouchGate } from '../gate/touch.ts';
import { findBrokenText, findSchemaFault } from '../gate/validate.ts';
import { askWatchdog, confirmed } from '../gate/watchdog.ts';
import { evaluate } from '../permissions/evaluate/evaluate.ts';
import { resolvePath } from '../permissions/patterns/paths.ts';
import type { Decision, Policy } from '../permissions/rules/policy.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { bounded, type CallSignals, isOutcome } from './bounded.ts';
import type { CallContext, ToolRequest } from './call.ts';
import type { Tool } from './contract.ts';
import { describeCall, describePreview, describeResult } from './display.ts';
import { cutOf, truncateData, truncateError } from './truncate.ts';

/**
 * The one door (design: life of a tool call): validate, capability, watchdog and rules, preview and
 * ask, execute, truncate, envelope. Never throws; whatever goes wrong is an error envelope.
 *
 * Emits `tool-approval-request`, `tool-progress` and one of the `tool-output-…` chunks.
 */
export async function callTool(
  request: ToolRequest,
  context: CallContext,
  emit: (chunk: Chunk) => void,
  signal: AbortSignal,
): Promise<Envelope> {
  const started = performance.now();
  const given = new AbortController();
  const both = AbortSignal.any([signal, given.signal]);
  const call: Running = { request, context, emit, signal: both, given, shown: {} };
  const ended = await run(call).catch((fault: unknown) => toEnd(toMessage(fault)));
  return finish(call, ended, Math.max(0, Math.round(performance.now() - started)));
}

/** One call while it runs. `shown` is what a person has seen of it so far. */
interface Running extends CallSignals {
  readonly request: ToolRequest;
  readonly context: CallContext;
  readonly emit: (chunk: Chunk) => void;
  shown: ToolDisplay;
  /** Set from the moment the tool could have run. */
  tool?: Tool;
  runtime?: Runtime;
}

type End =
  | { readonly type: 'data'; readonly data: unknown }
  | { readonly type: 'error'; readonly text: string; readonly cut?: ReturnType<typeof cutOf> }
  | { readonly type: 'denied'; readonly text: string; readonly reason?: string };

async function run(call: Running): Promise<End> {
  let input = call.request.input;
  // An edited call re-enters at validation (CA-41); nobody edits one call this often.
  for (let round = 0; round < 20; round += 1) {
    const admitted = await admit(call, input);
    if ('type' in admitted) return admitted;
    if ('editedInput' in admitted) {
      input = admitted.editedInput;
      continue;
    }
    return execute(call, admitted.tool, input, admitted);
  }
  return toEnd('The call was edited too often. Make it again.');
}

interface Admitted {
  readonly tool: Tool;
  readonly runtime: Runtime;
  readonly decision: Decision;
  readonly preview?: Preview;
}

/** Steps one to three: what comes out may run. */
async function admit(
  call: Running,
  input: unknown,
): Promise<Admitted | End | { readonly editedInput: unknown }> {
  const { context, request, signal } = call;
  const tool = context.registry.get(request.tool);
  if (tool === undefined) return toEnd(unknownTool(request.tool, context));
  const fault = tool.check ? tool.check(input) : await findSchemaFault(tool.parameters, input);
  if (fault !== undefined) {
    return toEnd(`Invalid arguments for ${tool.id}: ${fault} Correct them and call again.`);
  }

  const subjects = tool.subjects(input);
  const policy = policyFor(tool, input, context.policy());
  call.tool = tool;
  call.shown = { ...call.shown, ...describeCall(tool, input, subjects, policy.folders) };
  const decision = await decide(call, tool, input, subjects, policy);
  if (decision.decision === 'refuse') return toEnd(`${decision.reason} ${REFUSED}`);
  if (decision.decision === 'deny') {
    const { reason } = decision;
    return { type: 'denied', text: `${reason} ${DENIED}`, reason };
  }
  const broken = findBrokenText(input);
  if (broken !== undefined) return toEnd(`Invalid arguments for ${tool.id}: ${broken}`);

  const approved = createApprovals();
  const { toolCallId } = request;
  const parts = { operation: tool, input, context, policy, approved, signal, toolCallId };
  const gate = createTouchGate(parts);
  const runtime = context.runtime(toolCallId, signal, (chunk) => relay(call, chunk), gate);
  call.runtime = runtime;
  if (decision.decision === 'allow') return { tool, runtime, decision };
  await approved.remember(subjects, policy);
  return askUser(call, { tool, runtime, decision }, input);
}

const REFUSED =
  'Nothing was done, and no rule lifts this. Go on without it, or tell the user what is needed.';

/** For the model only: a person knows the rule. */
const DENIED =
  'Do not try it in another form. Go on without it, or tell the user what is needed and why.';

/** The judge, then the watchdog, which may only tighten (C-62, C-63, VC-17). */
async function decide(
  call: Running,
  tool: Tool,
  input: unknown,
  subjects: readonly [Subject, ...Subject[]],
  policy: Policy,
): Promise<Decision> {
  const evaluated = await evaluate({ tool: tool.id, input, subjects }, policy);
  const decision = confirmed(tool, evaluated, policy.headless || call.context.ask === undefined);
  if (decision.decision === 'refuse') return decision;
  const verdict = await askWatchdog(call.context, tool.id, input, call.signal);
  if (verdict.action === 'allow' || decision.decision === 'deny') return decision;
  const asks = verdict.action === 'ask' && !policy.headless && call.context.ask !== undefined;
  const { reason } = verdict;
  // No stored rule would be heard by the watchdog, so none is offered.
  const candidates = () => [];
  return { ...decision, decision: asks ? 'ask' : 'deny', layer: 'watchdog', reason, candidates };
}

async function askUser(
  call: Running,
  admitted: Admitted,
  input: unknown,
): Promise<Admitted | End | { readonly editedInput: unknown }> {
  const { context, request, signal, emit } = call;
  const { tool, runtime, decision } = admitted;
  if (context.ask === undefined) return { type: 'denied', text: headlessText(decision) };
  // An editor that does not answer must not hold up the call before anybody is asked.
  const limit = runtime.limits.toolTimeoutMs;
  const preview = tool.preview && (await bounded(tool.preview(input, runtime), limit, call));
  if (tool.preview && !isOutcome(preview)) return toEnd(`${tool.id} made no preview.`);
  if (preview?.ok === false) return toEnd(preview.error);

  const proposal = preview?.data;
  if (proposal) call.shown = { ...call.shown, ...describePreview(proposal) };
  const { toolCallId } = request;
  emit({
    type: 'tool-approval-request',
    toolCallId,
    approvalId: randomUUID(),
    display: call.shown,
  });
  const asked = {
    toolCallId,
    tool: tool.id,
    title: call.shown.title ?? tool.id,
    input,
    decision,
    ...(proposal && { preview: proposal }),
    ...(call.shown.locations && { locations: call.shown.locations }),
  };
  const reply = await settle(context.ask(asked, signal), signal);
  return answer(reply, admitted, proposal);
}

function answer(
  reply: AskReply,
  admitted: Admitted,
  preview: Preview | undefined,
): Admitted | End | { readonly editedInput: unknown } {
  if (reply.outcome === 'cancelled') {
    return { type: 'denied', text: 'The call was cancelled before it ran.' };
  }
  if (reply.outcome === 'reject') {
    const reason = reply.reason?.trim();
    const text = reason
      ? `The user rejected this call: ${reason}`
      : 'The user rejected this call. Do not try it again in another form; ask what to do instead.';
    // What the model is to do about it is not for the person who said no.
    return { type: 'denied', text, reason: reason || 'The user rejected this call.' };
  }
  if (reply.editedInput !== undefined) return { editedInput: reply.editedInput };
  if (preview === undefined) return admitted;
  const newText = reply.approvedText ?? preview.newText;
  return { ...admitted, preview: { ...preview, newText } };
}

/** Step four. A hang, a throw and a result that is none all end as an error (VC-3, VC-7). */
async function execute(
  call: Running,
  tool: Tool,
  input: unknown,
  { runtime, preview, decision }: Admitted,
): Promise<End> {
  if (call.signal.aborted) return toEnd('The call was aborted before it ran.');
  relay(call, {
    type: 'tool-progress',
    toolCallId: call.request.toolCallId,
    display: { ...call.shown, ...whyAllowed(decision) },
  });
  const limit = tool.hangAfterMs?.(input, runtime.limits) ?? runtime.limits.toolTimeoutMs;
  const outcome: unknown = await bounded(tool.execute(input, runtime, preview), limit, call);
  if (!isOutcome(outcome)) return toEnd(`${tool.id} gave no result. Try another tool.`);
  if (outcome.ok) return { type: 'data', data: outcome.data };
  const cut = cutOf(outcome);
  return { ...toEnd(outcome.error), ...(cut && { cut }) };
}

async function finish(call: Running, end: End, duration_ms: number): Promise<Envelope> {
  const { toolCallId } = call.request;
  if (end.type === 'denied') {
    const reason = end.reason ?? end.text;
    call.emit({ type: 'tool-output-denied', toolCallId, reason, display: call.shown });
    return { type: 'error', error_text: end.text, metadata: { duration_ms } };
  }
  const shown = await shorten(call, end).catch((fault: unknown) => ({
    failed: true,
    value: toMessage(fault),
    truncated: false,
    outputPath: undefined,
  }));
  const metadata = {
    duration_ms,
    ...(shown.truncated && { truncated: true as const }),
    ...(shown.outputPath !== undefined && { output_path: shown.outputPath }),
  };
  if (end.type === 'data' && !shown.failed) {
    const output: Envelope = { type: 'output', data: shown.value ?? null, metadata };
    const display = { ...call.shown, ...describeResult(call.shown, output.data) };
    call.emit({ type: 'tool-output-available', toolCallId, output, display });
    return output;
  }
  const errorText = String(shown.value);
  const output: Envelope = { type: 'error', error_text: errorText, metadata };
  call.emit({ type: 'tool-output-error', toolCallId, errorText, output, display: call.shown });
  return output;
}

async function shorten(call: Running, end: Exclude<End, { readonly type: 'denied' }>) {
  const { tool, runtime, request } = call;
  if (tool === undefined || runtime === undefined) {
    const value = end.type === 'error' ? end.text : end.data;
    return { value, truncated: false, outputPath: undefined, failed: false };
  }
  const shown =
    end.type === 'error'
      ? await truncateError(end.text, runtime.sidecars, request.toolCallId, end.cut)
      : await truncateData(tool, end.data, runtime, request.toolCallId);
  return { outputPath: undefined, ...shown, failed: false };
}

/** The rules that let a call pass. One that the user was asked about was allowed by no rule. */
function whyAllowed(decided: Decision): Pick<ToolDisplay, 'rule' | 'rules' | 'layer'> {
  const { decision, rule, layer, subjects } = decided;
  if (decision !== 'allow' || rule === undefined) return {};
  const rules = [...new Set(subjects.flatMap((subject) => subject.rule ?? []))];
  return { rule, ...(rules.length > 1 && { rules }), layer };
}

/** Passes a chunk on and keeps what it showed, so that the last chunk shows it again. */
function relay(call: Running, chunk: Chunk): void {
  if (chunk.type === 'tool-progress') call.shown = { ...call.shown, ...chunk.display };
  call.emit(chunk);
}

/** Relative targets of a call with a folder of its own start there. */
function policyFor(tool: Tool, input: unknown, policy: Policy): Policy {
  const cwd = tool.cwd?.(input);
  if (cwd === undefined) return policy;
  const { folders, platform } = policy;
  const resolved = resolvePath(cwd, { cwd: folders.cwd, platform });
  return resolved.ok ? { ...policy, folders: { ...folders, cwd: resolved.path } } : policy;
}

function unknownTool(id: string, { registry }: CallContext): string {
  const ids = registry.list().map((tool) => tool.id);
  return `There is no tool "${id}". Available: ${ids.join(', ')}.`;
}

function headlessText({ reason }: Decision): string {
  return `${reason} Nobody is here to be asked, so the call is denied.`;
}

function toEnd(text: string): Extract<End, { readonly type: 'error' }> {
  return { type: 'error', text };
}

function toMessage(fault: unknown): string {
  return `The tool failed: ${messageOf(fault)}`;
}
