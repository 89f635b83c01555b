export type Action = 'allow' | 'ask' | 'deny';
export type Scope = 'manifest' | 'project' | 'session';

/** A stored rule (spec CS-14). The field names are normative. */
export interface Rule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: Action;
  readonly source: Scope;
  /** Milliseconds since the epoch; missing = oldest (spec decision 2). */
  readonly added_at?: number;
  /** Where the rule is stored, so that a prompt can open it. */
  readonly origin?: RuleOrigin;
  /**
   * The options that an allow for a command permits: `-n:` takes a value, `--x=` may have one, `-#`
   * is a number, `!` means no operands. Absent: any options. Only the shipped rules have this.
   */
  readonly flags?: string;
  /**
   * The rule is invalid. It turns an allow that it may match into an ask, and has no other effect
   * (spec decision 8).
   */
  readonly broken?: true;
}

export interface RuleOrigin {
  readonly layer: 'default' | 'user' | 'workspace' | 'folder' | 'manifest' | 'session' | 'file';
  readonly file?: string;
  readonly folder?: string;
  readonly index: number;
}
