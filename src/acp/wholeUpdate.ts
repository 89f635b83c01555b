import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { isRecord } from '../base/json.ts';
import type { ClientView } from './clientView.ts';

type Kind = SessionUpdate['sessionUpdate'];

/**
 * Forwards a hosted agent's update unchanged if the client supports its kind. Returns nothing for a
 * stored row that is not an ACP v1 update: agents' messages are validated on arrival, so the row is
 * damaged.
 */
export function toWholeUpdates(value: unknown, view: ClientView): readonly SessionUpdate[] {
  if (!isUpdate(value)) return [];
  const needs = NEEDS[value.sessionUpdate];
  return needs === 'nothing' || view[needs] === true ? [value] : [];
}

/** What a client must support before it is sent a kind of update. */
const NEEDS: Readonly<Record<Kind, 'nothing' | 'notices' | 'compaction'>> = {
  user_message_chunk: 'nothing',
  agent_message_chunk: 'nothing',
  agent_thought_chunk: 'nothing',
  tool_call: 'nothing',
  tool_call_update: 'nothing',
  plan: 'nothing',
  available_commands_update: 'nothing',
  current_mode_update: 'nothing',
  config_option_update: 'nothing',
  session_info_update: 'nothing',
  usage_update: 'nothing',
  notice: 'notices',
  compaction_update: 'compaction',
  compaction_summary_chunk: 'compaction',
};

function isUpdate(value: unknown): value is SessionUpdate {
  if (!isRecord(value)) return false;
  const { sessionUpdate } = value;
  return typeof sessionUpdate === 'string' && Object.hasOwn(NEEDS, sessionUpdate);
}
