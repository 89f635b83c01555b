import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { isRecord } from '../base/json.ts';
import type { ClientView } from './clientView.ts';

type Kind = SessionUpdate['sessionUpdate'];

/**
 * A hosted agent's update as it came, for a client that may be sent its kind. Nothing for what is no
 * update of ACP v1: such a row was damaged, since agents' messages are validated when they arrive.
 */
export function toWholeUpdates(value: unknown, view: ClientView): readonly SessionUpdate[] {
  if (!isUpdate(value)) return [];
  const needs = NEEDS[value.sessionUpdate];
  return needs === 'nothing' || view[needs] === true ? [value] : [];
}

/** What a client must have offered before it may be sent a kind of update. */
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
