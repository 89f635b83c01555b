import { type Clock, sleep, systemClock } from '../base/clock.ts';
import { messageOf } from '../base/faults.ts';
import type { Chunk, FinishReason } from '../base/stream/chunk.ts';
import type { Envelope } from '../base/stream/envelope.ts';
import { createFold, type Fold } from '../base/stream/fold.ts';
import { isToolPart, type StoredMessage } from '../base/stream/stored.ts';
import type { ToolKind } from '../base/tools/toolKind.ts';
import type { Limits } from '../runtime/limits.ts';
import type { ToolRequest } from '../tools/call.ts';
import { toModelMessages } from './history.ts';
import type { ChatModel } from './model.ts';
import { type StepOutcome, streamStep } from './modelStep.ts';
import { backOff, type RetryNotice } from './retry.ts';
import { runCalls } from './toolCalls.ts';

/** Everything one turn depends on. The loop keeps nothing between turns. */
export interface Turn {
  /** Made by `createModel`; a string would go to a hosted gateway. */
  readonly model: ChatModel;
  readonly system: string;
  /** The session so far, the user's new message last. */
  readonly messages: readonly StoredMessage[];
  readonly tools: readonly ToolCard[];
  /** Runs one call through the gate; what it emits joins the turn's stream at once. */
  call(request: ToolRequest, emit: (chunk: Chunk) => void): Promise<Envelope>;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** What the model is told of a tool. */
export interface ToolCard {
  readonly id: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
  readonly kind: ToolKind;
  /** Failures reach the model as `{"error": text}` (decision 44). */
  readonly failureContent?: 'error';
}

/**
 * Runs one turn: asks the model, runs the calls it makes, and asks again until it has no more. The
 * stream always ends, in `finish`, or in `abort` when the signal fired; an `error` chunk before
 * `finish` says what went wrong (CS-1, contract §9). It never rejects.
 */
export async function* runTurn(view: Turn): AsyncGenerator<Chunk, void> {
  const fold = createFold();
  try {
    for await (const chunk of runSteps(view, fold)) {
      fold.apply(chunk);
      yield chunk;
    }
  } catch (error) {
    if (view.signal.aborted) yield { type: 'abort', reason: messageOf(view.signal.reason) };
    else yield* failTurn(messageOf(error));
  }
}

async function* runSteps(view: Turn, fold: Fold): AsyncGenerator<Chunk, void> {
  const clock = view.clock ?? systemClock;
  const callIds = knownCallIds(view.messages);
  view.signal.throwIfAborted();
  yield { type: 'start' };
  for (let step = 1; ; step++) {
    yield { type: 'start-step' };
    const outcome = yield* askModel(view, fold, callIds, clock);
    if (outcome.fault) {
      const { text, retryAfterMs: _, ...fault } = outcome.fault;
      yield { type: 'error', errorText: text, fault };
      return yield* finish('error');
    }
    yield* runCalls(view, outcome.calls);
    if (!outcome.called) return yield* finish(outcome.finishReason);
    if (step >= view.limits.turnSteps) return yield* finish('max-steps');
    yield { type: 'finish-step' };
  }
}

/** One request with its retries. Tries that failed before the first word leave no trace but the notice. */
async function* askModel(
  view: Turn,
  fold: Fold,
  callIds: Set<string>,
  clock: Clock,
): AsyncGenerator<Chunk, StepOutcome> {
  const own = { role: 'assistant', metadata: {}, parts: fold.parts } as const;
  const bare = view.tools.filter(({ failureContent }) => failureContent === 'error');
  const messages = toModelMessages([...view.messages, own], new Set(bare.map(({ id }) => id)));
  for (let attempt = 1; ; attempt++) {
    const outcome = yield* streamStep(view, messages, callIds, clock);
    if (!outcome.fault || outcome.streamed) return outcome;
    const wait = backOff(outcome.fault, attempt, view.limits.modelRetries);
    if (wait === undefined) return outcome;
    const notice: RetryNotice = {
      attempt,
      maxAttempts: view.limits.modelRetries + 1,
      at: clock.now() + wait,
      reason: outcome.fault.text,
    };
    yield { type: 'data-retry', data: notice, transient: true };
    await sleep(clock, wait, view.signal);
  }
}

function* finish(finishReason: FinishReason): Generator<Chunk, void> {
  yield { type: 'finish-step' };
  yield { type: 'finish', finishReason };
}

/** A bug of ours, or a provider that throws what it should stream: the turn still ends in the open. */
function* failTurn(detail: string): Generator<Chunk, void> {
  yield {
    type: 'error',
    errorText: `The turn failed unexpectedly: ${detail} Everything up to here is kept. Retry to ask again.`,
    fault: { kind: 'other', retryable: true },
  };
  yield { type: 'finish', finishReason: 'error' };
}

function knownCallIds(messages: readonly StoredMessage[]): Set<string> {
  return new Set(
    messages.flatMap((message) => message.parts.filter(isToolPart).map((part) => part.toolCallId)),
  );
}
