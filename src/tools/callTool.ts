import { randomUUID } from 'node:crypto';
import { millisecondsSince } from '../base/clock.ts';
import { getMessage } from '../base/faults.ts';
import { failure, type Outcome, success } from '../base/outcome.ts';
import type { Chunk, ToolDisplay } from '../base/stream/chunk.ts';
import type { Envelope, EnvelopeMetadata } from '../base/stream/envelope.ts';
import { findDuplicateName } from '../base/tools/duplicateName.ts';
import type { FileReview } from '../diff/fileReview.ts';
import type { Admitted, Stopped } from '../gate/admit.ts';
import { type AskExtras, type Passed, passGate } from '../gate/passGate.ts';
import { toTold } from '../gate/preview.ts';
import type { Decision } from '../permissions/rules/policy.ts';
import type { ProtectedChange } from '../runtime/protectedFiles.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { bounded, type CallSignals, isOutcome } from './bounded.ts';
import { type CallContext, type ToolRequest, type UnreviewedWrites, unknownTool } from './call.ts';
import type { Tool } from './contract.ts';
import {
  type KeptCopy,
  noCopy,
  settleAfter,
  toCopyTexts,
  toEndedCommand,
  toRealReason,
  withCopy,
  withCopyError,
} from './copy/callCopy.ts';
import { findSandboxHint, foreseeIsolation, isolate, startsPrograms } from './copy/isolation.ts';
import { describePreview, describeResult, whyAllowed } from './display.ts';
import { findUnasked, withProtectedChanges } from './protectedChanges.ts';
import { AWAITS_REVIEW, toReviewSummary, WRITTEN, withReview } from './reviewSummary.ts';
import { getCut, type RunEnd, truncateEnd } from './truncate.ts';

/**
 * Runs one tool call: passes the gate (with a preview if it asks), executes, truncates and wraps the
 * result in an envelope. Never throws; every failure is an error envelope.
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
  return finish(call, ended, millisecondsSince(started));
}

/** One running call. `shown` is what has been displayed of it so far. */
interface Running extends CallSignals {
  readonly request: ToolRequest;
  readonly context: CallContext;
  readonly emit: (chunk: Chunk) => void;
  shown: ToolDisplay;
  /** Set from the moment the tool could have run. */
  tool?: Tool;
  runtime?: Runtime;
  /** The files whose proposed changes a command did not see. */
  notOnDisk?: readonly string[];
  /** What the call writes before the user has reviewed it. */
  unreviewed?: UnreviewedWrites;
  /** Set when the user approved something other than the proposal. */
  review?: readonly FileReview[];
  /** What the author of the tool should change. */
  lint?: string | undefined;
  /** What became of a call that ran in a copy of the workspace. */
  copied?: KeptCopy;
  /** Protected files that changed while the call ran, and that the user was not asked about. */
  changed?: readonly ProtectedChange[];
}

type End = RunEnd | { readonly type: 'denied'; readonly text: string; readonly reason?: string };

/** A call that ran in the copy of the workspace, and is made again. */
interface Again {
  /** With what the user edited. */
  readonly input: unknown;
  /** Why it asks to run for real. */
  readonly forReal?: string;
}

async function run(call: Running, again?: Again): Promise<End> {
  const { request, context, signal } = call;
  const tool = context.registry.get(request.tool);
  if (tool === undefined) return toEnd(unknownTool(request.tool, context));
  const { toolCallId } = request;
  const { input = request.input, forReal } = again ?? {};
  // The model's text is not that of other arguments.
  const inputText = input === request.input ? request.inputText : undefined;
  const twice = inputText === undefined ? undefined : findDuplicateName(inputText);
  if (twice !== undefined) {
    const fault = `The name ${JSON.stringify(twice.slice(0, 100))} is given twice in one object.`;
    return toEnd(`Invalid arguments for ${tool.id}: ${fault} Correct them and call again.`);
  }
  const passage = await passGate(
    { toolCallId, operation: tool, context, signal, inputText, ...(forReal && { forReal: true }) },
    input,
    (admitted) => prepareAsk(call, tool, admitted, again),
  );
  call.shown = passage.shown ?? call.shown;
  if (passage.type === 'stopped') return toStop(passage);
  call.tool = tool;
  const refused = startsPrograms(tool) ? await beforeProgram(call, tool, passage) : undefined;
  if (refused !== undefined) return refused;
  if (passage.inCopy) return runInCopy(call, tool, passage);
  call.runtime = createRuntime(call, tool, passage.admitted);
  if (passage.review) call.review = passage.review;
  if (passage.collected !== 'disk') return execute(call, tool, call.runtime, passage);
  const unreviewed = context.noteWrites?.(toolCallId);
  if (unreviewed === undefined) return toEnd('The changes could not be kept for a review.');
  call.unreviewed = unreviewed;
  try {
    return await execute(call, tool, call.runtime, passage);
  } finally {
    unreviewed.end();
  }
}

