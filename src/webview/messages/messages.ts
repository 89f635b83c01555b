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
import type { ToolKind } from '../../base/tools/toolKind.ts';
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

/** What a button of the chat may start. Anything else that arrives is ignored. */
export const CHAT_ACTIONS = [
  'newSession',
  'setModel',
  'setApiKey',
  'showLog',
  'restartHost',
  'manageTrust',
  'openSettings',
] as const;
export type ChatAction = (typeof CHAT_ACTIONS)[number];

/** How an ask is answered; the first answer counts, from whichever surface it comes. */
export type AskAnswer =
  | { readonly kind: 'option'; readonly optionId: string; readonly reason?: string }
  | { readonly kind: 'form'; readonly content: FormContent }
  | { readonly kind: 'decline' };

export type FormContent = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface ChatState {
  readonly sessionId?: string;
  readonly title?: string;
  readonly activity: Activity;
  readonly header: Header;
  readonly place: WorkspaceState;
  readonly options: ChatOptions;
  readonly items: readonly ChatItem[];
  readonly plan: readonly PlanEntry[];
  readonly asks: readonly Ask[];
  readonly queue: readonly QueuedMessage[];
  /** Tokens in the context and its size, when the agent tells. */
  readonly usage?: { readonly used: number; readonly size: number };
}

export type Activity = 'idle' | 'starting' | 'running' | 'stopping' | 'restarting';

export interface Header {
  /** The model's id, empty when none is set. */
  readonly model: string;
  readonly tour: boolean;
}

export interface WorkspaceState {
  readonly trusted: boolean;
  readonly folder: boolean;
  /** Rules that could not be read; they count as ask. */
  readonly brokenRules: number;
}

export interface ChatOptions {
  readonly sendKey: 'enter' | 'modEnter';
  readonly expandTools: 'failed' | 'all' | 'none';
  /** False when only the quick pick answers permissions. */
  readonly answerInChat: boolean;
}

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

export interface PlanEntry {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export type ChatItem = TextItem | ToolItem | NoteItem | ErrorItem;

export interface TextItem {
  readonly kind: 'user' | 'agent' | 'thought';
  readonly id: string;
  readonly text: string;
  /** Nothing more will be appended. */
  readonly done: boolean;
  /** Characters that were left out because the message is too long to show. */
  readonly cut?: number;
}

export interface ToolLocation {
  readonly path: string;
  /** The path as people read it. */
  readonly label: string;
  /** From 1. */
  readonly line?: number;
}

export interface ToolItem {
  readonly kind: 'tool';
  readonly id: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  readonly status: ToolStatus;
  /** The command line of a call that runs one, hidden characters made visible. */
  readonly command?: string;
  readonly diffs: readonly ToolDiff[];
  readonly terminals: readonly string[];
  /** An excerpt, never the whole of a long output. */
  readonly output: string;
  readonly outputCut: boolean;
  readonly locations: readonly ToolLocation[];
  /** The rule that let the call pass without asking, in one line. */
  readonly rule?: string;
  /** How a command ended, unless with 0: its exit code or signal, or that it goes on by itself. */
  readonly ended?: number | string;
}

export type ToolStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'denied' | 'aborted';

/** `ended` of a command that was started in the background. */
export const IN_BACKGROUND = 'background';

export interface ToolDiff {
  readonly path: string;
  /** Path as people read it, relative to the workspace where it can be. */
  readonly label: string;
  readonly added: number;
  readonly removed: number;
  readonly created: boolean;
  /** At most 20 rows. */
  readonly rows: readonly DiffRow[];
  readonly more: number;
}

export interface DiffRow {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

export interface NoteItem {
  readonly kind: 'note';
  readonly id: string;
  readonly text: string;
}

export interface ErrorItem {
  readonly kind: 'error';
  readonly id: string;
  readonly text: string;
  readonly detail?: string;
  readonly retry: boolean;
  readonly actions: readonly ChatAction[];
}

/** Milliseconds in which a question takes no click and no key: they were meant for what stood there before. */
export const ARM_DELAY = 600;

export type Ask = PermissionAsk | QuestionAsk;

export interface PermissionAsk {
  readonly kind: 'permission';
  readonly id: string;
  /** The tool card it belongs to. */
  readonly toolCallId: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  /** The whole command or target, hidden characters made visible. */
  readonly subject: string;
  /** Length of what is really run, in characters. */
  readonly length: number;
  /** The command holds characters that look like something else. */
  readonly suspicious: boolean;
  readonly why: string;
  readonly diff: boolean;
  readonly options: readonly AskOption[];
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface AskOption {
  readonly optionId: string;
  readonly name: string;
  readonly choice: AskChoice;
  /** What an "always" would store and what else it would match. */
  readonly rule?: string;
  readonly alsoMatches?: readonly string[];
  readonly destination?: 'session' | 'workspace' | 'user';
}

export type AskChoice = 'allowOnce' | 'allowSession' | 'allowAlways' | 'deny' | 'denyAlways';

export interface QuestionAsk {
  readonly kind: 'question';
  readonly id: string;
  readonly toolCallId?: string;
  readonly message: string;
  readonly fields: readonly FormField[];
  readonly since: number;
}

export interface FormField {
  readonly key: string;
  readonly title: string;
  readonly description?: string;
  readonly required: boolean;
  readonly input: FieldInput;
  /** Another text field of the form that takes a free answer instead ("Other…"). */
  readonly otherKey?: string;
}

export type FieldInput =
  | {
      readonly type: 'choice';
      readonly choices: readonly FieldChoice[];
      readonly multiple: boolean;
    }
  | { readonly type: 'text' | 'number' | 'integer' | 'boolean' };

export interface FieldChoice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

export type StateChange =
  /** Replaces the item with that id in place, or appends it. */
  | { readonly type: 'item'; readonly item: ChatItem }
  | { readonly type: 'append'; readonly id: string; readonly text: string }
  /** A message has ended, or characters of it were left out. */
  | { readonly type: 'mark'; readonly id: string; readonly done?: true; readonly cut?: number }
  | { readonly type: 'set'; readonly values: Partial<Omit<ChatState, 'items'>> }
  | { readonly type: 'reset'; readonly state: ChatState };

/** Words of the chat, in the user's language; the extension sends them with the snapshot. */
export type Strings = Readonly<Record<StringKey, string>>;
