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
  /** Where the rule was written, so that a prompt can lead there. */
  readonly origin?: RuleOrigin;
  /**
   * Only with these options does an allow on a command hold: `-n:` takes a value, `--x=` may have
   * one, `-#` is a number, `!` says that there are no operands. Absent: with any. Only the shipped rules have it.
   */
  readonly flags?: string;
  /** The rule could not be read: it turns an allow it may match into an ask, nothing else (spec decision 8). */
  readonly broken?: true;
}

export interface RuleOrigin {
  readonly layer: 'default' | 'user' | 'workspace' | 'folder' | 'manifest' | 'session' | 'file';
  readonly file?: string;
  readonly folder?: string;
  readonly index: number;
}
