import type { Outcome } from '../base/outcome.ts';
import type { Operation } from '../gate/operation.ts';
import type { Preview } from '../gate/preview.ts';
import type { RequirementSet } from '../permissions/rules/requirements.ts';
import type { Limits } from '../runtime/limits.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** One tool: locked, agent-specific, MCP or declared (spec C-1). Only `callTool` runs it. */
export interface Tool<Args = unknown, Data = unknown> extends Operation<Args> {
  readonly description: string;
  readonly requires: RequirementSet;
  /** How a failure reaches the model: `{"error": text}` (spec decision 44); absent: the envelope (spec C-43). */
  readonly failureContent?: 'error';
  /** What the user is shown before the ask, and may alter. Reads only. */
  preview?(args: Args, runtime: Runtime): Promise<Outcome<Preview>>;
  /**
   * Milliseconds after which a call counts as hung; `limits.toolTimeoutMs` when absent. Infinity
   * for a call that waits for a person.
   */
  hangAfterMs?(args: Args, limits: Limits): number;
  /** How much of the result the model sees at once (spec C-44, C-48); 200 KB when absent. */
  output?(limits: Limits): OutputLimit;
  /**
   * Runs the call. With `approved`, exactly those changes are made: a file that was left out stays as it
   * is, and one whose bytes no longer match `beforeHash` is a conflict before anything is written.
   */
  execute(args: Args, runtime: Runtime, approved?: Preview): Promise<Outcome<Data>>;
}

/** Exactly at the limit is whole (spec CA-10). */
export interface OutputLimit {
  /** UTF-8 bytes of the text shown. */
  readonly bytes?: number;
  /** The list in the data that is counted, shown as one entry a line when it is cut (spec CA-11). */
  readonly list?: { readonly key: string; readonly entries: number };
  /** The text in the data that is cut; the JSON of all data when absent. */
  readonly text?: string;
}
