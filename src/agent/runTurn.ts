import { type Clock, sleep, systemClock } from '../base/clock.ts';
import { getMessage } from '../base/faults.ts';
import type { Chunk, FinishReason } from '../base/stream/chunk.ts';
import type { Retry } from '../base/stream/dataChunk.ts';
import { createFold, isToolBody, type PartBody, STEP } from '../base/stream/fold.ts';
import { redact } from '../base/text/redact.ts';
import { compact, toLimit } from './compact.ts';
import { type ContextCare, createContextCare } from './contextCare.ts';
import { type Conversation, createConversation } from './conversation.ts';
import { type ModelFailure, silent } from './endpoint/faults.ts';
import { backOff } from './endpoint/retry.ts';
import { type StepOutcome, streamStep } from './modelStep.ts';
import { runCalls } from './toolCalls.ts';
import type { Turn } from './turn.ts';

/**
 * Runs one turn: asks the model, runs the calls it makes, and repeats until it makes none. The
 * stream always ends with `finish`, or with `abort` when the signal fired; an `error` chunk before
 * `finish` says what went wrong (spec CS-1). Never rejects.
 */
export async function* runTurn(turn: Turn): AsyncGenerator<Chunk, void> {
  const fold = createFold(turn.begun?.parts);
  const conversation = createConversation(turn, fold);
  const care = createContextCare(turn, conversation, turn.clock ?? systemClock);
  try {
    const run = turn.compact ? compactOnly(turn, conversation) : runSteps(turn, conversation, care);
    for await (const chunk of run) {
      fold.apply(chunk);
      care.note(chunk);
      yield chunk;
    }
  } catch (error) {
    if (turn.signal.aborted) yield { type: 'abort', reason: getMessage(turn.signal.reason) };
    else yield* failTurn(redact(getMessage(error), turn.secrets?.()));
  }
}

async function* runSteps(
  turn: Turn,
  conversation: Conversation,
  care: ContextCare,
): AsyncGenerator<Chunk, void> {
  const clock = turn.clock ?? systemClock;
  const callIds = knownCallIds(conversation.messages.map(({ parts }) => parts));
  turn.signal.throwIfAborted();
  yield { type: 'start' };
  let done = 0;
  if (turn.begun !== undefined) {
    done = turn.begun.parts.filter(({ type }) => type === STEP).length;
    yield* runCalls(turn, turn.begun.calls);
    if (done >= turn.limits.turnSteps) return yield* finish('max-steps');
    yield { type: 'finish-step' };
  }
  for (let step = done + 1; ; step++) {
    yield* await runHooks(turn, conversation, step);
    const stop = turn.findStop?.();
    if (stop !== undefined) return yield* finishStopped(stop);
    const refusal = yield* care.beforeStep();
    yield { type: 'start-step' };
    if (refusal !== undefined) return yield* failStep(refusal);
    let outcome = yield* askModel(turn, conversation, callIds, clock);
    if (yield* care.afterFault(outcome)) {
      outcome = yield* askModel(turn, conversation, callIds, clock);
    }
    const failure = outcome.fault ?? (step === 1 ? findSilence(outcome) : undefined);
    if (failure) return yield* failStep(failure);
    yield* runCalls(turn, outcome.calls);
    if (!outcome.called) return yield* finish(outcome.finishReason);
    if (step >= turn.limits.turnSteps) return yield* finish('max-steps');
    yield { type: 'finish-step' };
  }
}

function toError({ text, retryAfterMs: _, passing: __, ...fault }: ModelFailure): Chunk {
  return { type: 'error', errorText: text, fault };
}

/** Before a step, so there is none to finish. */
function* finishStopped(stop: ModelFailure): Generator<Chunk, void> {
  yield toError(stop);
  yield { type: 'finish', finishReason: 'error' };
}

