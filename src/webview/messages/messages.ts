/**
 * All messages between the extension and the chat's pages, as two closed unions. Each message
 * names its session, because several pages can show several sessions. The extension holds the
 * `ChatState`, so a reloaded page gets a complete snapshot. Otherwise only changes are sent, at
 * most one post per frame.
 *
 * Roles and names that tests and screen readers find in the chat:
 * - `textarea` named "Message"; buttons "Send" (idle), "Stop" (running), "Queue" (running, text typed)
 * - the transcript: role `log` named "Conversation"; every turn item is an `article`
 *   with `data-kind` = user | agent | thought | tool | note | compaction | error and a heading
 * - tool cards: `article[data-kind="tool"]` with `data-status` = pending | in_progress | completed |
 *   failed | aborted and `data-tool-kind`; buttons "Show Diff" (on a diff), "Revert", "Copy Output" and
 *   "Open Full Output"; of commands also "Show Terminal", "Run in Terminal" and, while they run, "Stop
 *   Command" and "Continue in Background"
 * - a permission: `section` (role `region`) named "Permission needed: <title>", `data-ask="permission"`,
 *   with the buttons of `askActions.ts`; a question: the same with `data-ask="question"`,
 *   named "Question: <message>"
 * - the error card: role `alert` with buttons "Retry", "Show Log", "Set Model…", "Set API Key…"
 * - the settings of the session: `group` named "Session settings", with a button "<setting>: <value>" for each,
 *   or a `switch` named "<setting>" if it is on or off
 * - the plan: `section` named "Plan"; unreviewed files: `section` named "Unreviewed changes", with the
 *   buttons "Review", "Keep All" and "Undo All…"; the status line: role `status`
 * - the header contains "scripted tour" while the scripted tour is used
 */
import type { AskAnswer } from './asks.ts';
import type { Attached, Chip, FoundContext, ReadResult } from './attached.ts';
import type { ChatCommand, ChatState, StateChange } from './chatState.ts';
import type { ScreenNode } from './screen.ts';
import type { Strings } from './stringKeys.ts';

/**
 * Identifies a chat in messages, even before the host has created its session. Unique per window.
 */
export type SessionKey = string;

export type ToWebview = { readonly session: SessionKey } & (
  | { readonly type: 'snapshot'; readonly state: ChatState; readonly strings: Strings }
  | { readonly type: 'changes'; readonly changes: readonly StateChange[] }
  /** Focuses the composer, and puts a text and what is attached to it there. */
  | {
      readonly type: 'focusComposer';
      readonly text?: string;
      readonly attached?: readonly Chip[];
    }
  /** The answer to a `request` of `attach`, `attachUri` and `attachImage`, whatever the page shows by then. */
  | { readonly type: 'attached'; readonly request: string; readonly result: ReadResult }
  /** The answer to `lookUp`. */
  | {
      readonly type: 'found';
      readonly request: number;
      readonly entries: readonly FoundContext[];
    }
  | { readonly type: 'revealAsk'; readonly askId: string }
  /** Scrolls to an item and focuses it. */
  | { readonly type: 'revealItem'; readonly id: string }
  /** Appends text to the composer, that was typed elsewhere but meant for it. */
  | { readonly type: 'appendText'; readonly text: string }
  /** Asks for the plain text of a message. The page answers with `copyText`. */
  | { readonly type: 'copyMessage'; readonly id: string }
  /** Asks the page where the focus is now. It answers with `pong`. */
  | { readonly type: 'ping'; readonly ping: number }
  | ({ readonly type: 'alert' } & PageAlert)
  /** The host's id of the session, by which a chat in an editor is found after a reload of the window. */
  | { readonly type: 'shows'; readonly sessionId?: string }
  /** Makes a screen reader say what happened outside of the page. */
  | { readonly type: 'announce'; readonly text: string }
);

/** Tells a user whose window is in the background that the agent waits or is done. */
export interface PageAlert {
  readonly sound: boolean;
  /** The text of a notification of the operating system, if one is wanted. */
  readonly notification?: string;
}

/** Where the user is, as a page knows. */
export interface PageFocus {
  /** The page has the keyboard focus. */
  readonly focused: boolean;
  /** The composer is empty and the focus is not in a card. */
  readonly empty: boolean;
}

/** A page that shows no session yet sends `ready` to request its snapshot. */
export type ToExtension =
  | { readonly type: 'ready' }
  | ({ readonly type: 'focus' } & PageFocus)
  | ({ readonly type: 'pong'; readonly ping: number } & PageFocus)
  /** What the page shows, for the next one; without nodes, nothing is to be kept. */
  | {
      readonly type: 'screen';
      readonly session: SessionKey;
      readonly nodes?: readonly ScreenNode[];
    }
  | (UserAction & { readonly session: SessionKey });

