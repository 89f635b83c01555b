import type { Isolation } from '../../base/tools/isolation.ts';
import type { ToolKind } from '../../base/tools/toolKind.ts';
import type { Ask, CurrentRequest, RuleReference } from './asks.ts';
import type { ToolDiff } from './diff.ts';
import type { SubagentStates } from './subagents.ts';

/** The commands that buttons of the chat may run. The extension ignores all others. */
export const CHAT_COMMANDS = [
  'newSession',
  'setModel',
  'setApiKey',
  'chooseModel',
  'openLimits',
  'showLog',
  'restartHost',
  'manageTrust',
  'reviewRules',
  'openSettings',
  'reviewChanges',
  'keepAllChanges',
  'undoAllChanges',
  'undoRewind',
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
  /** Files with changes that are on disk and that the user has not reviewed. */
  readonly unreviewed: readonly UnreviewedItem[];
  /** The pending requests of this session, in call order. */
  readonly asks: readonly Ask[];
  /** The current request of the window, which may belong to another session. A message drops undefined. */
  readonly request: CurrentRequest | null;
  readonly queue: readonly QueuedMessage[];
  /** The message that was removed from the queue last, while that can be undone. A message drops undefined. */
  readonly removed?: QueuedMessage | null;
  /** A turn failed, and the queue waits for the user. */
  readonly queuePaused?: boolean;
  /** The wait before the model is asked again; null or absent if there is none. */
  readonly retry?: RetryState | null;
  /** What can be typed after `/`. */
  readonly commands?: readonly AgentCommand[];
  /** What the agent lets the user choose for the session. Absent until the host has the session. */
  readonly choices?: readonly SessionChoice[];
  /** Absent until the agent reports it. */
  readonly usage?: ContextUsage;
  readonly subagents?: SubagentStates;
}

export interface ContextUsage {
  /** Tokens in the context. */
  readonly used: number;
  /** Tokens that fit; 0 if nobody knows. */
  readonly size: number;
  /** Tokens that the provider took from its cache, and that it wrote to it. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** What the session has cost so far, if the agent knows; an ISO 4217 code. */
  readonly cost?: { readonly amount: number; readonly currency: string };
}

export interface RetryState {
  /** The kind of the failure, such as `rate-limited`. */
  readonly kind: string;
  readonly reason: string;
  /** The attempt that failed, 1-based. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Start of the next attempt, in milliseconds since the epoch. */
  readonly at: number;
}

/** A command of the agent. */
export interface AgentCommand {
  readonly name: string;
  readonly description: string;
  /** What to write after it. */
  readonly hint?: string;
}

/** One setting of a session, such as its approval mode or model. */
export interface SessionChoice {
  readonly id: string;
  readonly name: string;
  /** Undefined if the agent reports a value that it doesn't list. */
  readonly current: ChoiceValue | undefined;
  /** Empty for a setting that is on or off. */
  readonly values: readonly ChoiceValue[];
  /** Whether a setting that is on or off is on. Absent for a list of values. */
  readonly on?: boolean;
}

export interface ChoiceValue {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
  /** The heading that the agent lists it under. */
  readonly group?: string;
}

export type Activity = 'idle' | 'starting' | 'running' | 'stopping' | 'restarting';

export interface Header {
  /** The model's id; empty if none is set. */
  readonly model: string;
  readonly tour: boolean;
  /** What an empty chat offers. */
  readonly start?: StartState;
}

export interface StartState {
  /** Models that can be used with one click; absent if a model is set, empty while they are looked for. */
  readonly offers?: readonly StartOffer[];
  readonly suggestions: readonly StartSuggestion[];
}

export interface StartOffer {
  readonly ref: string;
  readonly label: string;
  /** The provider, the context window and the price. */
  readonly detail: string;
}

export interface StartSuggestion {
  readonly label: string;
  /** The message that it sends. */
  readonly text: string;
}

export interface WorkspaceState {
  readonly trusted: boolean;
  readonly folder: boolean;
  /** Number of rules that could not be read. They are treated as ask. */
  readonly brokenRules: number;
  /** Number of allow rules of the workspace that have no effect until the user accepts them. */
  readonly waitingRules: number;
}

export interface ChatOptions {
  readonly sendKey: 'enter' | 'modEnter';
  readonly expandTools: 'failed' | 'all' | 'none';
  /** False if permissions can only be answered in the quick pick. */
  readonly answerInChat: boolean;
}

export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** How many files and the like are attached, if any are. */
  readonly attachments?: number;
  /** The running turn takes it at its next step. */
  readonly steered?: true;
}

export interface UnreviewedItem {
  readonly path: string;
  /** The display form of the path. */
  readonly label: string;
  readonly kind: 'changed' | 'created' | 'deleted';
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  /** What changed that is no text, in one line with code in backticks. */
  readonly entry?: string;
}

