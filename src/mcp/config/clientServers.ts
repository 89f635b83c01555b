import { failure, type Outcome, success } from '../../base/outcome.ts';
import type { McpServer } from '../../base/tools/mcpServer.ts';
import { parseServer } from './parseServer.ts';

interface Pair {
  readonly name: string;
  readonly value: string;
}

/**
 * A server as ACP's `session/new` names it. Its texts are meant as they are: a client has replaced its own
 * variables.
 */
export function parseClientServer(server: object, cwd: string): Outcome<McpServer> {
  const { name, command, args, env, type, url, headers } = server as Partial<
    Record<string, unknown>
  >;
  if (typeof name !== 'string' || name === '') return failure('The server has no name.');
  const entry = {
    ...(type !== undefined && { type }),
    ...(command !== undefined && { command, args, env: toFields(env) }),
    ...(url !== undefined && { url, headers: toFields(headers) }),
  };
  const context = { name, origin: 'session', file: '', folder: cwd, env: {} } as const;
  const parsed = parseServer(entry, context, (text) => success(text));
  if (!parsed.ok) return failure(`The MCP server "${name}" can't be used. ${parsed.error}`);
  if (parsed.data === undefined) return failure(`The MCP server "${name}" is turned off.`);
  return success(parsed.data);
}

function toFields(pairs: unknown): Readonly<Record<string, unknown>> {
  const all: readonly Pair[] = Array.isArray(pairs) ? pairs : [];
  return Object.fromEntries(all.map(({ name, value }) => [name, value]));
}
