import type { Chunk } from '../base/chunk.ts';
import type { Clock } from '../base/clock.ts';
import type { Envelope } from '../base/envelope.ts';
import type { StoredMessage } from '../base/stored.ts';
import type { ToolKind } from '../base/toolKind.ts';
import type { Limits } from '../runtime/runtime.ts';
import type { ToolRequest } from '../tools/call.ts';
import type { ChatModel } from './model.ts';

/** Everything one turn depends on. The loop keeps nothing between turns. */
export interface TurnView {
  /** Made by `createModel`; a string would go to a hosted gateway. */
  readonly model: ChatModel;
  readonly system: string;
  /** The session so far, the user's new message last. */
  readonly messages: readonly StoredMessage[];
  readonly tools: readonly ToolCard[];
  /** Runs one call through the gate; what it emits joins the turn's stream at once. */
  call(request: ToolRequest, emit: (chunk: Chunk) => void): Promise<Envelope>;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** What the model is told of a tool. */
export interface ToolCard {
  readonly id: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: object;
  readonly kind: ToolKind;
}
