import type {
  AvailableCommand,
  ContentBlock,
  ContentChunk,
  SessionUpdate,
  StopReason,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { readCompactionMeta, readNoticeMeta, readUsageMeta } from '../../acp/gatehouse/session.ts';
import { getAttachmentName } from '../../base/stream/attachment.ts';
import { parseContentBlock } from '../../base/stream/contentBlock.ts';
import { toVisible } from '../../base/text/visibleText.ts';
import type {
  AgentCommand,
  ChatItem,
  ChatState,
  CompactionItem,
  ContextUsage,
  StateChange,
  TextItem,
} from '../../webview/messages/chatState.ts';
import { toPlainLine } from '../text/plainMarkdown.ts';
import type { Translate } from '../text/translate.ts';
import { toChoices } from './sessionChoices.ts';
import { type PathLabel, updateToolItem } from './toolItem.ts';

/**
 * Maximum length of a message in the chat, in characters, so that an endless one can't freeze it.
 */
export const MESSAGE_LIMIT = 200_000;

/**
 * Converts a `session/update` to changes of the chat. Pure; unknown kinds change nothing. `now` is absent
 * while history loads.
 */
export function toChanges(
  state: ChatState,
  update: SessionUpdate,
  label: PathLabel,
  now?: number,
): readonly StateChange[] {
  const changes = toOwnChanges(state, update, label, now);
  // The model answers, or the turn goes on in another way.
  const isOver = state.retry != null && update.sessionUpdate !== 'notice' && changes.length > 0;
  return isOver ? [{ type: 'set', values: { retry: null } }, ...changes] : changes;
}

function toOwnChanges(
  state: ChatState,
  update: SessionUpdate,
  label: PathLabel,
  now: number | undefined,
): readonly StateChange[] {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
      return appendText(state, 'user', update);
    case 'agent_message_chunk':
      return appendText(state, 'agent', update);
    case 'agent_thought_chunk':
      return appendText(state, 'thought', update);
    case 'tool_call':
    case 'tool_call_update':
      return [...endText(state), toolChange(state, update, label, now)];
    case 'plan':
      return [{ type: 'set', values: { plan: update.entries.map(toEntry) } }];
    case 'session_info_update':
      return update.title == null ? [] : [{ type: 'set', values: { title: update.title } }];
    case 'config_option_update':
      return [{ type: 'set', values: { choices: toChoices(update.configOptions) } }];
    case 'notice':
      return now === undefined ? [] : toNotice(state, update);
    case 'available_commands_update':
      return setCommands(state, update.availableCommands.map(toCommand));
    case 'compaction_update':
      return [...endText(state), toCompaction(state, update)];
    case 'compaction_summary_chunk':
      return appendSummary(state, update);
    case 'usage_update':
      return [{ type: 'set', values: { usage: toUsage(update) } }];
    default:
      return [];
  }
}

/** Absent fields are unchanged. */
function toCompaction(
  { items }: ChatState,
  update: Extract<SessionUpdate, { sessionUpdate: 'compaction_update' }>,
): StateChange {
  const found = items.findLast(({ id }) => id === update.compactionId);
  const known = found?.kind === 'compaction' ? found : undefined;
  const { messages, outputs } = { ...known, ...readCompactionMeta(update) };
  const summary = update.summary?.reduce((text, block) => text + contentText(block, text), '');
  const item: CompactionItem = {
    kind: 'compaction',
    id: update.compactionId,
    status: STATUSES.find((status) => status === update.status) ?? known?.status ?? 'completed',
    text: toVisible((update.error ?? summary ?? known?.text ?? '').slice(0, MESSAGE_LIMIT)).text,
    ...(messages !== undefined && { messages }),
    ...(outputs !== undefined && { outputs }),
  };
  return { type: 'item', item };
}

const STATUSES = ['in_progress', 'completed', 'failed', 'cancelled'] as const;

function appendSummary(
  { items }: ChatState,
  {
    compactionId: id,
    content,
  }: Extract<SessionUpdate, { sessionUpdate: 'compaction_summary_chunk' }>,
): readonly StateChange[] {
  const known = items.findLast((item) => item.id === id);
  if (known?.kind !== 'compaction') return [];
  const text = contentText(content, known.text).slice(0, MESSAGE_LIMIT - known.text.length);
  return text === '' ? [] : [{ type: 'append', id, text }];
}

function toUsage(update: Extract<SessionUpdate, { sessionUpdate: 'usage_update' }>): ContextUsage {
  const { used, size, cost } = update;
  return {
    ...{ used, size, ...readUsageMeta(update) },
    ...(cost && { cost: { amount: cost.amount, currency: cost.currency } }),
  };
}

/** A wait for a retry is state, because it is over soon. Other notices are notes. */
function toNotice(
  { items }: ChatState,
  notice: Extract<SessionUpdate, { sessionUpdate: 'notice' }>,
): readonly StateChange[] {
  const { retry } = readNoticeMeta(notice);
  if (retry !== undefined) return [{ type: 'set', values: { retry } }];
  const { title, description } = notice;
  const text = toVisible([title, description].filter(Boolean).join('\n')).text;
  return [{ type: 'item', item: { kind: 'note', id: `notice-${items.length}`, text } }];
}

