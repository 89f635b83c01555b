import { RequestError } from '@agentclientprotocol/sdk';
import type { ServerActionQuery } from '../../acp/gatehouse/tools.ts';
import { type AgentDefinition, hasTool } from '../../agentDefinitions/definition.ts';
import { isToolPart } from '../../base/stream/stored.ts';
import type { ToolListing, ToolRow } from '../../base/tools/toolRow.ts';
import type { SessionTools } from '../../tools/composeTools.ts';
import type { Tool } from '../../tools/contract.ts';
import { openFolders } from '../session/openFolders.ts';
import type { OpenHost } from '../session/openHost.ts';
import { sessionTools, toSourceSession } from '../session/tools/sessionTools.ts';

/**
 * Every tool of a session, or of the open folders when none is named; those that are not offered with
 * the reason, those that the transcript names but no source offers any more (spec VD-30), and the manifests that are not accepted yet.
 */
export async function listTools(
  { services, sessions }: OpenHost,
  sessionId: string | undefined,
): Promise<ToolListing> {
  const session = sessionId === undefined ? undefined : sessions.get(sessionId);
  const owner = session ?? openFolders(services);
  const found = await sessionTools(services, owner);
  const called = session === undefined ? [] : calledTools(services, session.id);
  const known = new Set(found.tools.map(({ tool }) => tool.id));
  const gone = called.filter((id) => !known.has(id));
  const tools = [
    ...knownRows(found, owner.definition, session?.lastErrors ?? new Map()),
    ...found.notOffered.map(({ calledAs: _, ...facts }) => toHeldRow(facts)),
    ...gone.map((id) => toHeldRow({ id, source: 'declared', why: GONE })),
  ];
  return { tools, pending: found.pending };
}

/** Does what the user wants with an MCP server. */
export async function actOnServer(
  { services, sessions }: OpenHost,
  { sessionId, server, action }: ServerActionQuery,
): Promise<object> {
  const owner = sessionId === undefined ? openFolders(services) : sessions.get(sessionId);
  const catalog = await services.tools();
  const done = await catalog.act(toSourceSession(services, owner), server, action);
  if (done.ok) return {};
  throw RequestError.invalidParams({ server }, done.error);
}

const GONE =
  'This session called the tool, but it no longer exists. Its results are kept; it cannot be called.';

function knownRows(
  { tools }: SessionTools,
  definition: AgentDefinition,
  errors: ReadonlyMap<string, string>,
): readonly ToolRow[] {
  return tools.map(({ tool, disabled, source, server, signIn, file, pointer }) => {
    const { id, formerId, kind, description, requires, parameters } = tool;
    const lastError = errors.get(id);
    return {
      ...{ id, source, kind, description, requires, parameters },
      ...toState(definition, tool, disabled),
      ...(server !== undefined && { server }),
      ...(signIn !== undefined && { signIn }),
      ...(formerId !== undefined && { formerId }),
      ...(lastError !== undefined && { lastError }),
      ...(file !== undefined && { file }),
      ...(pointer !== undefined && { pointer }),
    };
  });
}

/** Whether the model gets the tool, and why not. */
function toState(
  definition: AgentDefinition,
  tool: Tool,
  disabled: boolean,
): Pick<ToolRow, 'state' | 'why'> {
  if (disabled) return { state: 'disabled' };
  if (hasTool(definition, tool)) return { state: 'offered' };
  const why = `The agent "${definition.name}" does not have this tool.`;
  return { state: 'not offered', why };
}

function toHeldRow(
  facts: Pick<ToolRow, 'id' | 'source' | 'server' | 'signIn' | 'why' | 'file' | 'pointer'>,
): ToolRow {
  const nothing = { kind: 'other', description: '', requires: {}, parameters: {} };
  return { ...nothing, ...facts, state: 'not offered' };
}

/** The ids of the tools that the session has called. */
function calledTools({ recorder }: OpenHost['services'], sessionId: string): readonly string[] {
  const parts = recorder.messages(sessionId).flatMap((message) => message.parts);
  return [...new Set(parts.filter(isToolPart).map(({ toolName }) => toolName))];
}
