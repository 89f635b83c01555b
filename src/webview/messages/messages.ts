/**
 * Everything that passes between the extension and the chat's pages, as two closed unions. Several
 * pages can show several sessions, so every message names its session. The extension keeps the same
 * `ChatState`, so a page that is reloaded gets it back whole; otherwise only changes travel, at most
 * one post a frame.
 *
 * What a test (or a screen reader) finds in the chat:
 * - `textarea` named "Message"; buttons "Send" (idle), "Stop" (running), "Queue" (running, text typed)
 * - the transcript: role `log` named "Conversation"; every turn item is an `article`
 *   with `data-kind` = user | agent | thought | tool | note | error and a heading
 * - tool cards: `article[data-kind="tool"]` with `data-status` = pending | in_progress | completed |
 *   failed | aborted and `data-tool-kind`; buttons "Show Diff" (on a diff) and "Show Terminal"
 * - a permission: `section` (role `region`) named "Permission needed: <title>", `data-ask="permission"`,
 *   with the buttons of `askActions.ts`; a question: the same with `data-ask="question"`,
 *   named "Question: <message>"
 * - the error card: role `alert` with buttons "Retry", "Show Log", "Set Model…", "Set API Key…"
 * - the plan: `section` named "Plan"; the status line: role `status`
 * - the words "scripted tour" stand in the header while the scripted tour is used
 */
import type { AskAnswer } from './asks.ts';
import type { ChatCommand, ChatState, StateChange } from './chatState.ts';
import type { Strings } from './stringKeys.ts';

/** Names a chat in every message, also before the host has created its session. Unique in a window. */
export type SessionKey = string;

export type ToWebview = { readonly session: SessionKey } & (
  | { readonly type: 'snapshot'; readonly state: ChatState; readonly strings: Strings }
  | { readonly type: 'changes'; readonly changes: readonly StateChange[] }
  | { readonly type: 'focusComposer'; readonly text?: string }
  | { readonly type: 'revealAsk'; readonly askId: string }
);

/** `ready` is sent by a page that shows no session yet: it asks for its snapshot. */
export type ToExtension =
  | { readonly type: 'ready' }
  | (UserAction & { readonly session: SessionKey });

/** What the user did in a chat. */
export type UserAction =
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
  | { readonly type: 'run'; readonly command: ChatCommand }
  /** A key was pressed in the chat: a quick pick waits until the typing stops. */
  | { readonly type: 'typed' };