export interface PlanEntry {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

export type ChatItem = TextItem | ToolItem | NoteItem | CompactionItem | ErrorItem;

export interface TextItem {
  readonly kind: 'user' | 'agent' | 'thought';
  readonly id: string;
  readonly text: string;
  /** Nothing more will be appended. */
  readonly done: boolean;
  /** Number of characters omitted because the message is too long. */
  readonly cut?: number;
}

export interface ToolLocation {
  readonly path: string;
  /** The display form of the path. */
  readonly label: string;
  /** 1-based. */
  readonly line?: number;
}

export interface ToolItem {
  readonly kind: 'tool';
  readonly id: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  readonly status: ToolStatus;
  /** The call's command line, if any, with hidden characters made visible. */
  readonly command?: string;
  readonly diffs: readonly ToolDiff[];
  /** What the agent proposed, while `diffs` shows what the user made of it. */
  readonly proposed?: readonly ToolDiff[];
  readonly terminals: readonly string[];
  /** An excerpt of the output, with escapes for colors (`showsEnd` says which). */
  readonly output: string;
  readonly outputCut: boolean;
  readonly locations: readonly ToolLocation[];
  /** The rule that allowed the call without asking, in one line. */
  readonly rule?: string;
  /** The rules of that line. */
  readonly rules?: readonly RuleReference[];
  /** The user allowed the call when asked. */
  readonly allowedByUser?: true;
  /** Where the call's programs run, or will run. */
  readonly isolation?: Isolation;
  /** The call changed something that can be reverted, even if no diff shows it. */
  readonly revertable?: true;
  /** The session of the subagent that the call started. */
  readonly subagent?: string;
  /** A command's exit code, its signal, or that it runs in the background. */
  readonly ended?: number | string;
  /** What the call asks the user, with the answers once there are any. */
  readonly questions?: readonly AskedQuestion[];
  /** When the call began to run, in milliseconds since the epoch, if this window saw it. */
  readonly startedAt?: number;
  /** How long it ran, in milliseconds. */
  readonly ranMs?: number;
}

export interface AskedQuestion {
  readonly question: string;
  /** Absent until answered; empty when skipped. */
  readonly answers?: readonly string[];
}

/** Whether a card shows the end of a long output: what was looked up is read from its beginning. */
export function showsEnd(kind: ToolKind): boolean {
  return kind !== 'read' && kind !== 'search' && kind !== 'fetch';
}

export type ToolStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'denied' | 'aborted';

/** The value of `ended` for a command that runs in the background. */
export const IN_BACKGROUND = 'background';

/** Whether a card is that of a review or a revert, and not of one call. The host makes these ids. */
export function isReviewId(id: string): boolean {
  return id.startsWith('rev_');
}

export interface NoteItem {
  readonly kind: 'note';
  readonly id: string;
  readonly text: string;
  /** What the note's button does. */
  readonly command?: ChatCommand;
}

/** From here on, the model is sent less than what stands above. */
export interface CompactionItem {
  readonly kind: 'compaction';
  readonly id: string;
  readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled';
  /** The summary, or why it failed; may be empty. */
  readonly text: string;
  /** How many messages the summary stands for. */
  readonly messages?: number;
  /** How many outputs of calls are left out. */
  readonly outputs?: number;
}

export interface ErrorItem {
  readonly kind: 'error';
  readonly id: string;
  readonly text: string;
  readonly detail?: string;
  readonly retry: boolean;
  /** *Continue* goes on with the turn where it broke off, without repeating the message. */
  readonly continues?: true;
  readonly commands: readonly ChatCommand[];
  /** The one that mends what failed, so that it comes first. Without one, *Retry* does. */
  readonly helps?: ChatCommand;
  /** What failed, in the host's word. */
  readonly cause?: string;
  /** The model that may answer instead. */
  readonly next?: NextModel;
}

export interface NextModel {
  readonly ref: string;
  readonly name: string;
}

export type StateChange =
  /** Replaces the item with the same id, or appends it. */
  | { readonly type: 'item'; readonly item: ChatItem }
  | { readonly type: 'append'; readonly id: string; readonly text: string }
  /** What a running call prints: of the shown output, `keep` characters after the first `drop` stay. */
  | {
      readonly type: 'output';
      readonly id: string;
      readonly drop: number;
      readonly keep: number;
      readonly text: string;
      readonly cut: boolean;
    }
  /** Marks a message as complete, or sets the number of omitted characters. */
  | { readonly type: 'mark'; readonly id: string; readonly done?: true; readonly cut?: number }
  | { readonly type: 'set'; readonly values: Partial<Omit<ChatState, 'items'>> }
  /** Puts items before all others, as older messages arrive. */
  | { readonly type: 'prepend'; readonly items: readonly ChatItem[] }
  | { readonly type: 'reset'; readonly state: ChatState };
