/**
 * Everything that passes between the extension and the chat, as two closed unions, and the one
 * function that applies a change. The extension keeps the same `ChatState`, so a chat that is
 * reloaded gets it back whole; otherwise only changes travel, at most one post a frame.
 *
 * What a test (or a screen reader) finds in the chat:
 * - `textarea` named "Message"; buttons "Send" (idle), "Stop" (running), "Queue" (running, text typed)
 * - the transcript: role `log` named "Conversation"; every turn item is an `article`
 *   with `data-kind` = user | agent | thought | tool | note | error and a heading
 * - tool cards: `article[data-kind="tool"]` with `data-status` = pending | in_progress | completed |
 *   failed | aborted and `data-tool-kind`; buttons "Show diff" (on a diff) and "Show terminal"
 * - a permission: `section` (role `region`) named "Permission needed: <title>", `data-ask="permission"`,
 *   with the buttons of `CHOICE_LABELS`; a question: the same with `data-ask="question"`,
 *   named "Question: <message>"
 * - the error card: role `alert` with buttons "Retry", "Show Log", "Set Model…", "Set API Key…"
 * - the plan: `section` named "Plan"; the status line: role `status`
 * - the words "scripted tour" stand in the header while the scripted tour is used
 */
import type { AskAnswer } from './asks.ts';
import type { ChatAction, ChatState, StateChange } from './chatState.ts';
import type { StringKey } from './stringKeys.ts';

export type ToWebview =
  | { readonly type: 'snapshot'; readonly state: ChatState; readonly strings: Strings }
  | { readonly type: 'changes'; readonly changes: readonly StateChange[] }
  | { readonly type: 'focusComposer'; readonly text?: string }
  | { readonly type: 'revealAsk'; readonly askId: string };

export type ToExtension =
  | { readonly type: 'ready' }
  | { readonly type: 'send'; readonly text: string }
  | { readonly type: 'unqueue'; readonly id: string }
  | { readonly type: 'stop' }
  | { readonly type: 'retry' }
  | { readonly type: 'answer'; readonly askId: string; readonly answer: AskAnswer }
  | { readonly type: 'openAsk'; readonly askId: string }
  | { readonly type: 'showDiff'; readonly itemId: string; readonly index: number }
  | { readonly type: 'showTerminal'; readonly terminalId: string }
  | { readonly type: 'showRule'; readonly itemId: string }
  | { readonly type: 'openLocation'; readonly path: string; readonly line?: number }
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'run'; readonly action: ChatAction }
  /** A key was pressed in the chat: a quick pick waits until the typing stops. */
  | { readonly type: 'typed' };

/** Words of the chat, in the user's language; the extension sends them with the snapshot. */
export type Strings = Readonly<Record<StringKey, string>>;
