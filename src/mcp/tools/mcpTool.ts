import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { withoutInvisible } from '../../base/hidden.ts';
import { isRecord, toRecord, toShallowJson } from '../../base/json.ts';
import { SAMPLING, SERVER_CALL } from '../../base/tools/mcpServer.ts';
import { KB } from '../../base/units.ts';
import { createCheck } from '../../declared/schemas/createCheck.ts';
import type { Subject } from '../../permissions/rules/subject.ts';
import type { Tool } from '../../tools/contract.ts';
import type { HiddenFiles } from '../../tools/toolSource.ts';
import type { ServerSampler } from '../connect/answerSampling.ts';
import type { McpConnection } from '../connect/connection.ts';
import { toResult } from './content.ts';

/** What carries out the calls. */
export interface ToolConnection extends Pick<McpConnection, 'call'> {
  /** As configured. */
  readonly server: Pick<McpConnection['server'], 'name'> &
    Partial<Pick<McpConnection['server'], 'origin' | 'hash'>>;
}

export interface McpToolOptions {
  readonly id: string;
  /** The server's name in rules. */
  readonly server: string;
  readonly connection: ToolConnection;
  /** What the session's rules hide from the server. Absent: nothing. */
  readonly hidden?: HiddenFiles | undefined;
  /** Time limit in milliseconds for the tool's schema. */
  readonly schemaMs: number;
}

/** Descriptions are sent with requests; a server must not fill the model's context. */
const DESCRIPTION_LENGTH = 8 * KB;
const TOOL_BYTES = 128 * KB;
/** Far deeper than any schema. */
const MOST_LEVELS = 200;

/** Why a tool can't be offered, or undefined. Servers send anything. */
export function findToolFault(tool: ServerTool): string | undefined {
  // Rules name tools, and neither parts nor wildcards of theirs may stand for something else.
  if (!/^[\w./-]{1,128}$/.test(tool.name))
    return 'The server gives it a name that no tool may have.';
  if (tool.name === SAMPLING)
    return "In rules this name stands for the server's requests to the model.";
  const text = toShallowJson(tool, MOST_LEVELS);
  if (text === undefined) return 'Its description and schema are nested too deeply.';
  if (text.length > TOOL_BYTES) return 'Its description and schema are too large.';
  const schema = JSON.stringify(tool.inputSchema);
  if (withoutInvisible(schema) !== schema) return 'Its schema has hidden characters.';
  return undefined;
}

/** What the model is told of the tool, without what can't be seen: the user accepts the same text. */
export function toDescription({ name, title, description = title ?? name }: ServerTool): string {
  return withoutInvisible(description).slice(0, DESCRIPTION_LENGTH) || name;
}

/** A tool of a server behind the gate: unless a rule allows it, each call asks (spec CS-60). */
export function createMcpTool(
  tool: ServerTool,
  { id, server, connection, schemaMs, hidden }: McpToolOptions,
): Tool<unknown, unknown> {
  const permission = `mcp:${server}:${tool.name}`;
  const written = `mcp:${connection.server.name}:${tool.name}`;
  const { origin, hash } = connection.server;
  const bound = origin === 'workspace' ? { identity: `server ${hash}` } : {};
  const parameters = isRecord(tool.inputSchema) ? tool.inputSchema : { type: 'object' };
  return {
    id,
    // What a server says about its effects is no fact (spec VC-81).
    kind: 'other',
    ...bound,
    description: toDescription(tool),
    parameters,
    // What it does is unknown, so neither Read Only nor an agent that may only read lets it run.
    requires: { capabilities: [SERVER_CALL] },
    // The server must not see arguments that its schema does not allow (spec CS-61).
    check: createCheck({
      schema: parameters,
      otherwise: '2020-12',
      what: `the arguments of ${id}`,
      timeoutMs: schemaMs,
    }),
    subjects: (args) => {
      // Whole: a deny must not be evaded by arguments that push its words out of reach.
      const target = JSON.stringify(args ?? {});
      const own: Subject = { permission, capability: SERVER_CALL, target, match: 'text' };
      // A rule for the name as written still denies where two servers share it (spec CA-31).
      const other: Subject = { ...own, permission: written, tightensOnly: true };
      return written === permission ? [own] : [own, other];
    },
    title: (args) => `${server}: ${tool.name} ${JSON.stringify(args ?? {}).slice(0, 200)}`,
    hangAfterMs: () => Number.POSITIVE_INFINITY,
    async execute(args, { session, signal, sidecars }) {
      const { askQuestions: asker, askModel, id: sessionId } = session;
      const names = { server, written: connection.server.name, ...bound };
      const sampler: ServerSampler | undefined =
        askModel && ((asked, over) => askModel({ ...asked, ...names }, over));
      const caller = { signal, asker, sampler, sessionId, hidden };
      const result = await connection.call(tool.name, toRecord(args), caller);
      return result.ok ? toResult(result.data, sidecars) : result;
    },
  };
}
