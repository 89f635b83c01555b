import type { PlanEntry, SessionConfigOption, SessionUpdate } from '@agentclientprotocol/sdk';
import { isRecord } from '../base/json.ts';
import type {
  Commands,
  Compaction,
  ConfigOption,
  ContextFill,
  DataChunk,
  Plan,
  Retry,
  ReviewRecord,
} from '../base/stream/dataChunk.ts';
import type { ClientView } from './clientView.ts';
import { toMeta } from './gatehouse/parse.ts';
import type { CompactionMeta, NoticeMeta, UsageMeta } from './gatehouse/session.ts';
import { toCallFields, withCallMeta } from './toolContent.ts';
import { toCall } from './toolUpdates.ts';
import { toWholeUpdates } from './wholeUpdate.ts';

/** What a turn's updates depend on besides its chunks. */
export interface UpdateView extends ClientView {
  /** Size of the model's context window in tokens; 0 when unknown. */
  readonly contextTokens: number;
  /** It also shows a context whose size isn't known, which is sent as 0. */
  readonly gatehouse?: boolean;
}

/** The session updates for chunks that are neither text nor about a call. */
export function toDataUpdates(chunk: DataChunk, view: UpdateView): readonly SessionUpdate[] {
  if ('update' in chunk && chunk.update) return toWholeUpdates(chunk.update, view);
  switch (chunk.type) {
    case 'data-plan':
      return [toPlan(chunk.data)];
    case 'data-compaction':
      return view.compaction ? [toCompaction(chunk.id, chunk.data)] : [];
    case 'data-review':
      return [toReviewCall(chunk.data, view)];
    case 'data-mode':
      return [{ sessionUpdate: 'current_mode_update', currentModeId: chunk.data.modeId }];
    case 'data-commands':
      return [toCommands(chunk.data)];
    case 'data-config':
      return [
        {
          sessionUpdate: 'config_option_update',
          configOptions: chunk.data.options.map(toConfigOption),
        },
      ];
    case 'data-usage':
      // What a summary costs doesn't say how full the context is.
      return chunk.aside === true ? [] : toUsage(chunk, view);
    case 'data-context':
      return [toContext(chunk.data)];
    case 'data-retry':
      return view.notices ? [toRetryNotice(chunk.data)] : [];
    case 'data-acp-update':
      return toWholeUpdates(chunk.data, view);
  }
}

/** The updates for a part's stored data; a row that cannot be read is skipped. */
export function toStoredUpdates(
  type: `data-${string}`,
  data: unknown,
  view: ClientView,
): readonly SessionUpdate[] {
  switch (type) {
    case 'data-plan':
      if (!isPlan(data)) return [];
      return data.update ? toWholeUpdates(data.update, view) : [toPlan(data)];
    case 'data-compaction':
      return view.compaction && isCompaction(data) ? [toCompaction(data.id, data)] : [];
    case 'data-review':
      return isReview(data) ? [toReviewCall(data, view)] : [];
    case 'data-acp-update':
      return toWholeUpdates(data, view);
    default:
      // Marks of a step or an error: the prompt's response has already reported those.
      return [];
  }
}

/** A review is shown as a card of its own, like the permission request before it. */
export function toReviewCall(
  { id, display, denied, failed }: ReviewRecord,
  view: ClientView,
): SessionUpdate {
  const fields = toCallFields(display, view);
  return toCall(id, 'review', {
    ...(denied ? withCallMeta(fields, { ended: 'denied' }) : fields),
    status: denied || failed ? 'failed' : 'completed',
  });
}

/** A damaged row is skipped, as every part of it is needed. */
export function isReview(data: unknown): data is ReviewRecord {
  return (
    isRecord(data) &&
    typeof data['id'] === 'string' &&
    typeof data['text'] === 'string' &&
    isRecord(data['display'])
  );
}

/** Always the complete list: the client replaces what it had. */
function toPlan({ items }: Plan): SessionUpdate {
  return { sessionUpdate: 'plan', entries: items.flatMap(toEntry) };
}

