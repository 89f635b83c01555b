import type { AskSource, PendingEntry } from '../../acp/gatehouse/pending.ts';
import type { RejectedEdit } from '../../acp/gatehouse/permission.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import { getMessage } from '../../base/faults.ts';
import { createId } from '../../base/ids.ts';
import type { AskReply, AskRequest, AskUser } from '../../gate/ask.ts';
import { type Client, requestAnswer } from '../client/client.ts';
import type { Destination } from './options.ts';
import { type PermissionAnswer, toAnswer, toPermissionRequest } from './permissionRequest.ts';

/** A pending request, identified by its session, call and ask ids. */
export type PendingAsk = PendingEntry;

/** The session that a request belongs to. */
export interface AskingSession {
  readonly id: string;
  readonly definition: { readonly name: string };
  readonly title: string | undefined;
  /** The session that started this one. */
  readonly parent: string | undefined;
}

/** What a pending request is about. */
export type Asked = Pick<PendingAsk, 'toolCallId' | 'title' | 'kind'>;

/** The pending requests of all sessions, in call order. */
export interface PendingAsks {
  list(sessionId?: string): readonly PendingAsk[];
  /**
   * Numbers a call when it starts, until it is disposed. The calls of one message start in order but
   * may reach their requests in any order.
   */
  begin(sessionId: string, toolCallId: string): Disposable;
  /**
   * Lists `ask` while `work` runs; `work` gets the entry with its id. `reevaluate` settles the ask when
   * newly stored rules decide it.
   */
  during<Result>(
    session: AskingSession,
    ask: Asked,
    work: (entry: PendingAsk) => Promise<Result>,
    reevaluate?: AskRequest['reevaluate'],
  ): Promise<Result>;
  /** Called after an answer stored rules: evaluates every other pending ask again, in full (spec VC-38). */
  reevaluateOthers(answered: PendingAsk): Promise<void>;
}

export function createPendingAsks(clock: Clock = systemClock): PendingAsks {
  const waiting = new Map<PendingAsk, AskRequest['reevaluate'] | undefined>();
  const calls = new Map<string, number>();
  let counter = 0;
  const next = () => {
    counter += 1;
    return counter;
  };
  return {
    list: (sessionId) =>
      [...waiting.keys()]
        .filter((ask) => sessionId === undefined || ask.sessionId === sessionId)
        .sort((a, b) => a.source.order - b.source.order),
    begin(sessionId, toolCallId) {
      const key = toKey(sessionId, toolCallId);
      calls.set(key, next());
      return { dispose: () => void calls.delete(key) };
    },
    async reevaluateOthers(answered) {
      const others = [...waiting].filter(([entry]) => entry !== answered);
      await Promise.all(others.map(([, reevaluate]) => reevaluate?.()));
    },
    async during(session, ask, work, reevaluate) {
      const since = clock.now();
      const order = calls.get(toKey(session.id, ask.toolCallId)) ?? next();
      const source = toSource(session, order);
      const askId = createId('ask', since);
      const entry: PendingAsk = { sessionId: session.id, ...ask, askId, since, source };
      waiting.set(entry, reevaluate);
      try {
        return await work(entry);
      } finally {
        waiting.delete(entry);
      }
    },
  };
}

function toKey(sessionId: string, toolCallId: string): string {
  return JSON.stringify([sessionId, toolCallId]);
}

function toSource({ definition, title, parent }: AskingSession, order: number): AskSource {
  return {
    order,
    agent: definition.name,
    ...(title !== undefined && { session: title }),
    ...(parent !== undefined && { parent }),
  };
}

export interface AskContext {
  readonly session: AskingSession;
  readonly client: Client;
  readonly pending: PendingAsks;
  readonly destinations: () => readonly Destination[];
  /** Stores the rules of an "always" answer before the call continues. */
  remember(remember: NonNullable<PermissionAnswer['remember']>, identity?: string): Promise<void>;
}

/**
 * Asks the client about one call. The answer to a cancelled ask is ignored: once the
 * signal aborts, the ask is cancelled, whatever the user clicks later (spec VC-39, VC-84).
 */
export function createAsk(context: AskContext): AskUser {
  const { session, pending } = context;
  return async (request, signal) => {
    if (signal.aborted) return { outcome: 'cancelled' };
    const { toolCallId, title, reevaluate } = request;
    const waiting = { toolCallId, title, kind: 'approval' } as const;
    const work = (entry: PendingAsk) => askClient(context, request, entry, signal);
    return pending.during(session, waiting, work, reevaluate);
  };
}

async function askClient(
  context: AskContext,
  request: AskRequest,
  entry: PendingAsk,
  signal: AbortSignal,
): Promise<AskReply> {
  try {
    const answer = await askUntilRunnable(context, request, entry, signal);
    if (answer === undefined) return { outcome: 'cancelled' };
    const { reply, remember } = answer;
    if (remember !== undefined && remember.rules.length > 0) {
      await context.remember(remember, request.identity);
      void context.pending.reevaluateOthers(entry);
    }
    return reply;
  } catch (error) {
    if (signal.aborted) return { outcome: 'cancelled' };
    // A client that fails to ask has not allowed anything: answers are never invented (spec C-57).
    const reason = getMessage(error);
    return { outcome: 'reject', reason: `The editor could not ask the user: ${reason}` };
  }
}

/**
 * Asks, and asks again while the user's edit of the arguments can't run: the next request carries the
 * edit and its error. Undefined if the ask was cancelled.
 */
async function askUntilRunnable(
  context: AskContext,
  request: AskRequest,
  entry: PendingAsk,
  signal: AbortSignal,
): Promise<PermissionAnswer | undefined> {
  const { client } = context;
  const destinations = context.destinations();
  const ownClient = client.facts.gatehouse && client.facts.saveRule;
  let edit: RejectedEdit | undefined;
  for (;;) {
    const asked = toPermissionRequest(request, {
      ...entry,
      ...{ destinations, ownClient, edit },
    });
    const response = await requestAnswer(
      client,
      'session/request_permission',
      asked.params,
      signal,
    );
    if (signal.aborted) return undefined;
    request.answered();
    const answer = toAnswer(asked, response);
    const { reply } = answer;
    const edited = reply.outcome === 'allow' ? reply.editedInput : undefined;
    const error = edited === undefined ? undefined : await findEditError(request, edited);
    if (signal.aborted) return undefined;
    if (error === undefined) return answer;
    request.reopened();
    edit = { input: edited, error };
  }
}

async function findEditError({ checkEdit }: AskRequest, edited: unknown) {
  // Without a check the gate would run the call as it was proposed.
  if (checkEdit === undefined) return 'The arguments of this call can not be edited.';
  return checkEdit(edited);
}
