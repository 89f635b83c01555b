import type { Runtime } from '../../runtime/runtime.ts';
import type { DeclaredOptions } from '../run/options.ts';
import type { RunloopEntry } from './entry.ts';

/** The input of a transport for one call. */
export interface Invocation {
  readonly entry: RunloopEntry;
  readonly args: unknown;
  readonly secrets: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
  readonly options: DeclaredOptions;
}
