import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { McpServer } from '../../base/tools/mcpServer.ts';
import type { PendingManifest } from '../../base/tools/toolRow.ts';
import { MB } from '../../base/units.ts';
import { toDescription } from './mcpTool.ts';

/** Characters of all schemas of one server that a review is sent. */
const MOST = 4 * MB;

interface WaitingTool {
  readonly id: string;
  readonly tool: ServerTool;
}

/** What the user is told of a server's reach. */
export function toReach({ how }: Pick<McpServer, 'how'>) {
  if (how.type !== 'stdio')
    return { reachesAnyHost: false, hosts: [URL.parse(how.url)?.host ?? how.url] };
  return { reachesAnyHost: true, ...(how.sandbox && { hosts: how.hosts }) };
}

/** The tools of a server as the user reviews them: whole, as the model would get them. */
export function toReviewed(
  server: string,
  config: Pick<McpServer, 'how'>,
  waiting: readonly WaitingTool[],
): PendingManifest['tools'] {
  let left = MOST;
  return waiting.map(({ id, tool }) => {
    left -= JSON.stringify(tool.inputSchema).length;
    return {
      ...{ id, runs: `${server}: ${tool.name}`, ...toReach(config) },
      description: toDescription(tool),
      ...(left >= 0 && { parameters: tool.inputSchema }),
    };
  });
}
