import { randomUUID } from 'node:crypto';
import { RequestError } from '@agentclientprotocol/sdk';
import type { ContentQuery, ContentResult } from '../../acp/gatehouse/tools.ts';
import type { ServerContent } from '../../base/tools/serverContent.ts';
import type { Operation } from '../../gate/operation.ts';
import { passGate } from '../../gate/passGate.ts';
import { openFolders } from '../session/openFolders.ts';
import type { OpenHost } from '../session/openHost.ts';
import { toSourceSession } from '../session/tools/sessionTools.ts';

/** What the MCP servers of a session, or of the open folders, offer to the user besides tools. */
export async function listContent(
  host: OpenHost,
  sessionId: string | undefined,
): Promise<ServerContent> {
  const catalog = await host.services.tools();
  return catalog.content(toSourceSession(host.services, toOwner(host, sessionId)));
}

/** Reads what the user has chosen, which is their answer to an ask; rules that deny it hold. */
export async function readContent(host: OpenHost, query: ContentQuery): Promise<ContentResult> {
  const { services } = host;
  const { sessionId, ...request } = query;
  const { signal } = new AbortController();
  const owner = toOwner(host, sessionId);
  const passage = await passGate(
    {
      toolCallId: `content_${randomUUID()}`,
      operation: toOperation(query),
      context: {
        sessionId: owner.id,
        policy: () => owner.policy([]),
        compiler: services.compiler,
        ask: async () => ({ outcome: 'allow' }),
        onDecision: services.decisions.record,
      },
      signal,
    },
    {},
  );
  if (passage.type === 'stopped') throw RequestError.invalidParams({}, passage.text);
  const catalog = await services.tools();
  const read = await catalog.readContent(toSourceSession(services, owner), request, signal);
  if (read.ok) return { parts: read.data };
  throw RequestError.invalidParams({ server: query.server }, read.error);
}

function toOwner({ services, sessions }: OpenHost, sessionId: string | undefined) {
  return sessionId === undefined ? openFolders(services) : sessions.get(sessionId);
}

/** Rules for the whole server cover it, and those for these two names. */
function toOperation({ server, uri, prompt }: ContentQuery): Operation {
  const what = uri === undefined ? 'get_prompt' : 'read_resource';
  const target = uri ?? prompt ?? '';
  return {
    id: what,
    kind: 'read',
    parameters: { type: 'object' },
    subjects: () => [{ permission: `mcp:${server}:${what}`, target, match: 'text' }],
    title: () => `${server}: ${target}`,
  };
}
