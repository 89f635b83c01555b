import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { isRecord } from '../base/json.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { Usage } from '../base/stream/stored.ts';
import { toMeta } from './gatehouse/meta.ts';
import type { NoticeMeta } from './gatehouse/session.ts';
import type { ClientView } from './toolContent.ts';
import { toUpdates } from './toUpdates.ts';

/** What the updates of one turn depend on besides its chunks. */
export interface UpdateOptions extends ClientView {
  /** The client shows live notices. */
  readonly notices: boolean;
  /** Tokens the model can hold; 0 when nobody said. */
  readonly contextTokens: number;
}

/** The updates of one chunk of a running turn: what `toUpdates` says, and its passing news. */
export function toTurnUpdates(chunk: Chunk, view: UpdateOptions): readonly SessionUpdate[] {
  if (chunk.type === 'data-usage') return toUsage(chunk.data, view.contextTokens);
  if (chunk.type === 'data-retry') return view.notices ? toRetryNotice(chunk.data) : [];
  return toUpdates(chunk, view);
}

/** Without a known window there is nothing to be measured against, and nothing is claimed. */
function toUsage(data: unknown, size: number): readonly SessionUpdate[] {
  if (size === 0 || !isUsage(data)) return [];
  const used = data.input + data.cache_read + data.cache_write + data.output;
  return [{ sessionUpdate: 'usage_update', used, size }];
}

function isUsage(data: unknown): data is Usage {
  if (!isRecord(data)) return false;
  return ['input', 'output', 'cache_read', 'cache_write'].every((name) =>
    Number.isInteger(data[name]),
  );
}

function toRetryNotice(data: unknown): readonly SessionUpdate[] {
  if (!isRecord(data)) return [];
  const next = typeof data['attempt'] === 'number' ? data['attempt'] + 1 : 2;
  return [
    {
      sessionUpdate: 'notice',
      severity: 'warning',
      title: `The model did not answer; trying again (attempt ${next}).`,
      description: String(data['reason'] ?? ''),
      ...toMeta<NoticeMeta>({ retry: data }),
    },
  ];
}
