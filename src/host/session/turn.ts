import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk';
import { isRetry, toPromptParts, toTitle } from '../../acp/prompt.ts';
import { toStopReason } from '../../acp/stopReason.ts';
import type { Turn } from '../../agent/runTurn.ts';
import type { FinishReason } from '../../base/stream/chunk.ts';
import type { StoredMessage } from '../../base/stream/stored.ts';
import type { HostServices, LoadedLoop } from '../hostServices.ts';
import {
  chooseModel,
  isFault,
  type ModelChoice,
  type PromptFault,
  toPromptFault,
} from './modelChoice.ts';
import { NOT_CONFIGURED, toRequestError, UNTRUSTED } from './promptError.ts';
import type { Session } from './session.ts';
import { createTurnShow, type TurnShow } from './turnShow.ts';

/** The reason of an abort that nobody asked for: the process goes. What comes after is not recorded. */
export const HOST_ENDS = Symbol('the host ends');

/**
 * One prompt from its message to its stop reason. Throws a request error for what the user must
 * act on, after everything that was received is stored and sent.
 */
export async function runSessionTurn(
  services: HostServices,
  session: Session,
  blocks: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<PromptResponse> {
  const ready = await orAborted(getReady(services, session), signal);
  if (ready === undefined) return { stopReason: 'cancelled' };
  const { choice, loaded } = ready;
  const { settings } = session.configuration();

  const { digest, toView } = loaded.prepareTurn(services, session, loaded, choice);
  const { messages, opened } = services.recorder.together(() => ({
    messages: storePrompt(services, session, blocks),
    opened: openRecord(services, session, choice, digest),
  }));
  if (!opened.ok) {
    throw toRequestError({ message: opened.error, data: { kind: 'busy', retryable: true } });
  }
  const record = opened.data;
  const shown = createTurnShow({
    client: services.client,
    sessionId: session.id,
    contextTokens: settings.model.contextTokens,
    record: (chunks) => record.record(...chunks),
  });
  try {
    return await relay(loaded, toView({ messages, signal, storeNow: shown.storeNow }), shown);
  } finally {
    try {
      shown.leave();
    } finally {
      record.close();
    }
  }
}

/** Everything a turn needs of others, or the reason why it cannot begin. */
async function getReady(
  services: HostServices,
  session: Session,
): Promise<{ readonly choice: ModelChoice; readonly loaded: LoadedLoop }> {
  if (!(await services.configuration.ready())) throw toRequestError(NOT_CONFIGURED);
  const { settings, workspace } = session.configuration();
  if (workspace !== undefined && !workspace.trusted) throw toRequestError(UNTRUSTED);
  const choice = await chooseModel(settings.model, services.client, services.env);
  if (isFault(choice)) throw toRequestError(choice);
  return { choice, loaded: await services.loop() };
}

/** Undefined as soon as the signal aborts: a client that never answers holds nothing up. */
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

/** The user's words are stored before the model sees them (CS-92); the first ones name the session. */
function storePrompt(
  { recorder, client, warn }: HostServices,
  session: Session,
  blocks: readonly ContentBlock[],
): readonly StoredMessage[] {
  const parts = toPromptParts(blocks);
  const before = recorder.messages(session.id);
  // The same words after a turn that brought nothing are a retry, not a second message.
  const messages = isRetry(before, parts)
    ? before
    : [...before, recorder.addUserMessage(session.id, parts)];
  const title = session.title === undefined ? toTitle(blocks) : undefined;
  if (title !== undefined) {
    session.setTitle(title);
    client
      .update(session.id, { sessionUpdate: 'session_info_update', title })
      .catch((error) => warn(String(error)));
  }
  return messages;
}

function openRecord(
  { recorder }: HostServices,
  session: Session,
  { id }: ModelChoice,
  digest: string,
) {
  return recorder.openTurn(session.id, {
    model: { provider_id: 'openai-compatible', model_id: id },
    system_prompt_digest: digest,
  });
}

async function relay(
  { runTurn }: LoadedLoop,
  view: Turn,
  shown: TurnShow,
): Promise<PromptResponse> {
  const { signal } = view;
  let reason: FinishReason = 'other';
  let fault: PromptFault | undefined;
  for await (const chunk of runTurn(view)) {
    if (signal.reason === HOST_ENDS) return { stopReason: 'cancelled' };
    shown.show(chunk);
    if (chunk.type === 'finish') reason = chunk.finishReason;
    if (chunk.type === 'error') fault = toPromptFault(chunk.errorText, chunk.fault);
    const behind = shown.ready();
    if (behind !== undefined) await behind;
  }
  await shown.finish();
  // Cancelled is never an error, whatever broke on the way (ACP, prompt turn).
  if (signal.aborted) return { stopReason: 'cancelled' };
  if (fault !== undefined || reason === 'error') throw toRequestError(fault ?? NO_REASON);
  return { stopReason: toStopReason(reason) };
}

const NO_REASON: PromptFault = {
  message: 'The model ended with an error. Send the message again.',
  data: { kind: 'other', retryable: true },
};
