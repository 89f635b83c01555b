import type { Clock } from '../base/clock.ts';
import type { Event } from '../base/event.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { Envelope } from '../base/stream/envelope.ts';
import type { PartBody } from '../base/stream/fold.ts';
import type { HistoryMessage } from '../base/stream/historyMessage.ts';
import type { StoredMessage } from '../base/stream/stored.ts';
import type { ToolKind } from '../base/tools/toolKind.ts';
import type { Limits } from '../runtime/limits.ts';
import type { ToolRequest } from '../tools/call.ts';
import type { ModelFailure } from './endpoint/faults.ts';
import type { ChatModel } from './model.ts';

/** Everything a turn depends on. The loop keeps no state between turns. */
export interface Turn {
  /** Created by `createModel`; a string would go to a hosted gateway. */
  readonly model: ChatModel;
  /** Called when a summary is needed. */
  summarizer(): Promise<Summarizer>;
  readonly system: string;
  /** The session before this turn, ending with the user's new message. */
  readonly messages: readonly StoredMessage[];
  /** The rest of this turn, when an earlier process began it. */
  readonly begun?: BegunTurn;
  /** The turn only compacts the session; `focus`: what the user wants the summary to keep. */
  readonly compact?: { readonly focus?: string };
  readonly tools: readonly ToolCard[];
  /** How much the model reasons before it answers; default: as much as its provider likes. */
  readonly reasoning?: 'default' | 'none' | 'low' | 'medium' | 'high';
  /** False when the model does not accept images: they are only named to it. */
  readonly images: boolean;
  /** Runs one call through the gate. Emitted chunks join the turn's stream immediately. */
  call(request: ToolRequest, emit: (chunk: Chunk) => void): Promise<Envelope>;
  /** The size of the model's context window in tokens; 0 or absent when unknown. */
  readonly contextTokens?: number;
  readonly limits: Limits;
  /** What no fault may show. */
  readonly secrets?: () => readonly string[];
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly hooks?: TurnHooks;
  /** Why no request may be sent any more: a limit of the user's is reached. */
  readonly findStop?: () => ModelFailure | undefined;
  /** Fires when the user doesn't want to wait for a retry. */
  readonly onRetryNow?: Event<void>;
}

/** Writes the summaries that stand for old parts of the conversation. */
export interface Summarizer {
  readonly prompt: string;
  /** Default: the turn's own. */
  readonly model?: ChatModel;
}

/** A turn that broke off, as far as it is on record. */
export interface BegunTurn {
  /** Its own answer so far. */
  readonly parts: readonly PartBody[];
  /** The calls of its last step that run now; the others have an outcome. */
  readonly calls: readonly ToolRequest[];
}

/** What the model sees of a tool. */
export interface ToolCard {
  readonly id: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
  readonly kind: ToolKind;
}

/** Hooks that may change a turn between its requests. A hook that throws fails the turn visibly. */
export interface TurnHooks {
  /** Runs before every request to the model, including the first, but not before retries. */
  beforeStep?(step: NextStep): Promise<StepChange | undefined> | StepChange | undefined;
}

/** The next request as it would be sent. */
export interface NextStep {
  /** 1 for the turn's first request. */
  readonly number: number;
  /** The session and the turn's own messages so far. */
  readonly messages: readonly HistoryMessage[];
  readonly tools: readonly ToolCard[];
  readonly signal: AbortSignal;
}

/** Changes that apply from this request on. */
export interface StepChange {
  /** Compaction: replaces all messages so far, including the turn's own. */
  readonly history?: readonly HistoryMessage[];
  /** Join the turn's stream before the request: the outcome of a review that the user answered. */
  readonly chunks?: readonly Chunk[];
  /** Steering: messages the user sent during the turn, appended after everything so far. */
  readonly userMessages?: readonly HistoryMessage[];
  /** Additional tools. A tool with an id that is already in use is ignored. */
  readonly tools?: readonly ToolCard[];
}
