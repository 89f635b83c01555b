import type { ModelFault, ToolDisplay } from './chunk.ts';
import type { Usage } from './stored.ts';

/**
 * Events of a turn other than text and calls. `transient` events are sent but not stored, because
 * they are counted elsewhere or sent again when the session is opened.
 */
export type DataChunk =
  | ({
      /** Always the whole task list; replaces the previous one with the same id. */
      readonly type: 'data-plan';
      readonly id: string;
      readonly data: Plan;
    } & Foreign)
  | {
      /** A compaction starts, progresses or ends. Its fields update those of the same id. */
      readonly type: 'data-compaction';
      /** Unique in the session. */
      readonly id: string;
      readonly data: Compaction;
    }
  | {
      /** The user answered the review of changes that waited; the model is told with the next request. */
      readonly type: 'data-review';
      readonly id: string;
      readonly data: ReviewRecord;
    }
  | Announcement<'data-mode', Mode>
  | Announcement<'data-commands', Commands>
  | Announcement<'data-config', Config>
  | Announcement<'data-context', ContextFill>
  | {
      /** Usage of one model request; the recorder adds it to the message and the session. */
      readonly type: 'data-usage';
      readonly data: Usage;
      /** The request was not the conversation's own, but one about it: a summary. */
      readonly aside?: true;
      /** US dollars; absent when the price is unknown. */
      readonly cost?: number;
      /** US dollars of the session so far, with this request. */
      readonly sessionCost?: number;
      readonly transient: true;
    }
  | { readonly type: 'data-retry'; readonly data: Retry; readonly transient: true }
  | {
      /**
       * A hosted agent's update without a chunk type of its own: stored and forwarded unchanged.
       */
      readonly type: 'data-acp-update';
      /** In the history, an update replaces the previous one with the same id. */
      readonly id?: string;
      /** ACP's `SessionUpdate`. */
      readonly data: Readonly<Record<string, unknown>>;
      readonly transient?: true;
    };

interface Announcement<Type, Data> extends Foreign {
  readonly type: Type;
  readonly data: Data;
  readonly transient: true;
}

interface Foreign {
  /**
   * A hosted agent's original update when it contains more than `data`; it is forwarded instead.
   */
  readonly update?: Readonly<Record<string, unknown>>;
}

export interface Plan {
  readonly items: readonly PlanItem[];
}

export interface PlanItem {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** Default: `medium`. */
  readonly priority?: 'high' | 'medium' | 'low';
}

export interface Compaction {
  readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled';
  /** Replaces the summary. */
  readonly summary?: string;
  /** Appended to the summary. */
  readonly summaryDelta?: string;
  /** The error message for the user. */
  readonly error?: string;
  /** The next request would have been too large; absent when the user asked for it. */
  readonly auto?: true;
  /** How many messages the summary stands for in requests. */
  readonly messages?: number;
  /** How many outputs of calls are left out of requests. */
  readonly outputs?: number;
  /** The summary's length, estimated (spec CS-48). */
  readonly summary_tokens?: number;
  /**
   * The first message that requests still hold as it was (spec CS-86). Absent when everything before
   * this part is compacted.
   */
  readonly tail_start_id?: string;
  /** The number of messages from there to the one that holds this part; copies have other ids. */
  readonly tail_messages?: number;
  /** Of the message that holds this part, the step from which requests hold it, 1-based; 0 for all of it. */
  readonly tail_start_step?: number;
  /** Outputs of calls in what requests still hold are cut to so many characters. */
  readonly tail_output_characters?: number;
}

/** What became of the changes that waited for a review, and are not the result of one call. */
export interface ReviewRecord {
  /** Unique in the session; the card's id. */
  readonly id: string;
  /** What the model is told. */
  readonly text: string;
  readonly display: ToolDisplay;
  /** The user rejected all of it. */
  readonly denied?: true;
  /** Something that the user approved is not on disk. */
  readonly failed?: true;
}

export interface Mode {
  readonly modeId: string;
}

/** The agent's current slash commands. */
export interface Commands {
  readonly commands: readonly SlashCommand[];
}

export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** A hint for the input after the name; absent when the command takes none. */
  readonly hint?: string;
}

/** All options of the session with their current values. */
export interface Config {
  readonly options: readonly ConfigOption[];
}

export type ConfigOption = ConfigField &
  (
    | {
        readonly type: 'select';
        readonly value: string;
        readonly choices: readonly ConfigChoice[];
      }
    | { readonly type: 'boolean'; readonly value: boolean }
  );

interface ConfigField {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** ACP's `mode`, `model`, … */
  readonly category?: string;
}

export interface ConfigChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

/** Context usage in tokens, as a hosted agent counts it. */
export interface ContextFill {
  readonly used: number;
  readonly size: number;
  /** Cost of the session so far. */
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** The model request failed; the turn waits before it retries. */
export interface Retry {
  /** The attempt that failed, 1-based. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Start of the next attempt, in milliseconds since the epoch. */
  readonly at: number;
  readonly reason: string;
  /** Why it failed. */
  readonly kind: ModelFault['kind'];
}
