import type { Fold } from '../base/stream/fold.ts';
import { type HistoryMessage, toModelMessages } from './history.ts';
import type { ModelMessage } from './model.ts';
import type { StepChange, ToolCard, Turn } from './turn.ts';

/** What the next request of a turn carries; hooks change it between the requests. */
export interface Conversation {
  readonly messages: readonly HistoryMessage[];
  /** The same list until tools are added. */
  readonly tools: readonly ToolCard[];
  /** To be called between two requests, when every call has its outcome. */
  change(change: StepChange): void;
  toModelMessages(): readonly ModelMessage[];
}

/** The session's messages, followed by what `fold` holds of the turn's own answer. */
export function createConversation(
  turn: Pick<Turn, 'messages' | 'tools' | 'images'>,
  fold: Pick<Fold, 'parts'>,
): Conversation {
  let before: readonly HistoryMessage[] = turn.messages;
  let tools = turn.tools;
  // The parts before this one are in `before`, or were replaced with it.
  let first = 0;
  const own = (): HistoryMessage => ({
    role: 'assistant',
    metadata: {},
    // A copy: the fold goes on writing.
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
      const bare = tools.filter(({ failureContent }) => failureContent === 'error');
      const { images } = turn;
      return toModelMessages(conversation.messages, {
        bare: new Set(bare.map(({ id }) => id)),
        images,
      });
    },
  };
  return conversation;
}
