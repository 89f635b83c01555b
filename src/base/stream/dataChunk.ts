import type { Usage } from './stored.ts';

/**
 * News of a turn beside its text and its calls. What is `transient` is sent and not stored: it is
 * either counted elsewhere or announced again when the session is opened.
 */
export type DataChunk =
  | ({
      /** The whole task list each time: it replaces the one before of the same id. */
      readonly type: 'data-plan';
      readonly id: string;
      readonly data: Plan;
    } & Foreign)
  | {
      /** A compaction begins, goes on or ends. Its fields patch what is known of the same id. */
      readonly type: 'data-compaction';
      /** Unique in the session. */
      readonly id: string;
      readonly data: Compaction;
    }
  | Announcement<'data-mode', Mode>
  | Announcement<'data-commands', Commands>
  | Announcement<'data-config', Config>
  | Announcement<'data-context', ContextFill>
  | {
      /** What one model request used; the recorder adds it to the message and the session. */
      readonly type: 'data-usage';
      readonly data: Usage;
      readonly transient: true;
    }
  | { readonly type: 'data-retry'; readonly data: Retry; readonly transient: true }
  | {
      /** A hosted agent's update that has no chunk of its own: kept whole, and passed on unchanged. */
      readonly type: 'data-acp-update';
      /** Updates of one id replace each other in the history. */
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
  /** A hosted agent's own update, where it says more than `data` does: it is passed on instead. */
  readonly update?: Readonly<Record<string, unknown>>;
}

export interface Plan {
  readonly items: readonly PlanItem[];
}

export interface PlanItem {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** `medium` when absent. */
  readonly priority?: 'high' | 'medium' | 'low';
}

export interface Compaction {
  readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled';
  /** Replaces the summary so far. */
  readonly summary?: string;
  /** Goes behind the summary so far. */
  readonly summaryDelta?: string;
  /** Why it failed, for the user. */
  readonly error?: string;
}

export interface Mode {
  readonly modeId: string;
}

/** The slash commands that the agent knows now. */
export interface Commands {
  readonly commands: readonly SlashCommand[];
}

export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  /** What to type behind the name; absent when it takes nothing. */
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

/** How full the context is, as a hosted agent counts it. Tokens. */
export interface ContextFill {
  readonly used: number;
  readonly size: number;
  /** Of the session so far. */
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** The model did not answer: the turn waits and asks again. */
export interface Retry {
  /** The try that failed, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Milliseconds since the epoch when the next try starts. */
  readonly at: number;
  readonly reason: string;
}
