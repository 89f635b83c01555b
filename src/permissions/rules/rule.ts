import { toCodeSpan } from '../../base/codeSpan.ts';
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
   * is a number, `!` allows no operands, and `@` only a request to this machine. Absent: any options.
   * Only the shipped rules have this.
   */
  readonly flags?: string;
  /** The rule applies to a file only while that holds a password or token. Only shipped rules have this. */
  readonly credentials?: true;
  /** What the commands do that it asks about; completes "`git push` ". Only shipped rules have this. */
  readonly act?: string;
  /** The rule decides only where no rule of the user's does, as shipped rules do. Only approval modes have this. */
  readonly fallback?: true;
  /**
   * The rule is invalid. It turns an allow that it may match into an ask, and has no other effect
   * (spec decision 8).
   */
  readonly broken?: true;
  /** The tool of the workspace that the user was asked about, of an answer for the session: see `Operation`. */
  readonly identity?: string;
  /** The rule is of one session in a chain of subagents. Absent: it counts for each of them. */
  readonly level?: RuleLevel;
}

/** A call of a subagent is decided for each session of its chain, and the strictest decision holds. */
export interface RuleLevel {
  /** 0 for the session that the user started. */
  readonly at: number;
  /** The number of sessions in the chain. */
  readonly of: number;
}

export interface RuleOrigin {
  readonly layer: 'default' | 'user' | 'workspace' | 'folder' | 'manifest' | 'session' | 'file';
  readonly file?: string;
  readonly folder?: string;
  readonly index: number;
  /** The line in the file when it was read, 1-based; of an agent's manifest only. */
  readonly line?: number;
}

/** Maximum length of a rule in a sentence, in UTF-16 units. */
const SPAN_LIMIT = 40;

/** The rule in a sentence. */
export function toRuleSpan({ permission, pattern }: Pick<Rule, 'permission' | 'pattern'>): string {
  return toCodeSpan(`${permission} ${pattern}`, SPAN_LIMIT);
}

/** Whether two rules say the same in the same scope. */
export function isSameRule(a: Rule, b: Rule): boolean {
  return (
    a.permission === b.permission &&
    a.pattern === b.pattern &&
    a.action === b.action &&
    a.source === b.source
  );
}
