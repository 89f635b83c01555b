import type { Clock } from '../base/clock.ts';
import type { Chunk } from '../base/stream/chunk.ts';
import type { Envelope } from '../base/stream/envelope.ts';
import type { StoredMessage } from '../base/stream/stored.ts';
import type { ToolKind } from '../base/tools/toolKind.ts';
import type { Limits } from '../runtime/limits.ts';
import type { ToolRequest } from '../tools/call.ts';
import type { HistoryMessage } from './history.ts';
import type { ChatModel } from './model.ts';

/** Everything one turn depends on. The loop keeps nothing between turns. */
export interface Turn {
  /** Made by `createModel`; a string would go to a hosted gateway. */
  readonly model: ChatModel;
  readonly system: string;
  /** The session so far, the user's new message last. */
  readonly messages: readonly StoredMessage[];
  readonly tools: readonly ToolCard[];
  /** False when the model reads no images: they are only named to it. */
  readonly images: boolean;
  /** Runs one call through the gate; what it emits joins the turn's stream at once. */
  call(request: ToolRequest, emit: (chunk: Chunk) => void): Promise<Envelope>;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly hooks?: TurnHooks;
}

/** What the model is told of a tool. */
export interface ToolCard {
  readonly id: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
  readonly kind: ToolKind;
  /** Failures reach the model as `{"error": text}` (spec decision 44). */
  readonly failureContent?: 'error';
}

/** What others may do to a turn between its requests. A hook that throws fails the turn visibly. */
export interface TurnHooks {
  /** Runs before each request of the model, the first one too; not before its retries. */
  beforeStep?(step: NextStep): Promise<StepChange | undefined> | StepChange | undefined;
}

/** The request that comes next, as it would be made. */
export interface NextStep {
  /** 1 for the turn's first request. */
  readonly number: number;
  /** The session and what the turn itself brought so far. */
  readonly messages: readonly HistoryMessage[];
  readonly tools: readonly ToolCard[];
  readonly signal: AbortSignal;
}

/** What changes from this request on. */
export interface StepChange {
  /** Compaction: stands for all messages so far, the turn's own included. */
  readonly history?: readonly HistoryMessage[];
  /** Steering: what the user wrote meanwhile, behind everything so far. */
  readonly userMessages?: readonly HistoryMessage[];
  /** Tools the model may use from now on; one whose id is taken is left out. */
  readonly tools?: readonly ToolCard[];
}
