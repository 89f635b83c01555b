import type { ContentBlock, PromptResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import { isRetry, toPromptParts, toTitle } from '../acp/prompt.ts';
import { toStopReason } from '../acp/stopReason.ts';
import { toCancelled, toUpdates } from '../acp/toUpdates.ts';
import type { TurnView } from '../agent/runTurn.ts';
import type { Chunk, FinishReason } from '../base/chunk.ts';
import type { StoredMessage, Usage } from '../base/stored.ts';
import type { Ask, CallContext } from '../tools/call.ts';
import { createAsk } from './asks.ts';
import {
  chooseModel,
  isFault,
  type ModelChoice,
  type PromptFault,
  toPromptFault,
} from './modelChoice.ts';
import { NOT_CONFIGURED, toRequestError, UNTRUSTED } from './promptError.ts';
import { createServices } from './services.ts';
import type { Session } from './session.ts';
import type { LoadedLoop, Workshop } from './workshop.ts';

/** The reason of an abort that nobody asked for: the process goes. What comes after is not recorded. */
export const HOST_ENDS = Symbol('the host ends');

/**
 * One prompt from its message to its stop reason. Throws a request error for what the user must
 * act on, after everything that was received is stored and sent.
 */
export async function runSessionTurn(
  workshop: Workshop,
  session: Session,
  blocks: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<PromptResponse> {
  if (!(await workshop.configuration.ready())) throw toRequestError(NOT_CONFIGURED);
  const { settings, workspace } = session.configuration();
  if (workspace !== undefined && !workspace.trusted) throw toRequestError(UNTRUSTED);
  const choice = await chooseModel(settings.model, workshop.client, workshop.env);
  if (signal.aborted) return { stopReason: 'cancelled' };
  if (isFault(choice)) throw toRequestError(choice);

  const messages = await storePrompt(workshop, session, blocks);
  const turn = openTurn(workshop, session, choice);
  try {
    const record = recordOnce(turn);
    const view = await toView(workshop, session, choice, { messages, record, signal });
    return await relay(workshop, session, record, view);
  } finally {
    turn.close();
  }
}

/** The user's words are stored before the model sees them (CS-92); the first ones name the session. */
async function storePrompt(
  { recorder, client }: Workshop,
  session: Session,
  blocks: readonly ContentBlock[],
): Promise<readonly StoredMessage[]> {
  const parts = toPromptParts(blocks);
  const before = recorder.messages(session.id);
  // The same words after a turn that brought nothing are a retry, not a second message.
  const messages = isRetry(before, parts)
    ? before
    : [...before, recorder.addUserMessage(session.id, parts)];
  const title = session.title === undefined ? toTitle(blocks) : undefined;
  if (title !== undefined) {
    session.setTitle(title);
    await client.update(session.id, { sessionUpdate: 'session_info_update', title });
  }
  return messages;
}

function openTurn({ recorder }: Workshop, session: Session, { id }: ModelChoice) {
  const opened = recorder.openTurn(session.id, {
    model: { provider_id: 'openai-compatible', model_id: id },
  });
  if (opened.ok) return opened.data;
  throw toRequestError({ message: opened.error, data: { kind: 'busy', retryable: true } });
}

type RecordChunk = (chunk: Chunk) => void;

/** Records a chunk the first time it is seen, so that it may be recorded before it is passed on. */
function recordOnce(turn: { record: RecordChunk }): RecordChunk {
  const seen = new WeakSet<Chunk>();
  return (chunk) => {
    if (seen.has(chunk)) return;
    seen.add(chunk);
    turn.record(chunk);
  };
}

async function toView(
  workshop: Workshop,
  session: Session,
  choice: ModelChoice,
  turn: {
    readonly messages: readonly StoredMessage[];
    readonly record: RecordChunk;
    readonly signal: AbortSignal;
  },
): Promise<TurnView> {
  const { messages, record, signal } = turn;
  const loop = await workshop.loop();
  const { settings } = session.configuration();
  const { sessionTools } = await import('./declaredTools.ts');
  const { registry } = sessionTools(workshop, session, loop.registry);
  const tools = registry.list();
  const context = toCallContext(workshop, { ...loop, registry }, session);
  const { text } = loop.systemPrompt({
    manifest: loop.BUILT_IN_PROMPT,
    environment: {
      platform: process.platform,
      root: session.cwd,
      additionalRoots: session.additionalDirectories,
      now: Date.now(),
      model: choice.id,
    },
    tools,
  });
  return {
    model: loop.createModel(choice),
    system: text,
    messages,
    tools,
    call: (request, emit) => {
      const passOn = (chunk: Chunk) => {
        // A call is on record as running before it runs: a host that dies then leaves it to be
        // closed, not to be asked again (CS-80).
        if (chunk.type === 'tool-progress' && !signal.aborted) record(chunk);
        emit(chunk);
      };
      return loop.callTool(request, context, passOn, signal);
    },
    limits: settings.limits,
    signal,
  };
}

function toCallContext(
  { client, pending, rules }: Workshop,
  { registry, runtimes }: LoadedLoop,
  session: Session,
): CallContext {
  const ask: Ask = createAsk({
    sessionId: session.id,
    client,
    pending,
    registry,
    destinations: () => rules.destinations(),
    remember: ({ destination, rules: added }) => rules.remember(session, destination, added),
  });
  return {
    sessionId: session.id,
    registry,
    policy: () => session.policy(),
    ask,
    runtime: (toolCallId, signal, emit, gate) => {
      const { webSearch } = session.configuration().settings;
      const runtime = runtimes.of(session).runtime(toolCallId, signal, emit, gate);
      const services = createServices({ session, toolCallId, client, pending, webSearch, emit });
      return { ...runtime, session: services };
    },
  };
}

/** Stores each chunk, then shows it: the two never disagree. */
async function relay(
  { client, loop }: Workshop,
  session: Session,
  record: RecordChunk,
  view: TurnView,
): Promise<PromptResponse> {
  const { signal } = view;
  let reason: FinishReason = 'other';
  let fault: PromptFault | undefined;
  const open = new Set<string>();
  const { runTurn } = await loop();
  for await (const chunk of runTurn(view)) {
    if (signal.reason === HOST_ENDS) return { stopReason: 'cancelled' };
    record(chunk);
    if (chunk.type === 'finish') reason = chunk.finishReason;
    if (chunk.type === 'error') fault = toPromptFault(chunk.errorText, chunk.fault);
    noteCall(open, chunk);
    for (const update of toShown(chunk, session, client.facts)) {
      await client.update(session.id, update);
    }
  }
  // Cancelled is never an error, whatever broke on the way (ACP, prompt turn).
  if (!signal.aborted && fault !== undefined) throw toRequestError(fault);
  if (!signal.aborted && reason === 'error')
    throw toRequestError(toPromptFault(NO_REASON, undefined));
  // The rows stay frozen (CS-79); a client would show these calls as running for ever.
  for (const toolCallId of open) await client.update(session.id, toCancelled(toolCallId));
  if (signal.aborted || reason === 'error') return { stopReason: 'cancelled' };
  return { stopReason: toStopReason(reason) };
}

const NO_REASON = 'The model ended with an error. Send the message again.';

/** Keeps the ids of the calls that were shown and have no outcome yet. */
function noteCall(open: Set<string>, chunk: Chunk): void {
  switch (chunk.type) {
    case 'tool-input-start':
    case 'tool-input-available':
      open.add(chunk.toolCallId);
      return;
    case 'tool-input-error':
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
      open.delete(chunk.toolCallId);
  }
}

function toShown(
  chunk: Chunk,
  session: Session,
  facts: Workshop['client']['facts'],
): readonly SessionUpdate[] {
  if (chunk.type === 'data-usage') return toUsage(chunk.data, session);
  if (chunk.type === 'data-retry' && facts.notices) return toRetryNotice(chunk.data);
  return toUpdates(chunk, facts);
}

/** Without a known window there is nothing to be measured against, and nothing is claimed. */
function toUsage(data: unknown, session: Session): readonly SessionUpdate[] {
  const size = session.configuration().settings.model.contextTokens;
  if (size === 0 || !isUsage(data)) return [];
  const used = data.input + data.cache_read + data.cache_write + data.output;
  return [{ sessionUpdate: 'usage_update', used, size }];
}

function isUsage(data: unknown): data is Usage {
  if (typeof data !== 'object' || data === null) return false;
  const counts = ['input', 'output', 'cache_read', 'cache_write'];
  return counts.every((name) => Number.isInteger(Reflect.get(data, name)));
}

function toRetryNotice(data: unknown): readonly SessionUpdate[] {
  if (typeof data !== 'object' || data === null || !('reason' in data)) return [];
  const { reason, attempt } = { attempt: 1, ...data };
  return [
    {
      sessionUpdate: 'notice',
      severity: 'warning',
      title: `The model did not answer; trying again (attempt ${Number(attempt) + 1}).`,
      description: String(reason),
      _meta: { gatehouse: { retry: data } },
    },
  ];
}
