import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toRecord } from '../../../base/json.ts';
import type { PendingAsks } from '../../asks/asks.ts';
import type { Client } from '../../client/client.ts';
import type { HostServices } from '../../services/hostServices.ts';

/** The session that the user sees, in whose name a subagent asks. */
export interface ChildOf {
  /** The subagent's session. */
  readonly child: string;
  /** The session that started it, whose own calls may be shown under another id, too. */
  readonly parent: string;
}

/**
 * The host services of a subagent. The client knows no such session: what it asks is asked in the session that
 * started it, about a call of its own there, and its updates are only told to `onUpdate`.
 */
export function toChildServices(
  services: HostServices,
  ids: ChildOf,
  onUpdate: (update: SessionUpdate) => void,
): HostServices {
  const asked = new Set<string>();
  const client = toChildClient(services.client, ids, { onUpdate, asked });
  return { ...services, client, pending: toChildPending(services.pending, ids, asked) };
}

interface Watching {
  onUpdate(update: SessionUpdate): void;
  /** The calls that the user was asked about, which the session that started it therefore shows. */
  readonly asked: Set<string>;
}

function toChildClient(client: Client, ids: ChildOf, { onUpdate, asked }: Watching): Client {
  const forward = (params: unknown) => toParent(params, ids);
  return {
    facts: client.facts,
    async update(sessionId, update) {
      if (sessionId !== ids.child) return client.update(sessionId, update);
      onUpdate(update);
      const isCall =
        update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update';
      if (!isCall || !asked.has(update.toolCallId)) return;
      const { content: _, ...shown } = update;
      const toolCallId = toParentCall(ids, update.toolCallId);
      await client.update(ids.parent, { ...shown, toolCallId });
    },
    peer: {
      request: (method: string, params: unknown, ...more: never[]) =>
        client.peer.request(method, forward(params), ...more),
      notify: async (method: string, params: unknown) => {
        // Its queue and its reviews are nothing that the client shows.
        if (toRecord(params)['sessionId'] === ids.child) return;
        await client.peer.notify(method, params);
      },
    } as Client['peer'],
    holdBack: (show) => client.holdBack(show),
    opened: (sessionId) => client.opened(sessionId),
    asking: (sessionId) => client.asking(sessionId),
  };
}

/** The request in the name of the session that started the subagent, which alone uses this client. */
function toParent(params: unknown, ids: ChildOf): unknown {
  const record = toRecord(params);
  const { sessionId, toolCallId, toolCall } = record;
  const call = toRecord(toolCall);
  return {
    ...record,
    ...(sessionId === ids.child && { sessionId: ids.parent }),
    ...(typeof toolCallId === 'string' && { toolCallId: toParentCall(ids, toolCallId) }),
    ...(typeof call['toolCallId'] === 'string' && {
      toolCall: { ...call, toolCallId: toParentCall(ids, call['toolCallId']) },
    }),
  };
}

/** The ids of calls are unique in one session only. */
function toParentCall({ child }: ChildOf, toolCallId: string): string {
  return `${child}/${toolCallId}`;
}

/** Lists the requests of the subagent under the session that the user sees, in the order of all calls. */
function toChildPending(pending: PendingAsks, ids: ChildOf, asked: Set<string>): PendingAsks {
  const toId = (sessionId: string) => (sessionId === ids.child ? ids.parent : sessionId);
  return {
    list: (sessionId) => pending.list(sessionId === undefined ? undefined : toId(sessionId)),
    begin: (sessionId, toolCallId) => pending.begin(toId(sessionId), toParentCall(ids, toolCallId)),
    reevaluateOthers: (answered) => pending.reevaluateOthers(answered),
    during(session, ask, work, reevaluate) {
      asked.add(ask.toolCallId);
      const own = {
        id: toId(session.id),
        definition: session.definition,
        title: session.title,
        parent: session.parent,
      };
      const shown = { ...ask, toolCallId: toParentCall(ids, ask.toolCallId) };
      return pending.during(own, shown, work, reevaluate);
    },
  };
}
