import type { Outcome } from '../base/outcome.ts';
import type { ToolKind } from '../base/toolKind.ts';
import type { RequirementSet } from '../permissions/requirements.ts';
import type { Subject } from '../permissions/subject.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** One tool: locked, agent-specific, MCP or declared (C-1). Only `callTool` runs it. */
export interface Tool<Args = unknown, Data = unknown> {
  readonly id: string;
  readonly kind: ToolKind;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
  readonly requires: RequirementSet;
  /** What this call would touch, before it runs. Pure, and never empty. */
  subjects(args: Args): readonly [Subject, ...Subject[]];
  /** One line for a person: the command, the path, the query. Default: the id. */
  title?(args: Args): string;
  /** What the user is shown before the ask, and may alter. Reads only. */
  preview?(args: Args, runtime: Runtime): Promise<Outcome<Preview>>;
  /** Runs the call. With `approved`, a file that changed since `baseHash` is a conflict. */
  execute(args: Args, runtime: Runtime, approved?: Preview): Promise<Outcome<Data>>;
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
