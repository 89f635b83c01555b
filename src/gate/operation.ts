import type { ToolKind } from '../base/tools/toolKind.ts';
import type { Subject } from '../permissions/rules/subject.ts';

/**
 * An operation that the gate decides about, whoever runs it: a tool of ours, a hosted agent (spec CS-75), a
 * hook. Of the environments, only the user's computer is built (spec CS-64).
 */
export interface Operation<Args = unknown> {
  /** The name that rules use. */
  readonly id: string;
  readonly kind: ToolKind;
  /**
   * Of a tool that the workspace brings: what it is, besides its name. Another tool of the same name has another one. A
   * rule of the user settings that names it only allows it if it was stored for this one.
   */
  readonly identity?: string;
  /** JSON Schema of the arguments. */
  readonly parameters: object;
  /**
   * Replaces the standard validation, for foreign schemas, which may take any time. Resolves to an error
   * message, or undefined when the arguments are valid.
   */
  check?(input: unknown, signal?: AbortSignal): Promise<string | undefined>;
  /** `ask`: every call asks, whatever rule allows it, and none runs headless; `user`: only the latter (spec D-25). */
  readonly confirmation?: 'ask' | 'user';
  /** Why every call asks, for the user. */
  readonly askReason?: string;
  /** It is asked about while another call runs, so the title of that call is not its own. */
  readonly isAside?: true;
  /** Its only effects are file changes through the runtime, so its ask can be left to a later review. */
  readonly changesFiles?: true;
  /** Whether this call does all that it does in a copy of the workspace when it runs in one. Default: no. */
  runsInCopy?(args: Args): boolean;
  /** Whether this call asks to run without the sandbox, which always asks the user. Default: no. */
  withoutSandbox?(args: Args): boolean;
  /** This call as one that asks to run without the sandbox. Absent: there is none. */
  toUnsandboxed?(args: Args): Args;
  /**
   * Tools that do the same to files: their ask and deny rules for a path apply to this operation too.
   * Their allow rules do not, and neither does the absence of one.
   */
  readonly alsoRuledBy?: readonly string[];
  /** What this call would touch, before it runs. Pure, and never empty. */
  subjects(args: Args): readonly [Subject, ...Subject[]];
  /** One line for the user: the command, the path, the query. Default: the id. */
  title?(args: Args): string;
  /** The cwd of the call's command lines, as the model wrote it. Default: the session's root. */
  cwd?(args: Args): string | undefined;
}