/** Skips an entry whose status ACP doesn't know, rather than sending a wrong one. */
function toEntry({ content, status, priority }: Plan['items'][number]): PlanEntry[] {
  const known = STATUSES.find((each) => each === status);
  if (known === undefined || typeof content !== 'string') return [];
  return [
    {
      content,
      status: known,
      priority: PRIORITIES.find((each) => each === priority) ?? 'medium',
    },
  ];
}

const STATUSES = ['pending', 'in_progress', 'completed'] as const;
const PRIORITIES = ['high', 'medium', 'low'] as const;

function isPlan(data: unknown): data is Plan & { readonly update?: unknown } {
  return isRecord(data) && Array.isArray(data['items']) && data['items'].every(isRecord);
}

function toCompaction(compactionId: string, compaction: Compaction): SessionUpdate {
  const { status, summary, summaryDelta, error } = compaction;
  if (summaryDelta !== undefined) {
    const content = { type: 'text' as const, text: summaryDelta };
    return { sessionUpdate: 'compaction_summary_chunk', compactionId, content };
  }
  return {
    sessionUpdate: 'compaction_update',
    compactionId,
    status,
    ...(summary !== undefined && { summary: [{ type: 'text', text: summary }] }),
    ...(error !== undefined && { error }),
    ...toCompactionMeta(compaction),
  };
}

function toCompactionMeta({ messages, outputs, auto }: Compaction) {
  const meta: CompactionMeta = {
    ...(messages !== undefined && { messages }),
    ...(outputs !== undefined && { outputs }),
    ...(auto !== undefined && { auto }),
  };
  return Object.keys(meta).length === 0 ? {} : toMeta(meta);
}

function isCompaction(data: unknown): data is Compaction & { readonly id: string } {
  return isRecord(data) && typeof data['id'] === 'string' && typeof data['status'] === 'string';
}

function toCommands({ commands }: Commands): SessionUpdate {
  return {
    sessionUpdate: 'available_commands_update',
    availableCommands: commands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint !== undefined && { input: { hint } }),
    })),
  };
}

function toConfigOption(option: ConfigOption): SessionConfigOption {
  const { id, name, description, category } = option;
  const field = {
    id,
    name,
    ...(description !== undefined && { description }),
    ...(category !== undefined && { category }),
  };
  if (option.type === 'boolean') return { ...field, type: 'boolean', currentValue: option.value };
  const options = option.choices.map((choice) => ({ ...choice }));
  return { ...field, type: 'select', currentValue: option.value, options };
}

type UsageChunk = Extract<DataChunk, { type: 'data-usage' }>;

/** Other clients show usage as a fraction, so without a known context window they get none. */
function toUsage(
  { data: usage, sessionCost }: UsageChunk,
  { contextTokens: size, gatehouse }: UpdateView,
): readonly SessionUpdate[] {
  if (size === 0 && gatehouse !== true) return [];
  const { cache_read: cacheRead, cache_write: cacheWrite } = usage;
  const used = usage.input + cacheRead + cacheWrite + usage.output;
  const cached = gatehouse === true && cacheRead + cacheWrite > 0;
  return [
    {
      ...{ sessionUpdate: 'usage_update', used, size },
      ...(sessionCost !== undefined && { cost: { amount: sessionCost, currency: 'USD' } }),
      ...(cached && toMeta<UsageMeta>({ cacheRead, cacheWrite })),
    },
  ];
}

function toContext({ used, size, cost }: ContextFill): SessionUpdate {
  return { sessionUpdate: 'usage_update', used, size, ...(cost && { cost: { ...cost } }) };
}

function toRetryNotice(retry: Retry): SessionUpdate {
  return {
    sessionUpdate: 'notice',
    severity: 'warning',
    title: `The model did not answer. Retrying (attempt ${retry.attempt + 1}).`,
    description: retry.reason,
    ...toMeta<NoticeMeta>({ retry }),
  };
}
