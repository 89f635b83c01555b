import { type Clock, systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/faults.ts';
import type { Ask } from '../../gate/ask.ts';
import type { Registry } from '../../tools/registry.ts';
import { type Client, withdrawable } from '../client/client.ts';
import {
  type Destination,
  type PermissionAnswer,
  toAnswer,
  toPermissionRequest,
} from './permissionRequest.ts';

/** One question that waits for the user, as `_gatehouse/pending` lists it. */
export interface PendingAsk {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly kind: 'approval' | 'input';
}

/** Everything that waits for the user, over all sessions, oldest first. */
export interface PendingAsks {
  list(sessionId?: string): readonly PendingAsk[];
  /** Keeps `ask` listed while `work` runs. */
  during<Result>(ask: Omit<PendingAsk, 'since'>, work: () => Promise<Result>): Promise<Result>;
}

export function createPendingAsks(clock: Clock = systemClock): PendingAsks {
  const waiting = new Set<PendingAsk>();
  return {
    list: (sessionId) =>
      [...waiting].filter((ask) => sessionId === undefined || ask.sessionId === sessionId),
    async during(ask, work) {
      const entry = { ...ask, since: clock.now() };
      waiting.add(entry);
      try {
        return await work();
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
  readonly registry: Registry;
  readonly destinations: () => readonly Destination[];
  /** Keeps the rules of an "always" answer before the call goes on. */
  remember(remember: NonNullable<PermissionAnswer['remember']>): Promise<void>;
}

/**
 * Asks the client about one call. The answer of a withdrawn question is never looked at: once the
 * signal aborts the ask is cancelled, whatever is clicked later (VC-39, VC-84).
 */
export function createAsk(context: AskContext): Ask {
  const { sessionId, client, pending, registry } = context;
  return async (request, signal) => {
    if (signal.aborted) return { outcome: 'cancelled' };
    const kind = registry.get(request.tool)?.kind ?? 'other';
    const asked = toPermissionRequest(sessionId, request, kind, context.destinations());
    const { toolCallId, title } = request;
    return pending.during({ sessionId, toolCallId, title, kind: 'approval' }, async () => {
      try {
        const response = await client.peer.request(
          'session/request_permission',
          asked.params,
          withdrawable(signal),
        );
        if (signal.aborted) return { outcome: 'cancelled' };
        const { reply, remember } = toAnswer(asked, response);
        if (remember !== undefined) await context.remember(remember);
        return reply;
      } catch (error) {
        if (signal.aborted) return { outcome: 'cancelled' };
        // The system never invents an answer (C-57): a client that fails to ask has not allowed.
        const reason = messageOf(error);
        return { outcome: 'reject', reason: `The editor could not ask the user: ${reason}` };
      }
    });
  };
}
