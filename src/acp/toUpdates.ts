import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { Chunk } from '../base/stream/chunk.ts';
import { toDataUpdates, type UpdateView } from './dataUpdates.ts';
import { toToolUpdates } from './toolUpdates.ts';
import { toWholeUpdates } from './wholeUpdate.ts';

/**
 * The session updates for one chunk (spec CS-67). Pure and stateless (spec CS-68). Empty deltas and
 * stream marks give none; faults and the end of the turn are reported by the prompt's response.
 */
export function toUpdates(chunk: Chunk, view: UpdateView): readonly SessionUpdate[] {
  switch (chunk.type) {
    case 'text-delta':
      return toMessage('agent_message_chunk', chunk);
    case 'reasoning-delta':
      return toMessage('agent_thought_chunk', chunk);
    case 'start':
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
    case 'start-step':
    case 'finish-step':
    case 'finish':
    case 'abort':
    case 'error':
      return [];
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-available':
    case 'tool-input-error':
    case 'tool-approval-request':
    case 'tool-progress':
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
      return toToolUpdates(chunk, view);
    case 'tool-hosted':
      return toWholeUpdates(chunk.update, view);
    case 'data-plan':
    case 'data-compaction':
    case 'data-review':
    case 'data-mode':
    case 'data-commands':
    case 'data-config':
    case 'data-usage':
    case 'data-context':
    case 'data-retry':
    case 'data-acp-update':
      return toDataUpdates(chunk, view);
  }
}

function toMessage(
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
  { id, delta, messageId = id }: { id: string; delta: string; messageId?: string },
): readonly SessionUpdate[] {
  if (delta === '') return [];
  const content = { type: 'text' as const, text: delta };
  return [{ sessionUpdate, messageId, content }];
}