/** A turn that the user asked for: nothing but a summary. */
async function* compactOnly(turn: Turn, conversation: Conversation): AsyncGenerator<Chunk, void> {
  turn.signal.throwIfAborted();
  yield { type: 'start' };
  const stop = turn.findStop?.();
  if (stop !== undefined) return yield* finishStopped(stop);
  const limit = toLimit(turn.contextTokens);
  const { clock = systemClock, compact: { focus } = {} } = turn;
  const options = { limit, ...(focus !== undefined && { focus }) };
  const end = yield* compact(turn, conversation, options, clock);
  const failed = end.kind === 'failed';
  if (failed) {
    yield { type: 'error', errorText: end.error, fault: { kind: 'other', retryable: true } };
  }
  yield { type: 'finish', finishReason: failed ? 'error' : 'stop' };
}

/** A first answer that says nothing. After calls a model may end without a word: its work can be seen. */
function findSilence({ called, said, finishReason }: StepOutcome): ModelFailure | undefined {
  const ended = finishReason === 'stop' || finishReason === 'other';
  return called || said === 'text' || !ended ? undefined : silent(said === 'reasoning');
}

async function runHooks(
  { hooks, signal }: Turn,
  conversation: Conversation,
  number: number,
): Promise<readonly Chunk[]> {
  if (hooks?.beforeStep === undefined) return [];
  const { messages, tools } = conversation;
  const change = await hooks.beforeStep({ number, messages, tools, signal });
  signal.throwIfAborted();
  if (change !== undefined) conversation.change(change);
  return change?.chunks ?? [];
}

/**
 * One request with its retries. An attempt that failed before streaming anything leaves only the
 * notice.
 */
async function* askModel(
  turn: Turn,
  conversation: Conversation,
  callIds: Set<string>,
  clock: Clock,
): AsyncGenerator<Chunk, StepOutcome> {
  const { tools } = conversation;
  const messages = conversation.toModelMessages();
  for (let attempt = 1; ; attempt++) {
    const outcome = yield* streamStep({ ...turn, tools }, messages, callIds, clock);
    if (!outcome.fault || outcome.streamed) return outcome;
    const wait = backOff(outcome.fault, attempt, turn.limits.modelRetries);
    if (wait === undefined) return outcome;
    const data: Retry = {
      attempt,
      maxAttempts: turn.limits.modelRetries + 1,
      at: clock.now() + wait,
      reason: outcome.fault.text,
      kind: outcome.fault.kind,
    };
    yield { type: 'data-retry', data, transient: true };
    await waitToRetry(turn, clock, wait);
  }
}

/** Resolves after `ms`, or as soon as the user wants to retry. */
async function waitToRetry({ signal, onRetryNow }: Turn, clock: Clock, ms: number): Promise<void> {
  const now = new AbortController();
  const listening = onRetryNow?.(() => now.abort());
  try {
    await sleep(clock, ms, AbortSignal.any([signal, now.signal]));
  } catch (error) {
    if (!now.signal.aborted || signal.aborted) throw error;
  } finally {
    listening?.dispose();
  }
}

function* failStep(failure: ModelFailure): Generator<Chunk, void> {
  yield toError(failure);
  yield* finish('error');
}

function* finish(finishReason: FinishReason): Generator<Chunk, void> {
  yield { type: 'finish-step' };
  yield { type: 'finish', finishReason };
}

/** For a bug in Gatehouse or in a provider: the turn still ends with a visible error. */
function* failTurn(detail: string): Generator<Chunk, void> {
  yield {
    type: 'error',
    errorText: `The turn failed unexpectedly: ${detail} Everything so far is saved. Retry to ask again.`,
    fault: { kind: 'other', retryable: true },
  };
  yield { type: 'finish', finishReason: 'error' };
}

function knownCallIds(messages: readonly (readonly PartBody[])[]): Set<string> {
  const ids = new Set<string>();
  // Plain loops: a long session has very many parts.
  for (const parts of messages)
    for (const part of parts) if (isToolBody(part)) ids.add(part.toolCallId);
  return ids;
}
