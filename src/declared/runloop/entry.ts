import type { EntryBase } from '../manifest/entry.ts';
import type { Bundle } from './parseBundle.ts';

export type RunloopTransport =
  | { readonly kind: 'exec'; readonly command: string; readonly args: readonly string[] }
  | {
      readonly kind: 'http';
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** What the result of one call may take of the model's context: tokens, and US dollars for reading them. */
export interface Budget {
  readonly tokens?: number;
  readonly usd?: number;
}

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
  readonly budget: Budget;
  readonly requiresConfirmation: boolean;
  readonly tags: readonly string[];
  readonly bundle: Bundle;
}