/** Runs the call in the copy of the workspace, or asks to run it for real if that can't be done there. */
async function runInCopy(call: Running, tool: Tool, passage: Passed): Promise<End> {
  const { request, context, signal } = call;
  const { toolCallId } = request;
  const emit = (chunk: Chunk) => relay(call, chunk);
  const { openCopy = noCopy } = context;
  const opened = await openCopy(toolCallId, passage.admitted, emit, signal);
  if (!opened.ok) return toEnd(opened.error);
  const copy = opened.data;
  call.runtime = copy.runtime;
  const started = (runtime: Runtime) => execute(call, tool, runtime, passage);
  const toEnded = (end: End) =>
    end.type === 'data' ? toEndedCommand(end.data) : { failed: true, output: end.text };
  const { end, settled } = await settleAfter(copy, started, toEnded);
  const { input } = passage.admitted;
  if (settled.type === 'forReal') return run(call, { input, forReal: toRealReason(settled) });
  if (settled.type === 'outside') return run(call, { input: tool.toUnsandboxed?.(input) });
  call.copied = settled;
  if (settled.reviews?.length) call.review = settled.reviews;
  return end;
}

/** Prepares the start of a program. A value ends the call. */
async function beforeProgram(call: Running, tool: Tool, passed: Passed): Promise<End | undefined> {
  const { context, signal, request } = call;
  const found = await isolate(tool, passed, request.toolCallId, context, signal);
  if (found?.ok === false) return toEnd(found.error);
  if (found !== undefined) call.shown = { ...call.shown, isolation: found.data };
  call.notOnDisk = (await context.beforeCommand?.(signal)) ?? [];
  return undefined;
}

function toStop({ why, text, reason }: Stopped): End {
  const rejected = why === 'deny' || why === 'reject' || why === 'cancel';
  if (!rejected) return toEnd(text);
  return { type: 'denied', text, ...(reason !== undefined && { reason }) };
}

function createRuntime(call: Running, tool: Tool, { gate, input }: Admitted): Runtime {
  const { context, request, signal } = call;
  const { toolCallId, inputText } = request;
  const emit = (chunk: Chunk) => relay(call, chunk);
  const outside = tool.withoutSandbox?.(input);
  const runtime = context.runtime(toolCallId, signal, emit, gate, outside);
  // After an edit by the user, the model's original text no longer applies.
  const isEdited = input !== request.input;
  return inputText === undefined || isEdited ? runtime : { ...runtime, inputText };
}

/** Prepares the preview that is shown with the ask. */
async function prepareAsk(
  call: Running,
  tool: Tool,
  admitted: Admitted,
  again: Again | undefined,
): Promise<Outcome<AskExtras>> {
  const { emit, request } = call;
  const runtime = createRuntime(call, tool, admitted);
  const isolation = await foreseeIsolation(tool, admitted.input, call.context);
  Object.assign(call, {
    tool,
    runtime,
    shown: { ...admitted.shown, ...(again && NOTHING), ...(isolation && { isolation }) },
  });
  // An unresponsive editor must not block the call before the user is asked.
  const limit = runtime.limits.toolTimeoutMs;
  const preview =
    tool.preview && (await bounded(tool.preview(admitted.input, runtime), limit, call));
  if (tool.preview && !isOutcome(preview)) return failure(`${tool.id} returned no preview.`);
  if (preview?.ok === false) return failure(preview.error);

  const proposal = preview?.data;
  if (proposal) call.shown = { ...call.shown, ...describePreview(proposal) };
  const ids = { toolCallId: request.toolCallId, approvalId: randomUUID() };
  emit({ type: 'tool-approval-request', ...ids, display: call.shown });
  const offersOutside = isolation === 'confined' && tool.toUnsandboxed !== undefined;
  return success({
    ...{ shown: call.shown, offersOutside },
    ...(proposal && { preview: proposal }),
    ...(again?.forReal && { reason: again.forReal }),
  });
}

/** What the card showed of the run in the copy is of no interest now. */
const NOTHING: ToolDisplay = { content: [], locations: [] };

