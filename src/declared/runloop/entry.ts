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
  readonly budget: { readonly tokens?: number };
  readonly requiresConfirmation: boolean;
  readonly tags: readonly string[];
  readonly bundle: Bundle;
}
