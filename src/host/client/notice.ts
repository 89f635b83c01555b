import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { createId } from '../../base/ids.ts';
import type { Client } from './client.ts';

/**
 * A warning in a chat. Clients that show no notices get a message; it is of no turn, and is not stored.
 */
export function toNotice(
  { notices }: Pick<Client['facts'], 'notices'>,
  title: string,
  description: string,
): SessionUpdate {
  if (notices) return { sessionUpdate: 'notice', severity: 'warning', title, description };
  const content = { type: 'text', text: `${description}\n\n` } as const;
  return { sessionUpdate: 'agent_message_chunk', messageId: createId('msg'), content };
}
