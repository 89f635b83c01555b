import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { McpServer } from '../base/tools/mcpServer.ts';
import { hashText } from './config/parseServer.ts';

/** What the user accepted, by file and hash. */
export interface McpAcceptances {
  has(file: string, hash: string): boolean;
  acceptAll(file: string, hashes: readonly string[]): void;
  /** Changes with every acceptance. */
  stamp(): string;
}

/** The client of a session has chosen its servers itself; all others are accepted by the user. */
export function isAccepted(
  { origin, file, hash }: McpServer,
  accepted: Pick<McpAcceptances, 'has'>,
): boolean {
  return origin === 'session' || accepted.has(file, hash);
}

/** Which tools of a server the user has accepted, each by its name, description and schema. */
export interface AcceptedTools {
  find(server: McpServer, tool: ServerTool): 'accepted' | 'new' | 'changed';
  hash(server: McpServer, tool: ServerTool): string;
  /** These tools are accepted once the user accepts `hash`, which stands for all of them. */
  expect(server: McpServer, hash: string, tools: readonly ServerTool[]): void;
}

/** Lists that wait for the user. A server may send another one whenever it likes, and the newest are shown. */
const MOST_EXPECTED = 50;

interface Expected {
  readonly server: McpServer;
  readonly tools: readonly ServerTool[];
}

export function createAcceptedTools(accepted: McpAcceptances): AcceptedTools {
  const expected = new Map<string, Expected>();
  let settled: string | undefined;
  /** Acceptances have one hash each, and a list of tools changes one by one. */
  const settle = () => {
    const stamp = accepted.stamp();
    if (stamp === settled) return;
    for (const [hash, { server, tools }] of expected) {
      if (!accepted.has(server.file, hash)) continue;
      const hashes = tools.flatMap((tool) => [hashTool(server, tool), hashName(server, tool)]);
      accepted.acceptAll(server.file, hashes);
      expected.delete(hash);
    }
    settled = stamp;
  };
  return {
    find(server, tool) {
      if (server.origin === 'session') return 'accepted';
      settle();
      if (accepted.has(server.file, hashTool(server, tool))) return 'accepted';
      return accepted.has(server.file, hashName(server, tool)) ? 'changed' : 'new';
    },
    hash: hashTool,
    expect(server, hash, tools) {
      // The newest is the last.
      expected.delete(hash);
      expected.set(hash, { server, tools });
      const [oldest] = expected.keys();
      if (expected.size > MOST_EXPECTED && oldest !== undefined) expected.delete(oldest);
      settled = undefined;
    },
  };
}

/** All that the model sees of a tool, and what it is called by. */
function hashTool(
  server: McpServer,
  { name, title, description, inputSchema }: ServerTool,
): string {
  return hashText(JSON.stringify(['tool', server.hash, name, title, description, inputSchema]));
}

/** Only tells a tool that changed from a new one. */
function hashName(server: McpServer, { name }: ServerTool): string {
  return hashText(JSON.stringify(['name', server.hash, name]));
}
