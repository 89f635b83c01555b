import { parseCallInput } from '../../../agent/callInput.ts';
import type { Price } from '../../../agent/models/price.ts';
import { runTurn } from '../../../agent/runTurn.ts';
import type { BegunTurn, StepChange, Summarizer, Turn } from '../../../agent/turn.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { StoredToolPart } from '../../../base/stream/stored.ts';
import type { UnfinishedTurn } from '../../../base/stream/unfinished.ts';
import { isBusy } from '../../../recorder/file/faults.ts';
import type { CallContext, ToolRequest } from '../../../tools/call.ts';
import { callTool } from '../../../tools/callTool.ts';
import { knownSecrets } from '../../client/secrets.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { assemblePrompt } from '../prompt/assemblePrompt.ts';
import { openCopies, toCallContext } from '../tools/callContext.ts';
import type { OfferedTools } from '../tools/offeredTools.ts';
import { offerSessionTools, sessionTools } from '../tools/sessionTools.ts';
import type { DriverTurn, TurnDriver, TurnSession } from './driver.ts';
import { chooseModel, getModel, isFault } from './modelChoice.ts';
import { openCosts } from './openCosts.ts';
import { toRequestError } from './promptError.ts';
import { createServerSampling } from './serverSampling.ts';
import { openSummarizer } from './smallModel.ts';

/** The built-in agent loop with the configured model. */
export async function openBuiltInDriver(
  services: HostServices,
  session: TurnSession,
): Promise<TurnDriver> {
  const { settings } = session.configuration();
  const { choice, contextTokens, model } = await openModels(services, session);
  const runtimes = await services.runtimes();
  await session.checkApproval();
  const copies = await openCopies(services, session);
  const found = await sessionTools(services, session);
  const offered = offerSessionTools(services, session, found.registry);
  const { text, digest } = await assemblePrompt(session, choice.ref.id, offered.first);
  const inputPrice = { perMillion: choice.info.price?.input };
  const askModel = createServerSampling(services, session);
  const parts = { tools: found, offered, runtimes, copies, inputPrice, askModel };
  const context = toCallContext(services, parts, session);
  return {
    metadata: {
      model: { provider_id: choice.ref.provider, model_id: choice.ref.id },
      system_prompt_digest: digest,
    },
    contextTokens,
    run: (turn) => {
      const limits = () => session.configuration().settings.limits;
      const { price } = choice.info;
      const aside = { price };
      const costs = openCosts(services, { sessionId: session.id, price, aside, limits });
      const chunks = runTurn({
        findStop: costs.findStop,
        model,
        summarizer: () => summarizer(services, session, aside),
        reasoning: settings.model.reasoning,
        system: text,
        messages: turn.messages,
        ...toTask(turn),
        tools: offered.first,
        images: settings.model.images && choice.info.images !== false,
        contextTokens,
        call: createCall(services, session, context)(turn),
        secrets: () => knownSecrets(services.client),
        limits: limits(),
        signal: turn.signal,
        onRetryNow: (listener) => listenForRetry(services, session.id, listener),
        hooks: { beforeStep: () => beforeStep(services, session, offered, turn) },
      });
      return counted(chunks, costs);
    },
  };
}

async function openModels(services: HostServices, session: TurnSession) {
  const { model: settings } = session.configuration().settings;
  const choice = await chooseModel(services, settings, session.modelRef);
  if (isFault(choice)) throw toRequestError(choice);
  const contextTokens = settings.contextTokens || (choice.info.contextTokens ?? 0);
  return { choice, contextTokens, model: await getModel(services, choice, contextTokens) };
}

/** What it costs is counted at the price of the model that writes. */
async function summarizer(
  services: HostServices,
  session: TurnSession,
  aside: { price: Price | undefined },
): Promise<Summarizer> {
  const { prompt, small } = await openSummarizer(services, session);
  if (small === undefined) return { prompt };
  aside.price = small.price;
  return { prompt, model: small.model };
}

async function* counted(
  chunks: AsyncIterable<Chunk>,
  costs: ReturnType<typeof openCosts>,
): AsyncGenerator<Chunk, void> {
  try {
    yield* costs.count(chunks);
  } finally {
    costs.dispose();
  }
}

