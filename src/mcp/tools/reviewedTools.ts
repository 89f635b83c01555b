import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { PendingManifest } from '../../base/tools/toolRow.ts';
import { MB } from '../../base/units.ts';
import { toDescription } from './mcpTool.ts';

/** Characters of all schemas of one server that a review is sent. */
const MOST = 4 * MB;

interface WaitingTool {
  readonly id: string;
  readonly tool: ServerTool;
}

/** The tools of a server as the user reviews them: whole, as the model would get them. */
export function toReviewed(
  server: string,
  waiting: readonly WaitingTool[],
): PendingManifest['tools'] {
  let left = MOST;
  return waiting.map(({ id, tool }) => {
    left -= JSON.stringify(tool.inputSchema).length;
    return {
      ...{ id, runs: `${server}: ${tool.name}`, reachesAnyHost: true },
      description: toDescription(tool),
      ...(left >= 0 && { parameters: tool.inputSchema }),
    };
  });
}
