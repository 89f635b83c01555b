import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { ModelRef } from '../../../agent/models/provider.ts';
import type { AgentDefinition } from '../../../agentDefinitions/definition.ts';
import type { Outcome } from '../../../base/outcome.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { MessageMetadata, StoredMessage } from '../../../base/stream/stored.ts';
import type { UnfinishedTurn } from '../../../base/stream/unfinished.ts';
import type { HostServices } from '../../services/hostServices.ts';
import type { SessionGuidance } from '../prompt/sessionGuidance.ts';
import type { CallReview, ToolSession } from '../tools/callContext.ts';
import type { PlanApproval } from './planApproval.ts';
import type { SessionTitle } from './sessionTitle.ts';

/** The part of a session that turns and drivers use. */
export interface TurnSession extends ToolSession {
  /** The session's root; it never changes (spec CS-5). Absolute. */
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  /** The agent it runs as; constant during a turn. */
  readonly definition: AgentDefinition;
  /** The model of its next turn; undefined if none is set. */
  readonly modelRef: ModelRef | undefined;
  /**
   * Rereads the definition of the session's agent, or of the one that a turn to be continued began as. The
   * error says why there is none.
   */
  loadAgent(begunAs?: string): Promise<Outcome<AgentDefinition>>;
  /** An agent that others may use. The error lists those that there are. */
  findSubagent(name: string): Promise<Outcome<AgentDefinition>>;
  /** Leaves the mode Autopilot, and tells the client, if the sandbox is not proven any more. */
  checkApproval(): Promise<void>;
  readonly title: string | undefined;
  setTitle(title: string): void;
  readonly titles: Pick<SessionTitle, 'cut' | 'answered'>;
  readonly review: TurnReview;
  readonly guidance: SessionGuidance;
  readonly plan: PlanApproval;
  /** Prompts that the user puts into the running turn. */
  readonly prompts: SteeredPrompts;
  /** The error of each tool's last call, for the Tools view. */
  readonly lastErrors: Map<string, string>;
}

export interface SteeredPrompt {
  readonly id: string;
  readonly blocks: readonly ContentBlock[];
}

export interface SteeredPrompts {
  readonly steered: readonly SteeredPrompt[];
  take(ids: readonly string[]): void;
}

/** What turns use of the session's review. */
export interface TurnReview extends CallReview {
  turnStarted(): void;
  takeOutcomes(storeNow: (chunk: Chunk) => void): readonly Chunk[];
  turnEnded(): void;
}

/** Runs one turn of a session: the built-in loop, or a hosted agent. */
export interface TurnDriver {
  /** Stored with the turn's message: the model, the digest of the system prompt. */
  readonly metadata: MessageMetadata;
  /** The context window of the agent's model in tokens; 0 when unknown. */
  readonly contextTokens: number;
  /**
   * The turn as a stream of chunks. It ends with `finish`, or with `abort` when the signal fired. An
   * `error` chunk before `finish` describes what went wrong.
   */
  run(turn: DriverTurn): AsyncIterable<Chunk>;
}

export interface DriverTurn {
  /** The session before this turn, the user's message last. */
  readonly messages: readonly StoredMessage[];
  /** A turn that broke off with an earlier process, to be continued. */
  readonly unfinished?: UnfinishedTurn;
  /** The turn only compacts the session; `focus`: what the user wants the summary to keep. */
  readonly compact?: { readonly focus?: string };
  readonly signal: AbortSignal;
  /**
   * Call between two steps: stores the prompts that the user put into the turn, in its order, and returns
   * them. What comes after is a message of its own.
   */
  takeSteered(): readonly StoredMessage[];
  /** Stores a chunk before the stream delivers it. Throws when it cannot be stored. */
  storeNow(chunk: Chunk): void;
  /**
   * Resolves when everything so far is stored; undefined when it is, as nearly always. Nothing may run
   * before that is on record as running. Rejects when it cannot be stored.
   */
  stored(): Promise<void> | undefined;
}

/**
 * Prepares a driver for one turn, before the prompt is stored. Rejects with a request error for what
 * the user must fix, such as a missing model.
 */
export type OpenDriver = (services: HostServices, session: TurnSession) => Promise<TurnDriver>;
