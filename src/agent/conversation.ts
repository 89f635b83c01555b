import type { Fold } from '../base/stream/fold.ts';
import type { HistoryMessage } from '../base/stream/historyMessage.ts';
import { applyCompactions } from './compaction/boundary.ts';
import { toModelMessages } from './history.ts';
import type { ModelMessage } from './model.ts';
import type { StepChange, ToolCard, Turn } from './turn.ts';

/** The content of a turn's next request; hooks may change it between requests. */
export interface Conversation {
  readonly messages: readonly HistoryMessage[];
  /** The same array until tools are added. */
  readonly tools: readonly ToolCard[];
  /** Call between two requests, when every call has its outcome. */
  change(change: StepChange): void;
  toModelMessages(): readonly ModelMessage[];
}

/** The session's messages, followed by the turn's own answer as held by `fold`. */
export function createConversation(
  turn: Pick<Turn, 'messages' | 'tools' | 'images'>,
  fold: Pick<Fold, 'parts'>,
): Conversation {
  let before: readonly HistoryMessage[] = turn.messages;
  let tools = turn.tools;
  // Earlier parts are already in `before`, or were replaced together with it.
  let first = 0;
  const own = (): HistoryMessage => ({
    role: 'assistant',
    metadata: {},
    // Copied, because the fold keeps growing.
    parts: fold.parts.slice(first),
  });
  const conversation: Conversation = {
    get messages() {
      return [...before, own()];
    },
    get tools() {
      return tools;
    },
    change({ history, userMessages = [], tools: added = [] }) {
      if (history !== undefined || userMessages.length > 0) {
        before = [...(history ?? conversation.messages), ...userMessages];
        first = fold.parts.length;
      }
      const fresh = added.filter(({ id }) => !tools.some((tool) => tool.id === id));
      if (fresh.length > 0) tools = [...tools, ...fresh];
    },
    toModelMessages() {
      const { images } = turn;
      const ids = new Set(tools.map(({ id }) => id));
      const messages = applyCompactions(conversation.messages);
      const next = toModelMessages(messages, { images, tools: ids });
      return next.at(-1)?.role === 'assistant' ? [...next, BROKEN_OFF] : next;
    },
  };
  return conversation;
}

/** After text that broke off with an earlier process: endpoints expect a message to answer. */
const BROKEN_OFF: ModelMessage = {
  role: 'user',
  content: [
    { type: 'text', text: 'Your answer broke off here. Continue exactly where it stopped.' },
  ],
};
