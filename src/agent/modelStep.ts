import type { Clock } from '../base/clock.ts';
import { createId } from '../base/ids.ts';
import type { Chunk, FinishReason, ProviderMetadata } from '../base/stream/chunk.ts';
import type { ToolRequest } from '../tools/call.ts';
import { type InputFault, parseCallInput } from './callInput.ts';
import { type ModelFailure, toFault } from './endpoint/faults.ts';
import { watchStream } from './endpoint/stall.ts';
import { uniqueId } from './history.ts';
import type { ModelCall, ModelMessage, ModelPart } from './model.ts';
import { toUsage } from './modelUsage.ts';
import type { ToolCard, Turn } from './turn.ts';

/** The result of one model request. */
export interface StepOutcome {
  /**
   * Calls with valid JSON arguments and an existing tool, in the model's order. None may run after
   * a fault.
   */
  readonly calls: readonly ToolRequest[];
  /** True when the model made any call, even an invalid one: the next request answers it. */
  readonly called: boolean;
  readonly finishReason: FinishReason;
  readonly fault?: ModelFailure;
  /** What of the answer was for the user to read; blank text is none. */
  readonly said: 'text' | 'reasoning' | 'nothing';
  /** False when the request failed before any content was streamed, so that retrying is safe. */
  readonly streamed: boolean;
}

/**
 * Sends one request to the model and yields the chunks of its answer; returns why it ended.
 * `callIds` holds all call ids of the session and is extended, because ids must be unique. Rejects
 * only on abort.
 */
export async function* streamStep(
  turn: Turn,
  messages: readonly ModelMessage[],
  callIds: Set<string>,
  clock: Clock,
): AsyncGenerator<Chunk, StepOutcome> {
  const request = new AbortController();
  const step = createStep(turn.tools, callIds);
  try {
    // Calls the provider directly: the SDK's wrapper would buffer the answer again, pipe every
    // chunk through its own streams, and run steps and retries of its own.
    const opening = Promise.resolve(
      turn.model.doStream({
        prompt: [{ role: 'system', content: turn.system }, ...messages],
        tools: toModelTools(turn.tools),
        toolChoice: { type: 'auto' },
        ...(turn.reasoning && turn.reasoning !== 'default' && { reasoning: turn.reasoning }),
        abortSignal: request.signal,
      }),
    ).then(({ stream }) => stream);
    const patience = { firstMs: turn.limits.modelFirstChunkMs, chunkMs: turn.limits.modelChunkMs };
    for await (const part of watchStream(opening, isContent, patience, clock, turn.signal)) {
      for (const chunk of step.take(part)) yield chunk;
      // Ignore everything after an error: the SDK continues as if nothing were missing.
      if (step.error !== undefined) break;
    }
  } catch (error) {
    turn.signal.throwIfAborted();
    step.error ??= { value: error };
  } finally {
    // An answer that was read completely leaves no connection to abort.
    if (!step.ended) request.abort(ENOUGH);
  }
  turn.signal.throwIfAborted();
  const fault = step.error && toFault(step.error.value, clock.now(), turn.secrets?.());
  if (fault && step.streamed) yield* step.closeOpen();
  return step.outcome(fault);
}

const ENOUGH = new Error('the rest of the answer is not needed');

interface Step {
  error: { readonly value: unknown } | undefined;
  readonly streamed: boolean;
  /** The endpoint marked its answer as complete. */
  readonly ended: boolean;
  take(part: ModelPart): Iterable<Chunk>;
  /** Closes the text and the calls that a fault left open. */
  closeOpen(): Iterable<Chunk>;
  outcome(fault: ModelFailure | undefined): StepOutcome;
}

function createStep(tools: readonly ToolCard[], callIds: Set<string>): Step {
  const texts = createTexts();
  const calls = createCalls(tools, callIds);
  let finishReason: FinishReason = 'error';
  let ended = false;
  const step: Step = {
    error: undefined,
    get ended() {
      return ended;
    },
    get streamed() {
      return texts.streamed || calls.called;
    },
    take(part) {
      if (part.type === 'error') step.error = { value: part.error };
      if (part.type !== 'finish') return texts.take(part) ?? calls.take(part) ?? [];
      ended = true;
      finishReason = toFinishReason(part.finishReason.unified);
      const usage = toUsage(part.usage);
      return usage ? [{ type: 'data-usage', data: usage, transient: true }] : [];
    },
    *closeOpen() {
      yield* texts.closeOpen();
      yield* calls.closeOpen();
    },
    outcome: (fault) => ({
      calls: calls.requests,
      called: calls.called,
      finishReason: fault ? 'error' : finishReason,
      streamed: step.streamed,
      said: texts.said,
      ...(fault && { fault }),
    }),
  };
  return step;
}

interface OpenText extends Signed {
  readonly id: string;
  readonly kind: 'text' | 'reasoning';
}

interface Signed {
  readonly providerMetadata?: ProviderMetadata;
}

/** What the provider wants back comes with any part of a text, and each may have another field of it. */
function toMetadata(
  before: Signed,
  part: { readonly providerMetadata?: ProviderMetadata },
): Signed {
  const all = { ...before.providerMetadata };
  for (const [name, fields] of Object.entries(part.providerMetadata ?? {}))
    all[name] = { ...all[name], ...fields };
  return Object.keys(all).length === 0 ? {} : { providerMetadata: all };
}