/** The types of actions that are about what is attached. */
export const ATTACH_TYPES = [
  'lookUp',
  'takePrompt',
  'attach',
  'attachUri',
  'attachImage',
  'stillReading',
] as const;
export type AttachAction = Extract<UserAction, { type: (typeof ATTACH_TYPES)[number] }>;

/** An action of the user in a chat. */
export type UserAction =
  | { readonly type: 'send'; readonly text: string; readonly attached?: readonly Attached[] }
  /** Moves a queued message into the composer. */
  | { readonly type: 'unqueue'; readonly id: string }
  | { readonly type: 'removeQueued'; readonly id: string }
  /** Undoes the last removal, or takes the offer to do so away. */
  | { readonly type: 'restoreRemoved' | 'dismissRemoved' }
  /** Puts a queued message into the running turn at its next step. */
  | { readonly type: 'steer'; readonly id: string }
  /** Puts a queued message before another one, or last. */
  | { readonly type: 'moveQueued'; readonly id: string; readonly before?: string }
  /** Runs what is queued since a turn failed. */
  | { readonly type: 'resumeQueue' }
  /** Asks what fits the word after `@` or, as commands, after `/`. It is answered with `found`. */
  | {
      readonly type: 'lookUp';
      readonly query: string;
      readonly request: number;
      readonly commands?: true;
    }
  /** Puts the text of a prompt of `found` into the message. */
  | { readonly type: 'takePrompt'; readonly id: string }
  /** Attaches an entry of `found`. The page shows a chip with the id `request` until `attached` answers. */
  | { readonly type: 'attach'; readonly id: string; readonly request: string }
  /** Attaches a file or folder that was dropped. */
  | { readonly type: 'attachUri'; readonly uri: string; readonly request: string }
  /** Asks which chips of an earlier page are still being read. The others are answered with a fault. */
  | { readonly type: 'stillReading'; readonly requests: readonly string[] }
  /** Attaches an image that was pasted or dropped. */
  | {
      readonly type: 'attachImage';
      readonly request: string;
      readonly name: string;
      readonly mediaType: string;
      readonly base64: string;
    }
  | { readonly type: 'stop' }
  | { readonly type: 'retry' }
  /** Ends the wait for a retry of the model. */
  | { readonly type: 'retryNow' }
  /** `composed`: the reason was the composer's text, which goes back there if the answer does not count. */
  | {
      readonly type: 'answer';
      readonly askId: string;
      readonly answer: AskAnswer;
      readonly composed?: true;
    }
  | { readonly type: 'openAsk'; readonly askId: string }
  /** Keeps an entry of a proposal, or leaves it out. */
  | {
      readonly type: 'keepEntry';
      readonly askId: string;
      readonly entryId: string;
      readonly keep: boolean;
    }
  /** Opens the rule that asks, or the one that nearly allows. */
  | { readonly type: 'openRule'; readonly askId: string; readonly near?: true }
  /** Makes the request after the current one current. */
  | { readonly type: 'nextRequest' }
  /** Shows the session of the current request. */
  | { readonly type: 'showRequest' }
  | { readonly type: 'showDiff'; readonly itemId: string; readonly index: number }
  /** Goes back to a message of the user, to send it again, or begins a new session with what is before it. */
  | { readonly type: 'editMessage' | 'forkMessage'; readonly itemId: string }
  /** Takes the changes of an applied edit out of its files. */
  | { readonly type: 'revert'; readonly itemId: string }
  | { readonly type: 'showTerminal'; readonly terminalId: string }
  /** Loads what a subagent of the session, or of one of its subagents, has done. */
  | { readonly type: 'showSubagent'; readonly subagent: string }
  /** Ends the command of a running call, and what it started. The turn goes on. */
  | { readonly type: 'stopCommand'; readonly itemId: string }
  /** Lets the turn go on while a call's command runs, or types the command into a terminal. */
  | {
      readonly type: 'continueInBackground' | 'runInTerminal';
      readonly itemId: string;
    }
  /** Copies the text that the user asked to copy. */
  | { readonly type: 'copyText'; readonly text: string }
  /** Copies the whole output of a call, or opens it in an editor. */
  | { readonly type: 'copyOutput' | 'openOutput'; readonly itemId: string }
  | { readonly type: 'showRule'; readonly itemId: string }
  | { readonly type: 'openLocation'; readonly path: string; readonly line?: number }
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'run'; readonly command: ChatCommand }
  /** Uses a model that the empty chat offers. */
  | { readonly type: 'useModel'; readonly ref: string }
  /** Asks another model, from now on in this session. */
  | { readonly type: 'useNext'; readonly ref: string }
  /**
   * Lets the user change a setting of the session. Without an id, all settings are listed first. With
   * `on`, a setting that is on or off is set to it at once.
   */
  | { readonly type: 'choose'; readonly id?: string; readonly on?: boolean }
  /** A key was pressed in the chat. No quick pick opens until typing stops. */
  | { readonly type: 'typed' };
