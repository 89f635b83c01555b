import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import type { Outcome } from '../../../base/outcome.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { MessageMetadata, StoredMessage } from '../../../base/stream/stored.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { ToolSession } from '../tools/callContext.ts';

/** The session as its turns and their drivers see it. */
export interface TurnSession extends ToolSession {
  /** The session's root, fixed (spec CS-5). Absolute. */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** The agent it runs as; the same through a turn. */
  readonly definition: AgentDefinition;
  /** Reads the agent's definition anew; the error says why the session has none. */
  loadAgent(): Promise<Outcome<AgentDefinition>>;
  readonly title: string | undefined;
  setTitle(title: string): void;
  /** What the last call of each tool failed with, for the user's overview. */
  readonly lastErrors: Map<string, string>;
}

/** Runs one turn of a session, whoever the agent is: the built-in loop, or an agent that is hosted. */
export interface TurnDriver {
  /** Goes with the turn's message: the model, the digest of a system prompt. */
  readonly metadata: MessageMetadata;
  /** Tokens that the agent's model can hold; 0 when nobody says. */
  readonly contextTokens: number;
  /**
   * The turn as a stream of chunks. It ends in `finish`, or in `abort` when the signal fired; an `error`
   * chunk before `finish` says what went wrong.
   */
  run(turn: DriverTurn): AsyncIterable<Chunk>;
}

export interface DriverTurn {
  /** The session so far, the user's new message last. */
  readonly messages: readonly StoredMessage[];
  readonly signal: AbortSignal;
  /** Stores a chunk before the stream brings it; throws when it cannot be stored. */
  storeNow(chunk: Chunk): void;
}

/**
 * Gets a driver ready for one turn, before the prompt is stored. Rejects with a request error for what
 * the user must act on, such as a missing model.
 */
export type OpenDriver = (services: HostServices, session: TurnSession) => Promise<TurnDriver>;
