import type { Outcome } from '../base/outcome.ts';
import type { ToolDisplay } from '../base/stream/chunk.ts';
import type { PlanItem } from '../base/stream/dataChunk.ts';
import type { LanguageAnswer, LanguageQuery } from '../base/tools/languageQuery.ts';
import type { AskAtLimit } from './atLimit.ts';

/** Per-session services for tools, implemented by the host. */
export interface SessionServices {
  readonly id: string;
  /** Replaces the list; the host turns it into the ACP plan. */
  setTodo(items: readonly PlanItem[]): void;
  /** Absent when there is no user (spec C-25); undefined when no question can be shown to the user. */
  readonly askQuestions?: (
    questions: readonly Question[],
    signal: AbortSignal,
  ) => Promise<Outcome<readonly (readonly string[])[]> | undefined>;
  readonly askAtLimit?: AskAtLimit;
  /** Asks the editor's language features. Absent: the client has none. */
  readonly askLanguage?: (query: LanguageQuery, signal: AbortSignal) => Promise<LanguageAnswer>;
  /** The text of a skill; fails with what is available. Absent: the session has no skills. */
  readonly loadSkill?: (name: string) => Promise<Outcome<string>>;
  /** Absent: there are no plans, as in a subagent. */
  readonly plan?: PlanServices;
  /** Asks the session's model for an MCP server, past the gate. Absent: there is no model. */
  readonly askModel?: (request: ModelAsk, signal: AbortSignal) => Promise<Outcome<ModelAnswer>>;
  /** Runs a subagent. Absent: there are none. */
  readonly runTask?: (request: TaskRequest, signal: AbortSignal) => Promise<Outcome<TaskResult>>;
  /** Publishes progress of the running call: a terminal, a location or text. */
  progress(display: ToolDisplay): void;
  /** Increments a counter of the session, such as its `web_search` calls, and returns it. */
  count(name: string): number;
  /**
   * Finds tools that are not offered yet. Those found are offered from the next step on. Absent: there is
   * no session that would keep them.
   */
  readonly searchTools?: (query: string) => Promise<readonly ToolMatch[]>;
  /** What the model that reads the results takes for a million tokens. Absent: no model reads them. */
  readonly inputPrice?: InputPrice;
  /** The configured search providers, in a fixed order; absent when there are none. */
  readonly searchProviders?: () => Promise<readonly SearchProvider[]>;
}

/** How a session shows a plan to the user, and what their approval does. */
export interface PlanServices {
  /** The name of the plan as a document. No file is there. Absolute. */
  readonly file: string;
  /** The user has approved the plan of the running call. Resolves when that is stored. */
  approve(signal: AbortSignal): Promise<void>;
}

/** US dollars for a million tokens of input; undefined: unknown. */
export interface InputPrice {
  readonly perMillion: number | undefined;
}

/** A tool that a search found (spec CS-54). */
export interface ToolMatch {
  readonly id: string;
  readonly description: string;
}

/** One search provider as the user configured it (spec C-29, spec decision 24). */
export interface SearchProvider {
  readonly id: 'searxng' | 'brave' | 'tavily';
  readonly baseUrl: string;
  readonly apiKey?: string;
}

export interface Question {
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multi_select?: boolean;
  /** The MCP server that asks. Absent: the agent. */
  readonly from?: string;
}

/** What an MCP server asks the session's model. */
export interface ModelAsk {
  /** The server's name in rules. */
  readonly server: string;
  /** Its name as configured. */
  readonly written: string;
  /** What the server is besides its name, if a workspace brings it. */
  readonly identity?: string;
  readonly system: string;
  readonly messages: readonly ModelWords[];
  readonly maxTokens: number;
  /** It prefers a quick or cheap model to a clever one. */
  readonly small: boolean;
}

export interface ModelWords {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** `isCut`: the answer has reached its length limit. */
export interface ModelAnswer {
  readonly text: string;
  readonly model: string;
  readonly isCut: boolean;
}

/** A piece of work for a subagent. The names are those of the tool's arguments (spec CS-22). */
export interface TaskRequest {
  /** The name of its agent. */
  readonly subagent_type: string;
  readonly prompt: string;
  readonly background?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** `output`: its last answer; `session_id`: it runs in the background, or can be looked at (spec CS-31). */
export interface TaskResult {
  readonly output?: string;
  readonly session_id?: string;
}
