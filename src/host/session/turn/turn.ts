import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk';
import { parseCompact } from '../../../acp/commands.ts';
import { isRetry, toPromptParts, toTitle } from '../../../acp/prompt.ts';
import { toStopReason } from '../../../acp/stopReason.ts';
import { getMessage } from '../../../base/faults.ts';
import { type Outcome, success } from '../../../base/outcome.ts';
import type { FinishReason } from '../../../base/stream/chunk.ts';
import type { MessageMetadata, StoredMessage } from '../../../base/stream/stored.ts';
import { isBusy } from '../../../recorder/file/faults.ts';
import type { Recorder } from '../../../recorder/recorder.ts';
import type { TurnRecord } from '../../../recorder/records.ts';
import type { TurnSpan } from '../../decisions/spans.ts';
import type { HostServices } from '../../services/hostServices.ts';
import { fillServerCommand } from '../tools/serverCommands.ts';
import type { DriverTurn, OpenDriver, TurnDriver, TurnSession } from './driver.ts';
import { type PromptFault, toPromptFault } from './modelChoice.ts';
import {
  DELETED,
  NO_REASON,
  NOT_CONFIGURED,
  noAgent,
  storeBusy,
  toBadPrompt,
  toRequestError,
  UNTRUSTED,
} from './promptError.ts';
import { createTurnPublisher, type TurnPublisher } from './turnPublisher.ts';
import { createRecords, toMetadata } from './turnRecords.ts';

/** The abort reason when the process exits. Nothing after it is recorded. */
export const HOST_ENDS = Symbol('the host ends');

/**
 * The prompt of a turn, that the session's unfinished turn goes on, or that the session is compacted.
 */
export type TurnJob = readonly ContentBlock[] | 'continue' | 'compact';

/**
 * Runs one turn from its prompt, or from where it broke off, to its stop reason. Throws a request error for what the user must
 * fix, after everything that was received is stored and published.
 */
export async function runSessionTurn(
  services: HostServices,
  session: TurnSession,
  open: OpenDriver,
  job: TurnJob,
  signal: AbortSignal,
): Promise<PromptResponse> {
  const span = services.decisions.spans.turn(session.id);
  try {
    const response = await runPrepared(services, session, { open, job, span }, signal);
    span.end({ stop_reason: response.stopReason });
    if (response.stopReason === 'end_turn') session.titles.answered();
    return response;
  } catch (error) {
    span.end({ error: getMessage(error) });
    throw error;
  }
}

interface TurnTask {
  readonly open: OpenDriver;
  readonly job: TurnJob;
  readonly span: TurnSpan;
}

async function runPrepared(
  services: HostServices,
  session: TurnSession,
  task: TurnTask,
  signal: AbortSignal,
): Promise<PromptResponse> {
  const opened = await orAborted(openTurn(services, session, task, signal), signal);
  if (opened === undefined) return { stopReason: 'cancelled' };
  const driver = withSpan(opened.driver, task.span);
  const started = await whenFree(services.recorder, signal, () => {
    session.review.turnStarted();
    return true;
  });
  if (started === undefined) return { stopReason: 'cancelled' };
  try {
    return await runOpened(services, session, driver, opened.job, signal);
  } finally {
    await endReview(services, session, signal);
  }
}

function withSpan(driver: TurnDriver, { note }: TurnSpan): TurnDriver {
  if (note === undefined) return driver;
  return {
    ...driver,
    async *run(turn) {
      for await (const chunk of driver.run(turn)) {
        note(chunk);
        yield chunk;
      }
    },
  };
}

/** A history that can't be used at the moment delays this, and never changes how the turn ended. */
async function endReview(
  { recorder, warn }: HostServices,
  { review }: TurnSession,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return review.turnEnded();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    if (signal.reason === HOST_ENDS) return;
    try {
      await recorder.free(signal.aborted ? undefined : signal);
    } catch (error) {
      // The next turn stores and asks about what is left.
      return warn(getMessage(error));
    }
  }
}

async function runOpened(
  services: HostServices,
  session: TurnSession,
  driver: TurnDriver,
  job: TurnJob,
  signal: AbortSignal,
): Promise<PromptResponse> {
  const opened = await whenFree(services.recorder, signal, () =>
    openRecord(services, session, driver, job),
  );
  if (opened === undefined) return { stopReason: 'cancelled' };
  if (!opened.ok) {
    throw toRequestError({ message: opened.error, data: { kind: 'busy', retryable: true } });
  }
  // Another window has continued the turn meanwhile.
  if (opened.data === undefined) return { stopReason: 'end_turn' };
  const { record: first, ...turn } = opened.data;
  const records = createRecords(services, session, driver, first);
  const publisher = createTurnPublisher({
    client: services.client,
    sessionId: session.id,
    contextTokens: driver.contextTokens,
    openCalls: turn.unfinished?.calls.map(({ toolCallId }) => toolCallId) ?? [],
    record: (chunks) => records.record(chunks),
  });
  const takeSteered = () => records.split(publisher);
  const { storeNow, stored } = publisher;
  try {
    return await relay(driver, { ...turn, signal, storeNow, stored, takeSteered }, publisher);
  } finally {
    try {
      publisher.leave();
    } finally {
      records.close();
    }
  }
}

