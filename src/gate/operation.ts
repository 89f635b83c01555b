import type { ToolKind } from '../base/tools/toolKind.ts';
import type { Subject } from '../permissions/rules/subject.ts';

/** A side effect that the gate decides on, whoever carries it out: a tool of ours, a hosted agent, a hook. */
export interface Operation<Args = unknown> {
  /** The name that rules use. */
  readonly id: string;
  readonly kind: ToolKind;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
  /**
   * Validates the arguments in place of the standard check: for foreign schemas, whose dialect and
   * patterns need care. What is wrong, or undefined when they fit.
   */
  check?(input: unknown): string | undefined;
  /** `ask`: every call asks, whatever rule allows it, and none runs headless; `user`: the latter alone (spec D-25). */
  readonly confirmation?: 'ask' | 'user';
  /** What this call would touch, before it runs. Pure, and never empty. */
  subjects(args: Args): readonly [Subject, ...Subject[]];
  /** One line for a person: the command, the path, the query. Default: the id. */
  title?(args: Args): string;
  /** Where command lines of this call start, as the model wrote it. Default: the session's root. */
  cwd?(args: Args): string | undefined;
}
