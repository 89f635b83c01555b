import type {
  ChatItem,
  ChatState,
  CompactionItem,
  ToolItem,
  ToolStatus,
} from '../../webview/messages/chatState.ts';
import type { Translate } from './translate.ts';

/**
 * A session as plain text, for screen readers and for reading in an editor: one paragraph for each
 * item, under who said or did it.
 */
export function toPlainTranscript(
  { title, items, asks }: Pick<ChatState, 'title' | 'items' | 'asks'>,
  t: Translate,
): string {
  const head = title ?? t('Untitled session');
  const parts = items.map((item) => toText(item, t));
  const pending = asks.map((ask) =>
    ask.kind === 'permission'
      ? t('Permission needed: {0}', ask.title)
      : t('Question: {0}', ask.message),
  );
  return `${[head, ...parts, ...pending].join('\n\n')}\n`;
}

function toText(item: ChatItem, t: Translate): string {
  switch (item.kind) {
    case 'user':
      return `${t('You')}:\n${item.text}`;
    case 'agent':
      return `${t('Gatehouse')}:\n${item.text}`;
    case 'thought':
      return `${t('Reasoning')}:\n${item.text}`;
    case 'tool':
      return toToolText(item, t);
    case 'note':
      return item.text;
    case 'compaction':
      return [toCompactionText(item, t), item.text].filter(Boolean).join('\n');
    case 'error':
      return [`${t('Error')}: ${item.text}`, item.detail ?? ''].filter(Boolean).join('\n');
  }
}

function toCompactionText({ status }: CompactionItem, t: Translate): string {
  switch (status) {
    case 'in_progress':
      return t('Compacting the conversation…');
    case 'completed':
      return t('Compacted');
    case 'failed':
      return t('The conversation was not compacted');
    case 'cancelled':
      return t('Compaction cancelled');
  }
}

function toToolText(item: ToolItem, t: Translate): string {
  const { title, command, diffs, output } = item;
  const changes = diffs.map(({ label, added, removed }) => `${label} +${added} −${removed}`);
  const lines = [
    `${title} (${toStatus(item.status, t)})`,
    command === title ? '' : (command ?? ''),
  ];
  return [...lines, ...changes, output].filter(Boolean).join('\n');
}

function toStatus(status: ToolStatus, t: Translate): string {
  switch (status) {
    case 'pending':
      return t('waiting');
    case 'in_progress':
      return t('running');
    case 'completed':
      return t('done');
    case 'failed':
      return t('failed');
    case 'denied':
      return t('denied');
    case 'aborted':
      return t('stopped');
  }
}