/** Step four. A hang, an exception and an invalid result all end as an error (spec VC-3, VC-7). */
async function execute(
  call: Running,
  tool: Tool,
  runtime: Runtime,
  { admitted, approved, collected }: Passed,
): Promise<End> {
  if (call.signal.aborted) return toEnd('The call was aborted before it ran.');
  const { input, decision } = admitted;
  relay(call, {
    type: 'tool-progress',
    toolCallId: call.request.toolCallId,
    display: { ...call.shown, ...(collected ? {} : whyAllowed(decision)) },
  });
  await call.context.stored?.();
  if (call.signal.aborted) return toEnd('The call was aborted before it ran.');
  const limit = tool.hangAfterMs?.(input, runtime.limits) ?? runtime.limits.toolTimeoutMs;
  const began = performance.now();
  const compare = tool.kind === 'execute' ? runtime.protectedFiles.start() : undefined;
  let outcome: unknown;
  try {
    outcome = await bounded(tool.execute(input, runtime, approved), limit, call);
  } finally {
    if (tool.kind === 'execute') call.shown = { ...call.shown, ranMs: millisecondsSince(began) };
    if (compare) noteChanges(call, compare(), decision);
  }
  if (!isOutcome(outcome)) return toEnd(`${tool.id} returned no result. Try another tool.`);
  if (outcome.ok) {
    call.lint = outcome.lint;
    return { type: 'data', data: outcome.data };
  }
  // Where a review takes the place of the ask, nobody has answered yet.
  const failed = { ...admitted, operation: tool, context: call.context };
  const text = await toTold(outcome.error, failed, collected === undefined);
  const cut = getCut(outcome);
  return { ...toEnd(text), ...(cut && { cut }) };
}

function noteChanges(call: Running, changes: readonly ProtectedChange[], decision: Decision): void {
  const unasked = findUnasked(changes, decision);
  if (unasked.length === 0) return;
  call.changed = unasked;
  const names = unasked.map(({ path }) => path).join(', ');
  call.context.warn?.(`Protected files changed while "${call.shown.title}" ran: ${names}`);
}

async function finish(call: Running, end: End, duration_ms: number): Promise<Envelope> {
  const { toolCallId } = call.request;
  if (end.type === 'denied') {
    const reason = end.reason ?? end.text;
    call.emit({ type: 'tool-output-denied', toolCallId, reason, display: call.shown });
    const metadata = { duration_ms, ...toFailureContent(call) };
    return { type: 'error', error_text: end.text, metadata };
  }
  const shown = await truncateEnd(call, end, toolCallId, toMessage);
  if (shown.end !== undefined) call.shown = { ...call.shown, outputEnd: shown.end };
  const hint = call.runtime && findSandboxHint(call, end.type === 'data' ? end.data : undefined);
  const metadata = {
    duration_ms,
    ...(shown.truncated && { truncated: true as const }),
    ...(shown.outputPath !== undefined && { output_path: shown.outputPath }),
    ...(call.changed && { protected_changes: call.changed.map(({ path }) => path) }),
    ...(call.runtime?.hasCollected?.() && { awaits_review: AWAITS_REVIEW }),
    ...(call.unreviewed !== undefined && call.unreviewed.count() > 0 && { awaits_review: WRITTEN }),
    ...(call.notOnDisk?.length && { not_on_disk: call.notOnDisk.slice(0, LISTED_FILES) }),
    ...toCopyTexts(call.copied, hint),
    ...(call.review && { review: toReviewSummary(call.review) }),
    ...(call.lint !== undefined && { lint: call.lint }),
  };
  if (end.type === 'data' && !shown.failed) {
    const output: Envelope = { type: 'output', data: shown.value ?? null, metadata };
    const result = { ...call.shown, ...describeResult(call.shown, output.data) };
    const reviewed = call.review ? withReview(result, call.review) : result;
    const display = withCopy(withProtectedChanges(reviewed, call.changed ?? []), call.copied, hint);
    call.emit({ type: 'tool-output-available', toolCallId, output, display });
    return output;
  }
  const output: Envelope = {
    type: 'error',
    error_text: String(shown.value),
    metadata: { ...metadata, ...toFailureContent(call) },
  };
  const shownEnd = withProtectedChanges(call.shown, call.changed ?? []);
  const failed = withCopyError(shownEnd, output.error_text, call.copied, hint);
  call.emit({ type: 'tool-output-error', toolCallId, output, ...failed });
  return output;
}

/** The most files that one result names. */
const LISTED_FILES = 40;

/** Forwards a chunk and keeps its display, which the final chunk repeats. */
function relay(call: Running, chunk: Chunk): void {
  if (chunk.type === 'tool-progress') call.shown = { ...call.shown, ...chunk.display };
  call.emit(chunk);
}

/** A name that no tool has fails as an agentcli tool does (spec VA-25). */
function toFailureContent(call: Running): Pick<EnvelopeMetadata, 'failure_content'> {
  const tool = call.context.registry.get(call.request.tool);
  const isPlain = tool === undefined || tool.failureContent === 'error';
  return isPlain ? { failure_content: 'error' } : {};
}

function toEnd(text: string): Extract<RunEnd, { readonly type: 'error' }> {
  return { type: 'error', text };
}

function toMessage(fault: unknown): string {
  return `The tool failed: ${getMessage(fault)}`;
}
