import type { Outcome } from '../base/outcome.ts';
import type { ToolKind } from '../base/tools/toolKind.ts';
import type { RequirementSet } from '../permissions/rules/requirements.ts';
import type { Subject } from '../permissions/rules/subject.ts';
import type { Limits, Runtime } from '../runtime/runtime.ts';

/** One tool: locked, agent-specific, MCP or declared (C-1). Only `callTool` runs it. */
export interface Tool<Args = unknown, Data = unknown> {
  readonly id: string;
  readonly kind: ToolKind;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
  readonly requires: RequirementSet;
  /**
   * Judges the arguments in place of the standard check: for foreign schemas, whose dialect and
   * patterns need care. What is wrong, or undefined when they fit.
   */
  check?(input: unknown): string | undefined;
  /** How a failure reaches the model: `{"error": text}` (decision 44); absent: the envelope (C-43). */
  readonly failureContent?: 'error';
  /** `ask`: every call asks, whatever rule allows it, and none runs headless; `user`: the latter alone (D-25). */
  readonly confirmation?: 'ask' | 'user';
  /** What this call would touch, before it runs. Pure, and never empty. */
  subjects(args: Args): readonly [Subject, ...Subject[]];
  /** One line for a person: the command, the path, the query. Default: the id. */
  title?(args: Args): string;
  /** What the user is shown before the ask, and may alter. Reads only. */
  preview?(args: Args, runtime: Runtime): Promise<Outcome<Preview>>;
  /**
   * Milliseconds after which a call counts as hung; `limits.toolTimeoutMs` when absent. Infinity
   * for a call that waits for a person.
   */
  hangAfterMs?(args: Args, limits: Limits): number;
  /** What of the result the model sees at once (C-44); 200 KB when absent. */
  readonly output?: OutputLimit;
  /** Where relative targets of this call start, as the model wrote it. Default: the session's root. */
  cwd?(args: Args): string | undefined;
  /** Runs the call. With `approved`, a file that changed since `baseHash` is a conflict. */
  execute(args: Args, runtime: Runtime, approved?: Preview): Promise<Outcome<Data>>;
}

/** Exactly at the limit is whole (CA-10). */
export interface OutputLimit {
  /** UTF-8 bytes of the text shown. */
  readonly bytes?: number;
  /** The list in the data that is counted, shown as one entry a line when it is cut (CA-11). */
  readonly list?: { readonly key: string; readonly entries: number };
  /** The text in the data that is cut; the JSON of all data when absent. */
  readonly text?: string;
}

export interface Preview {
  readonly kind: 'diff';
  /** Absolute path. */
  readonly path: string;
  /** SHA-256 of the file's bytes when the preview was made; of nothing for a new file. */
  readonly baseHash: string;
  /** Absent for a new file. */
  readonly oldText?: string;
  readonly newText: string;
}