/** Adds or updates a tool card. A permission request may be the first message about a call. */
export function toolChange(
  state: ChatState,
  update: ToolCallUpdate,
  label: PathLabel,
  now?: number,
): StateChange {
  const known = state.items.findLast((item) => item.id === update.toolCallId);
  const item = updateToolItem(known?.kind === 'tool' ? known : undefined, update, label, now);
  return { type: 'item', item };
}

/** The changes at the end of a turn: messages are complete, and calls no longer run. */
export function endTurn(state: ChatState, aborted: boolean): readonly StateChange[] {
  const open = state.items.flatMap((item): StateChange[] => {
    if (!aborted) return [];
    if (item.kind === 'compaction' && item.status === 'in_progress') {
      return [{ type: 'item', item: { ...item, status: 'cancelled' } }];
    }
    if (item.kind !== 'tool') return [];
    if (item.status !== 'pending' && item.status !== 'in_progress') return [];
    return [{ type: 'item', item: { ...item, status: 'aborted' } }];
  });
  return [...endText(state), ...open];
}

/** Marks the streaming message as complete. */
function endText(state: ChatState): readonly StateChange[] {
  const last = state.items.at(-1);
  return last !== undefined && isOpenText(last) ? [{ type: 'mark', id: last.id, done: true }] : [];
}

function appendText(
  state: ChatState,
  kind: TextItem['kind'],
  { content, messageId }: ContentChunk,
): readonly StateChange[] {
  const last = state.items.at(-1);
  // The item's id ends with the agent's message id, so that a new message id starts a new item.
  const suffix = messageId == null ? '' : `:${messageId}`;
  const continues = last?.kind === kind && isOpenText(last) && last.id.endsWith(suffix);
  const text = contentText(content, continues ? last.text : '');
  if (!continues) {
    const item = openText(kind, newId(state, kind, messageId), text);
    return [...endText(state), { type: 'item', item }];
  }
  const room = MESSAGE_LIMIT - last.text.length;
  if (text.length <= room) return [{ type: 'append', id: last.id, text }];
  const kept = text.slice(0, Math.max(0, room));
  const cut = (last.cut ?? 0) + text.length - kept.length;
  const append: StateChange[] = kept === '' ? [] : [{ type: 'append', id: last.id, text: kept }];
  return [...append, { type: 'mark', id: last.id, cut }];
}

/** With the agent's id of the message if it has one, so that it doesn't depend on what was loaded before. */
function newId({ items }: ChatState, kind: string, messageId: string | null | undefined): string {
  if (messageId == null) return `${kind}-${items.length}`;
  const first = `${kind}:${messageId}`;
  return items.some(({ id }) => id === first) ? `${kind}-${items.length}:${messageId}` : first;
}

function openText(kind: TextItem['kind'], id: string, text: string): TextItem {
  if (text.length <= MESSAGE_LIMIT) return { kind, id, text, done: false };
  const kept = text.slice(0, MESSAGE_LIMIT);
  return { kind, id, text: kept, done: false, cut: text.length - kept.length };
}

function isOpenText(item: ChatItem): item is TextItem {
  return (item.kind === 'agent' || item.kind === 'thought' || item.kind === 'user') && !item.done;
}

/** The text of a content block. Other content is shown as a label on a separate line. */
export function contentText(content: ContentBlock, before: string): string {
  if (content.type === 'text') return content.text;
  const start = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${start}${toLabel(content)}\n`;
}

function toLabel(content: Exclude<ContentBlock, { readonly type: 'text' }>): string {
  if (content.type === 'resource_link') return `[${content.name}](${content.uri})`;
  const attachment = parseContentBlock(content);
  const name = attachment && withLines(getAttachmentName(attachment));
  return name === undefined || name === content.type
    ? `(${content.type})`
    : `(${content.type}: ${name})`;
}

/** `app.ts:10–42` for `app.ts#L10-42`, as the chip was labelled. */
function withLines(name: string): string {
  return name.replace(/#L(\d+)(?:-L?(\d+))?$/, (_, from: string, to?: string) =>
    to === undefined ? `:${from}` : `:${from}–${to}`,
  );
}

/** An agent may tell after each reply that it has none. */
function setCommands(
  { commands: known = [] }: ChatState,
  commands: readonly AgentCommand[],
): readonly StateChange[] {
  if (known.length === 0 && commands.length === 0) return [];
  return [{ type: 'set', values: { commands } }];
}

function toCommand({ name, description, input }: AvailableCommand): AgentCommand {
  const hint = input?.hint;
  return { name, description: toPlainLine(description), ...(typeof hint === 'string' && { hint }) };
}

function toEntry({
  content,
  status,
}: {
  content: string;
  status: ChatState['plan'][number]['status'];
}) {
  return { content, status };
}

/** The cards, notes and the unsent message at the end, none of which the host has. */
export function trailingItems(
  items: readonly ChatItem[],
  unsent: string | undefined,
): readonly ChatItem[] {
  const isOurs = ({ kind, id }: ChatItem) => kind === 'error' || kind === 'note' || id === unsent;
  return items.slice(items.findLastIndex((item) => !isOurs(item)) + 1);
}

/** What the chat says of a turn that did not end by itself. */
export function describeStop(reason: StopReason, t: Translate): string | undefined {
  switch (reason) {
    case 'cancelled':
      return t('Stopped.');
    case 'max_tokens':
      return t('The model reached its output limit. Send "continue" to resume.');
    case 'max_turn_requests':
      return t('The turn reached its step limit. Send "continue" to resume.');
    case 'refusal':
      return t('The model refused to answer.');
    default:
      return undefined;
  }
}