/** Collects text and reasoning under our own ids, because the SDK's ids repeat in every request. */
function createTexts() {
  const open = new Map<string, OpenText>();
  let streamed = false;
  const said = { text: false, reasoning: false };
  return {
    get streamed() {
      return streamed;
    },
    get said() {
      return said.text ? 'text' : said.reasoning ? 'reasoning' : 'nothing';
    },
    take(part: ModelPart): Chunk[] | undefined {
      switch (part.type) {
        case 'text-start':
        case 'reasoning-start': {
          const kind = part.type === 'text-start' ? 'text' : 'reasoning';
          const id = createId('prt');
          open.set(`${kind}:${part.id}`, { id, kind, ...toMetadata({}, part) });
          streamed = true;
          return [{ type: part.type, id }];
        }
        case 'text-delta':
        case 'reasoning-delta': {
          const kind = part.type === 'text-delta' ? 'text' : 'reasoning';
          const key = `${kind}:${part.id}`;
          const text = open.get(key);
          if (text === undefined) return [];
          open.set(key, { ...text, ...toMetadata(text, part) });
          if (part.delta === '') return [];
          if (part.delta.trim() !== '') said[kind] = true;
          return [{ type: part.type, id: text.id, delta: part.delta }];
        }
        case 'text-end':
        case 'reasoning-end': {
          const key = `${part.type === 'text-end' ? 'text' : 'reasoning'}:${part.id}`;
          const text = open.get(key);
          open.delete(key);
          if (text === undefined) return [];
          return [{ type: part.type, id: text.id, ...toMetadata(text, part) }];
        }
        default:
          return undefined;
      }
    },
    closeOpen: (): Chunk[] =>
      [...open.values()].map(({ id, kind }): Chunk => ({ type: `${kind}-end`, id })),
  };
}

/** Collects the model's calls. A call that cannot run gets exactly one error here. */
function createCalls(tools: readonly ToolCard[], callIds: Set<string>) {
  const own = new Map<string, { readonly toolCallId: string; readonly toolName: string }>();
  const settled = new Set<string>();
  const requests: ToolRequest[] = [];
  const start = (id: string, toolName: string): Chunk[] => {
    const toolCallId = uniqueId(id, callIds);
    own.set(id, { toolCallId, toolName });
    const kind = tools.find((card) => card.id === toolName)?.kind;
    const display = { title: toolName, ...(kind && { kind }) };
    return [{ type: 'tool-input-start', toolCallId, toolName, display }];
  };
  const settle = (call: ToolCallPart): Chunk[] => {
    const opened = own.has(call.toolCallId) ? [] : start(call.toolCallId, call.toolName);
    const { toolCallId = call.toolCallId } = own.get(call.toolCallId) ?? {};
    const { toolName } = call;
    settled.add(call.toolCallId);
    const parsed = parseCallInput(call.input);
    if ('fault' in parsed) return [...opened, toInvalid(call, toolCallId, parsed.fault)];
    const input = parsed.value;
    const inputText = call.input.trim() === '' ? {} : { inputText: call.input };
    requests.push({ toolCallId, tool: toolName, input, ...inputText });
    // A call that waits for the user may run in the next host, from what is stored.
    const kept = JSON.stringify(input) === call.input ? {} : inputText;
    const done = { toolCallId, toolName, input, ...kept, ...toMetadata({}, call) };
    return [...opened, { type: 'tool-input-available', ...done }];
  };
  return {
    requests,
    get called() {
      return own.size > 0;
    },
    take(part: ModelPart): Chunk[] | undefined {
      if (part.type === 'tool-input-start') return start(part.id, part.toolName);
      if (part.type === 'tool-call') return settle(part);
      if (part.type !== 'tool-input-delta' || part.delta === '') return undefined;
      const toolCallId = own.get(part.id)?.toolCallId;
      if (toolCallId === undefined) return undefined;
      return [{ type: 'tool-input-delta', toolCallId, inputTextDelta: part.delta }];
    },
    closeOpen: (): Chunk[] =>
      [...own].map(([id, { toolCallId, toolName }]): Chunk => {
        const errorText = "The model's answer was interrupted before this call could run.";
        return settled.has(id)
          ? { type: 'tool-output-error', toolCallId, errorText }
          : { type: 'tool-input-error', toolCallId, toolName, input: {}, errorText };
      }),
  };
}

function toInvalid(
  { toolName, input }: ToolCallPart,
  toolCallId: string,
  fault: InputFault,
): Chunk {
  const errorText = `The arguments ${fault}; call ${toolName} again with one JSON object. Received: ${input.slice(0, 500)}`;
  return { type: 'tool-input-error', toolCallId, toolName, input, errorText };
}

type ToolCallPart = Extract<ModelPart, { type: 'tool-call' }>;

/** Whether the endpoint sent content; the SDK itself adds the start part. */
function isContent(part: ModelPart): boolean {
  return part.type !== 'stream-start' && part.type !== 'ping';
}

type ModelTools = NonNullable<ModelCall['tools']>;

const knownTools = new WeakMap<readonly ToolCard[], ModelTools>();

/**
 * Tool declarations without code: only `callTool` runs tools, so that every call passes the gate.
 * Cached per turn.
 */
function toModelTools(cards: readonly ToolCard[]): ModelTools {
  const known = knownTools.get(cards);
  if (known !== undefined) return known;
  const tools = cards.map(({ id, description, parameters }) => ({
    type: 'function' as const,
    name: id,
    description,
    inputSchema: parameters,
  }));
  knownTools.set(cards, tools);
  return tools;
}

function toFinishReason(reason: string): FinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'content-filter':
    case 'error':
      return reason;
    case 'tool-calls':
      return 'stop';
    default:
      return 'other';
  }
}
