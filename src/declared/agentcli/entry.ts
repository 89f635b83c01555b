import type { EntryBase } from '../manifest/entry.ts';

/** One tool of an agentcli `tools.json`. */
export interface AgentcliEntry extends EntryBase {
  readonly dialect: 'agentcli';
  /** Handed to the model unchanged (spec A-4). */
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
