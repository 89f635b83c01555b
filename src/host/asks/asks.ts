import type { PendingEntry } from '../../acp/gatehouse/pending.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { getMessage } from '../../base/faults.ts';
import { createId } from '../../base/ids.ts';
import type { AskReply, AskRequest, AskUser } from '../../gate/ask.ts';
import { type Client, withdrawable } from '../client/client.ts';
import {
  type Destination,
  type PermissionAnswer,
  toAnswer,
  toPermissionRequest,
} from './permissionRequest.ts';

/** A pending request, identified by its session, call and ask ids. */
export type PendingAsk = PendingEntry;

/** The pending requests of all sessions, oldest first. */
export interface PendingAsks {
  list(sessionId?: string): readonly PendingAsk[];
  /**
   * Lists `ask` while `work` runs; `work` gets the entry with its id. `reevaluate` settles the ask when
   * newly stored rules decide it.
   */
  during<Result>(
    ask: Omit<PendingAsk, 'askId' | 'since'>,
    work: (entry: PendingAsk) => Promise<Result>,
    reevaluate?: AskRequest['reevaluate'],
  ): Promise<Result>;
  /** Called after an answer stored rules: evaluates every other pending ask again, in full (spec VC-38). */
  reevaluateOthers(answered: PendingAsk): Promise<void>;
}

export function createPendingAsks(clock: Clock = systemClock): PendingAsks {
  const waiting = new Map<PendingAsk, AskRequest['reevaluate'] | undefined>();
  return {
    list: (sessionId) =>
      [...waiting.keys()].filter((ask) => sessionId === undefined || ask.sessionId === sessionId),
    async reevaluateOthers(answered) {
      const others = [...waiting].filter(([entry]) => entry !== answered);
      await Promise.all(others.map(([, reevaluate]) => reevaluate?.()));
    },
    async during(ask, work, reevaluate) {
      const since = clock.now();
      const entry: PendingAsk = { ...ask, askId: createId('ask', since), since };
      waiting.set(entry, reevaluate);
      try {
        return await work(entry);
      } finally {
        waiting.delete(entry);
      }
    },
  };
}

export interface AskContext {
  readonly sessionId: string;
  readonly client: Client;
  readonly pending: PendingAsks;
  readonly destinations: () => readonly Destination[];
  /** Stores the rules of an "always" answer before the call continues. */
  remember(remember: NonNullable<PermissionAnswer['remember']>): Promise<void>;
}

/**
 * Asks the client about one call. The answer to a cancelled ask is ignored: once the
 * signal aborts, the ask is cancelled, whatever the user clicks later (spec VC-39, VC-84).
 */
export function createAsk(context: AskContext): AskUser {
  const { sessionId, client, pending } = context;
  return async (request, signal) => {
    if (signal.aborted) return { outcome: 'cancelled' };
    const { toolCallId, title, kind, reevaluate, answered } = request;
    const waiting = { sessionId, toolCallId, title, kind: 'approval' } as const;
    const work = async (entry: PendingAsk): Promise<AskReply> => {
      const { askId } = entry;
      const asked = toPermissionRequest(
        { sessionId, askId },
        request,
        kind,
        context.destinations(),
      );
      try {
        const response = await client.peer.request(
          'session/request_permission',
          asked.params,
          withdrawable(signal),
        );
        if (signal.aborted) return { outcome: 'cancelled' };
        answered();
        const { reply, remember } = toAnswer(asked, response);
        if (remember !== undefined) {
          await context.remember(remember);
          void pending.reevaluateOthers(entry);
        }
        return reply;
      } catch (error) {
        if (signal.aborted) return { outcome: 'cancelled' };
        // A client that fails to ask has not allowed anything: answers are never invented (spec C-57).
        const reason = getMessage(error);
        return { outcome: 'reject', reason: `The editor could not ask the user: ${reason}` };
      }
    };
    return pending.during(waiting, work, reevaluate);
  };
}
