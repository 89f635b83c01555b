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

/** One request that waits for the user. Session, call and ask together name it. */
export type PendingAsk = PendingEntry;

/** Everything that waits for the user, over all sessions, oldest first. */
export interface PendingAsks {
  list(sessionId?: string): readonly PendingAsk[];
  /**
   * Keeps `ask` listed while `work` runs, which gets it with its own id. `reevaluate` settles it when
   * stored rules decide it meanwhile.
   */
  during<Result>(
    ask: Omit<PendingAsk, 'askId' | 'since'>,
    work: (entry: PendingAsk) => Promise<Result>,
    reevaluate?: AskRequest['reevaluate'],
  ): Promise<Result>;
  /** An answer stored rules: every other pending ask is evaluated again, in full (spec VC-38). */
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
  /** Keeps the rules of an "always" answer before the call goes on. */
  remember(remember: NonNullable<PermissionAnswer['remember']>): Promise<void>;
}

/**
 * Asks the client about one call. The answer of a withdrawn question is never looked at: once the
 * signal aborts the ask is cancelled, whatever is clicked later (spec VC-39, VC-84).
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
        // The system never invents an answer (spec C-57): a client that fails to ask has not allowed.
        const reason = getMessage(error);
        return { outcome: 'reject', reason: `The editor could not ask the user: ${reason}` };
      }
    };
    return pending.during(waiting, work, reevaluate);
  };
}
