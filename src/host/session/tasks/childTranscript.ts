import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { shorten, showHidden } from '../../../base/hidden.ts';

/** What a subagent does, as text for the card of the call that started it. */
export interface ChildTranscript {
  /** Returns whether the text is another one. */
  apply(update: SessionUpdate): boolean;
  readonly text: string;
}

/** Characters that are kept, from the end. */
const KEPT = 12_000;

const SIGNS: Readonly<Record<string, string>> = {
  pending: '○',
  in_progress: '◐',
  completed: '✓',
  failed: '✗',
};

/** A line for each call, with its state, and what the subagent says between them. */
export function createChildTranscript(): ChildTranscript {
  const rows = new Map<string, string>();
  const calls = new Map<string, { readonly title: string; readonly status: string }>();
  let length = 0;
  const put = (key: string, row: string) => {
    const before = rows.get(key);
    if (before === row) return false;
    rows.set(key, row);
    length += row.length - (before?.length ?? 0);
    for (const [oldest, old] of rows) {
      if (length <= KEPT || rows.size === 1) break;
      rows.delete(oldest);
      length -= old.length;
    }
    return true;
  };
  return {
    apply(update) {
      switch (update.sessionUpdate) {
        case 'agent_message_chunk': {
          if (update.content.type !== 'text') return false;
          const key = `text ${update.messageId}`;
          return put(key, `${rows.get(key) ?? ''}${update.content.text}`.slice(-KEPT));
        }
        case 'tool_call':
        case 'tool_call_update': {
          const key = update.toolCallId;
          const known = calls.get(key);
          const title = update.title ?? known?.title ?? 'Tool call';
          const status = update.status ?? known?.status ?? 'pending';
          calls.set(key, { title, status });
          return put(`call ${key}`, `${SIGNS[status] ?? ''} ${shorten(showHidden(title), 200)}`);
        }
        default:
          return false;
      }
    },
    get text() {
      return [...rows.values()].join('\n');
    },
  };
}

/** Milliseconds between two looks at a subagent that speaks. */
const SHOW_MS = 200;

/** Calls `show` soon after a change, and not for each word. `end` shows what is left. */
export function createReporter(show: () => void): { note(): void; end(): void } {
  let timer: NodeJS.Timeout | undefined;
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    show();
  };
  return {
    note: () => {
      timer ??= setTimeout(now, SHOW_MS).unref();
    },
    end: () => {
      if (timer !== undefined) now();
    },
  };
}
