import type { GoTemplate } from '../compozy/parseTemplate.ts';

export type Dialect = 'agentcli' | 'runloop' | 'compozy';

export const DIALECTS: readonly Dialect[] = ['agentcli', 'runloop', 'compozy'];

interface EntryBase {
  /** As written. */
  readonly id: string;
  /** `<source>_<name>`, what the model calls. */
  readonly importedId: string;
  readonly index: number;
  /** Of the whole entry. */
  readonly pointer: string;
  readonly description: string | undefined;
}

/** One tool of an agentcli `tools.json`. */
export interface AgentcliEntry extends EntryBase {
  readonly dialect: 'agentcli';
  /** Handed to the model unchanged. */
  readonly schema: object | undefined;
  /** As written. */
  readonly command: readonly [string, ...string[]];
  /** Absolute. */
  readonly program: string;
  /** Seconds; 0 = the default. */
  readonly timeoutSec: number;
  /** Upper case, first position kept. */
  readonly envPassthrough: readonly string[];
}

export type RunloopTransport =
  | { readonly kind: 'exec'; readonly command: string; readonly args: readonly string[] }
  | {
      readonly kind: 'http';
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** One attachment of a Runloop `tools.json`. */
export interface RunloopEntry extends EntryBase {
  readonly dialect: 'runloop';
  readonly description: string;
  readonly transport: RunloopTransport;
  readonly inputSchema: object | boolean;
  readonly resultSchema: object | boolean;
  readonly schemaRefs: Readonly<Record<string, unknown>>;
  /** As written: `family[:detail]`. */
  readonly capabilities: readonly string[];
  readonly secrets: readonly string[];
  readonly budget: { readonly tokens?: number; readonly usd?: number };
  readonly requiresConfirmation: boolean;
  readonly tags: readonly string[];
}

/** One Compozy tool: a whole YAML file. */
export interface CompozyEntry extends EntryBase {
  readonly dialect: 'compozy';
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: readonly { readonly name: string; readonly value: GoTemplate }[];
  readonly input: object | undefined;
  readonly output: object | undefined;
  /** Milliseconds; undefined = the project's. */
  readonly timeoutMs: number | undefined;
  readonly with: Readonly<Record<string, unknown>>;
  /** The project's folder, absolute. */
  readonly project: string;
}

export type ToolEntry = AgentcliEntry | RunloopEntry | CompozyEntry;
