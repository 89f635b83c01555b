/**
 * What a tool or agent asks for (spec C-33 … C-37). Patterns may hold `{workspace}`, `{ad-hoc}` and
 * `{user-data}`. A family that is absent asks for nothing.
 */
export interface RequirementSet {
  readonly fs?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  readonly net?: { readonly hosts?: readonly string[] };
  readonly shell?: readonly ShellRequirement[];
  readonly capabilities?: readonly string[];
}

export interface ShellRequirement {
  /** An executable's name; `*` is any program (only in a host's own sets). */
  readonly cmd: string;
  /** Ordered patterns against argv[1..]; absent = any arguments (spec CA-18). */
  readonly args?: readonly ArgPattern[];
}

export type ArgPattern = string | { readonly wildcard: true } | { readonly prefix: string };
