import type { ToolKind } from '../../base/tools/toolKind.ts';
import type { Ask } from './asks.ts';

/** What a button of the chat may start. Anything else that arrives is ignored. */
export const CHAT_COMMANDS = [
  'newSession',
  'setModel',
  'setApiKey',
  'showLog',
  'restartHost',
  'manageTrust',
  'openSettings',
] as const;
export type ChatCommand = (typeof CHAT_COMMANDS)[number];

export interface ChatState {
  readonly title?: string;
  readonly activity: Activity;
  readonly header: Header;
  readonly workspace: WorkspaceState;
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
  readonly commands: readonly ChatCommand[];
}

export type StateChange =
  /** Replaces the item with that id in place, or appends it. */
  | { readonly type: 'item'; readonly item: ChatItem }
  | { readonly type: 'append'; readonly id: string; readonly text: string }
  /** A message has ended, or characters of it were left out. */
  | { readonly type: 'mark'; readonly id: string; readonly done?: true; readonly cut?: number }
  | { readonly type: 'set'; readonly values: Partial<Omit<ChatState, 'items'>> }
  | { readonly type: 'reset'; readonly state: ChatState };
