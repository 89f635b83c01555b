import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import { isRecord } from '../base/json.ts';

/** The complete list each time: a client replaces what it had (facts of the protocol's plans). */
export function toPlan(data: unknown): readonly SessionUpdate[] {
  if (!isRecord(data) || !Array.isArray(data['items'])) return [];
  return [{ sessionUpdate: 'plan', entries: data['items'].flatMap(toEntry) }];
}

/** An entry with a status ACP does not know is left out rather than sent as something it is not. */
function toEntry(item: unknown): PlanEntry[] {
  if (!isRecord(item) || typeof item['content'] !== 'string') return [];
  const status = STATUSES.find((each) => each === item['status']);
  if (status === undefined) return [];
  const priority = PRIORITIES.find((each) => each === item['priority']) ?? 'medium';
  return [{ content: item['content'], status, priority }];
}

const STATUSES = ['pending', 'in_progress', 'completed'] as const;
const PRIORITIES = ['high', 'medium', 'low'] as const;