/** Runs `work` when something can be stored. Undefined when the turn is cancelled before. */
async function whenFree<Result>(
  recorder: Recorder,
  signal: AbortSignal,
  work: () => Result,
): Promise<Result | undefined> {
  for (;;) {
    try {
      await recorder.free(signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw isBusy(error) ? toRequestError(storeBusy(getMessage(error))) : error;
    }
    try {
      return work();
    } catch (error) {
      // Another program was faster, and nothing was stored.
      if (!isBusy(error)) throw error;
    }
  }
}

interface OpenedTurn extends Pick<DriverTurn, 'messages' | 'unfinished' | 'compact'> {
  readonly record: TurnRecord;
}

function openRecord(
  services: HostServices,
  session: TurnSession,
  driver: TurnDriver,
  job: TurnJob,
): Outcome<OpenedTurn | undefined> {
  const { recorder } = services;
  if (recorder.session(session.id) === undefined) throw toRequestError(DELETED);
  const metadata = toMetadata(session, driver);
  if (job === 'continue') return continueRecord(recorder, session.id, metadata);
  const compact = job === 'compact' ? {} : parseCompact(job);
  const command = compact && ({ command: 'compact' } as const);
  return recorder.together(() => {
    const messages =
      job === 'compact'
        ? recorder.messages(session.id)
        : storePrompt(services, session, job, command);
    const opened = recorder.openTurn(session.id, { ...metadata, ...command });
    if (!opened.ok) return opened;
    return success({ messages, record: opened.data, ...(compact && { compact }) });
  });
}

function continueRecord(
  recorder: Recorder,
  sessionId: string,
  metadata: MessageMetadata,
): Outcome<OpenedTurn | undefined> {
  const continued = recorder.continueTurn(sessionId, metadata);
  if (!continued.ok) return continued;
  if (continued.data === undefined) return success(undefined);
  const { record, message, calls } = continued.data;
  const messages = recorder.messages(sessionId).filter(({ id }) => id !== message.id);
  return success({ record, messages, unfinished: { message, calls } });
}

/** Prepares the driver and the prompt of this turn. Rejects with the reason why the turn cannot begin. */
async function openTurn(
  services: HostServices,
  session: TurnSession,
  { open, job }: TurnTask,
  signal: AbortSignal,
): Promise<{ readonly driver: TurnDriver; readonly job: TurnJob }> {
  if (!(await services.configuration.ready())) throw toRequestError(NOT_CONFIGURED);
  const { workspace } = session.configuration();
  if (workspace !== undefined && !workspace.trusted) throw toRequestError(UNTRUSTED);
  const begun = job === 'continue' ? services.recorder.unfinishedTurn(session.id) : undefined;
  const agent = await session.loadAgent(begun?.message.metadata.agent);
  if (!agent.ok) throw toRequestError(noAgent(agent.error));
  const driver = await open(services, session);
  if (typeof job === 'string') return { driver, job };
  const filled = await fillServerCommand(services, session, job, signal);
  if (!filled.ok) throw toRequestError(toBadPrompt(filled.error));
  return { driver, job: filled.data };
}

/** Resolves to undefined as soon as the signal aborts, so that a client that never answers blocks nothing. */
async function orAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const onAbort = () => aborted.resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
  }
}

/** Stores the user's message before the model sees it (spec CS-92). The first message names the session. */
function storePrompt(
  { recorder, client, warn }: HostServices,
  session: TurnSession,
  blocks: readonly ContentBlock[],
  metadata: MessageMetadata = {},
): readonly StoredMessage[] {
  const parts = toPromptParts(blocks);
  const own = { ...metadata, ...session.plan.metadata };
  session.plan.begun();
  const before = recorder.messages(session.id);
  // The same text after a turn without any output is a retry, not a second message.
  const messages = isRetry(findLastVisible(before, 2), parts)
    ? before
    : [...before, recorder.addUserMessage(session.id, parts, own)];
  const untitled = session.title === undefined && metadata.command === undefined;
  const title = untitled ? toTitle(blocks) : undefined;
  if (title !== undefined) {
    session.titles.cut(title);
    client
      .update(session.id, { sessionUpdate: 'session_info_update', title })
      .catch((error) => warn(String(error)));
  }
  return messages;
}

/** The last messages that no rewind has hidden, at most so many. */
function findLastVisible(messages: readonly StoredMessage[], most: number) {
  const found: StoredMessage[] = [];
  for (let at = messages.length - 1; at >= 0 && found.length < most; at--) {
    const message = messages[at];
    if (message !== undefined && message.metadata.hidden_at === undefined) found.unshift(message);
  }
  return found;
}

async function relay(
  driver: TurnDriver,
  turn: DriverTurn,
  publisher: TurnPublisher,
): Promise<PromptResponse> {
  const { signal } = turn;
  let reason: FinishReason = 'other';
  let fault: PromptFault | undefined;
  for await (const chunk of driver.run(turn)) {
    if (signal.reason === HOST_ENDS) return { stopReason: 'cancelled' };
    publisher.show(chunk);
    if (chunk.type === 'finish') reason = chunk.finishReason;
    if (chunk.type === 'error') fault = toPromptFault(chunk.errorText, chunk.fault);
    const behind = publisher.ready();
    if (behind !== undefined) await behind;
  }
  await publisher.finish();
  // ACP: a cancelled turn is never an error, whatever failed before.
  if (signal.aborted) return { stopReason: 'cancelled' };
  if (fault !== undefined || reason === 'error') throw toRequestError(fault ?? NO_REASON);
  return { stopReason: toStopReason(reason) };
}
