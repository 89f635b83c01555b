import type { Outcome } from '../base/outcome.ts';
import type { Operation } from '../gate/operation.ts';
import type { Preview } from '../gate/preview.ts';
import type { ToolRequirements } from '../permissions/rules/requirements.ts';
import type { Limits } from '../runtime/limits.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** One tool: locked, agent-specific, MCP or declared (spec C-1). Only `callTool` runs it. */
export interface Tool<Args = unknown, Data = unknown> extends Operation<Args> {
  readonly description: string;
  /** The id under which stored rules, settings and agent definitions may name it. */
  readonly formerId?: string;
  readonly requires: ToolRequirements;
  /** The model needs the list of skills to use it. */
  readonly loadsSkills?: true;
  /** How a failure reaches the model: `{"error": text}` (spec decision 44); absent: the envelope (spec C-43). */
  readonly failureContent?: 'error';
  /** Computes the proposal that the user reviews and may change. Reads only. */
  preview?(args: Args, runtime: Runtime): Promise<Outcome<Preview>>;
  /**
   * Milliseconds after which a call counts as hung; default `limits.toolTimeoutMs`. Infinity for a
   * call that waits for the user.
   */
  hangAfterMs?(args: Args, limits: Limits): number;
  /** How much of the result the model sees at once (spec C-44, C-48); 200 KB when absent. */
  output?(limits: Limits): OutputLimit;
  /**
   * Runs the call. With `approved`, makes exactly those changes: omitted files stay unchanged, and a
   * file whose bytes no longer match `beforeHash` is a conflict before anything is written.
   */
  execute(args: Args, runtime: Runtime, approved?: Preview): Promise<Outcome<Data>>;
}

/** A result exactly at the limit is not truncated (spec CA-10). */
export interface OutputLimit {
  /** UTF-8 bytes of the text shown. */
  readonly bytes?: number;
  /** The list whose entries are counted; a truncated list is returned with one entry per line (spec CA-11). */
  readonly list?: { readonly key: string; readonly entries: number };
  /** The text field that is truncated; default: the JSON of all data. */
  readonly text?: string;
}
