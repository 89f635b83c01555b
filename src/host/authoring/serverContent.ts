import { RequestError } from '@agentclientprotocol/sdk';
import type {
  CompletionQuery,
  CompletionResult,
  ContentQuery,
  ContentResult,
} from '../../acp/gatehouse/tools.ts';
import type { ServerContent } from '../../base/tools/serverContent.ts';
import { openFolders } from '../session/openFolders.ts';
import type { OpenHost } from '../session/openHost.ts';
import { completeServerContent, readServerContent } from '../session/tools/serverContent.ts';
import { toSourceSession } from '../session/tools/sessionTools.ts';

/** What the MCP servers of a session, or of the open folders, offer to the user besides tools. */
export async function listContent(
  host: OpenHost,
  sessionId: string | undefined,
): Promise<ServerContent> {
  const catalog = await host.services.tools();
  return catalog.content(toSourceSession(host.services, toOwner(host, sessionId)));
}

export async function readContent(
  host: OpenHost,
  { sessionId, ...request }: ContentQuery,
): Promise<ContentResult> {
  const { signal } = new AbortController();
  const owner = toOwner(host, sessionId);
  const read = await readServerContent(host.services, owner, request, signal);
  if (read.ok) return { parts: read.data };
  throw RequestError.invalidParams({ server: request.server }, read.error);
}

export async function completeContent(
  host: OpenHost,
  { sessionId, ...request }: CompletionQuery,
): Promise<CompletionResult> {
  const { signal } = new AbortController();
  const owner = toOwner(host, sessionId);
  const found = await completeServerContent(host.services, owner, request, signal);
  if (found.ok) return { values: found.data };
  throw RequestError.invalidParams({ server: request.server }, found.error);
}

function toOwner({ services, sessions }: OpenHost, sessionId: string | undefined) {
  return sessionId === undefined ? openFolders(services) : sessions.get(sessionId);
}