/** Runs one call of a turn. */
function createCall(
  services: HostServices,
  session: TurnSession,
  context: CallContext,
): (turn: DriverTurn) => Turn['call'] {
  return (turn) => async (request, emit) => {
    const begun = services.pending.begin(session.id, request.toolCallId);
    try {
      const watched = watchCall(session, request.tool, turn, emit);
      await services.recorder.free(turn.signal);
      return await callTool(request, { ...context, stored: turn.stored }, watched, turn.signal);
    } finally {
      begun.dispose();
    }
  };
}

/** What the turn does other than answering the newest message. */
function toTask({ unfinished, compact }: DriverTurn): Pick<Turn, 'begun' | 'compact'> {
  return { ...(unfinished && { begun: toBegun(unfinished) }), ...(compact && { compact }) };
}

/** The loop listens exactly while it waits to repeat a request. */
function listenForRetry(
  { retryNow, retrying }: HostServices,
  sessionId: string,
  listener: () => void,
): Disposable {
  retrying.add(sessionId);
  const listening = retryNow.event((id) => id === sessionId && listener());
  return {
    dispose: () => {
      retrying.delete(sessionId);
      listening.dispose();
    },
  };
}

/** What happened since the last step; outcomes of reviews join the message after the user's. */
async function beforeStep(
  { recorder }: HostServices,
  { review }: TurnSession,
  { offerFound }: OfferedTools,
  turn: DriverTurn,
): Promise<StepChange> {
  const userMessages = await whenStored(recorder, turn, () => turn.takeSteered());
  const chunks = await whenStored(recorder, turn, () => review.takeOutcomes(turn.storeNow));
  return { userMessages, chunks, tools: offerFound() };
}

/** Runs `work`, which stores all of its writes or none, when everything before is stored. */
async function whenStored<Result>(
  recorder: HostServices['recorder'],
  turn: DriverTurn,
  work: () => Result,
): Promise<Result> {
  for (;;) {
    await turn.stored();
    await recorder.free(turn.signal);
    // What came meanwhile may wait for the file again.
    if (turn.stored() !== undefined) continue;
    try {
      return work();
    } catch (error) {
      // Another program was faster, or the file is repaired: nothing was stored.
      if (!isBusy(error)) throw error;
    }
  }
}

/** The same calls with the same arguments; they pass the gate anew. */
function toBegun({ message, calls }: UnfinishedTurn): BegunTurn {
  return {
    parts: message.parts.map(({ id: _, ...body }) => body),
    calls: calls.map(toRequest),
  };
}

/** JSON in the database has lost what numbers like 1e400 are, so the model's text is parsed again. */
function toRequest({ toolCallId, toolName, input, inputText }: StoredToolPart): ToolRequest {
  const parsed = inputText === undefined ? undefined : parseCallInput(inputText);
  if (inputText === undefined || parsed === undefined || 'fault' in parsed) {
    return { toolCallId, tool: toolName, input };
  }
  return { toolCallId, tool: toolName, input: parsed.value, inputText };
}

/**
 * Forwards what a call emits. A call is stored as running before it runs, so that after a crash it is
 * closed and not asked about again (spec CS-80), and as waiting before its question is asked. Progress
 * while it runs comes with the stream.
 */
function watchCall(
  { lastErrors }: TurnSession,
  tool: string,
  { signal, storeNow }: DriverTurn,
  emit: (chunk: Chunk) => void,
): (chunk: Chunk) => void {
  let runs = false;
  return (chunk) => {
    // It ran in a copy, and is about to run for real.
    if (chunk.type === 'tool-approval-request') runs = false;
    if (!runs && isUrgent(chunk) && !signal.aborted) storeNow(chunk);
    runs ||= chunk.type === 'tool-progress';
    if (chunk.type === 'tool-output-error') lastErrors.set(tool, chunk.errorText);
    if (chunk.type === 'tool-output-available') lastErrors.delete(tool);
    emit(chunk);
  };
}

function isUrgent(chunk: Chunk): boolean {
  return chunk.type === 'tool-progress' || chunk.type === 'tool-approval-request';
}
