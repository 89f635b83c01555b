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
