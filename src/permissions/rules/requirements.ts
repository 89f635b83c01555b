/**
 * The capabilities that a tool or agent requires (spec C-33 … C-37). Patterns may contain
 * `{workspace}`, `{ad-hoc}` and `{user-data}`. An absent family requires nothing.
 */
export interface RequirementSet {
  readonly fs?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  readonly net?: { readonly hosts?: readonly string[] };
  readonly shell?: readonly ShellRequirement[];
  readonly capabilities?: readonly string[];
}

export interface ShellRequirement {
  /** The name of an executable; `*` means any program (only in the host's own sets). */
  readonly cmd: string;
  /** Patterns for argv[1..], in order. Absent: any arguments (spec CA-18). */
  readonly args?: readonly ArgPattern[];
}

export type ArgPattern = string | { readonly wildcard: true } | { readonly prefix: string };

/** A family in which a tool takes its agent's scope, without patterns of its own (spec C-10). */
export type CapabilityFamily = 'fs.read' | 'fs.write' | 'net' | 'shell';

/** What a tool requires: patterns of its own, and whole families. */
export interface ToolRequirements extends RequirementSet {
  readonly families?: readonly CapabilityFamily[];
}

/** What a session may do: what the set itself grants, as far as `within` grants it too. */
export interface CapabilitySet extends RequirementSet {
  /** The set of the session that started this one. */
  readonly within?: CapabilitySet;
  /** Grants every host, private addresses too; the rules still decide about each. */
  readonly anyHost?: true;
  /**
   * Asks about a file outside the set that a command line names, instead of refusing the line. No
   * rule with wildcards lifts that ask.
   */
  readonly asksOutside?: true;
  /** Why the set grants reading only: a sentence that refusals of anything else end with. */
  readonly readOnly?: string;
}
