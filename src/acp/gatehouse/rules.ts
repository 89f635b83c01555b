import {
  decoration,
  list,
  number,
  object,
  optional,
  type Parser,
  parseOneOf,
  string,
  text,
} from './parse.ts';

/** A rule in the form that both sides store. */
export interface WireRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
  /** Milliseconds since the epoch. */
  readonly added_at?: number;
}

/** The settings file that contains a rule. */
export interface WireOrigin {
  readonly layer: string;
  readonly file?: string;
  readonly folder?: string;
  readonly index?: number;
  /** The line of the rule in the file when that was read, 1-based. */
  readonly line?: number;
}

/** A rule that decided a call, and where it is stored. */
export interface AppliedRule extends WireRule {
  readonly origin?: WireOrigin;
}

/** Which read-only document of rules is wanted: the shipped rules, or those of one session. */
export interface RulesQuery {
  /** Absent: the shipped rules. */
  readonly sessionId?: string;
}

/** The document: JSON with comments. */
export interface RulesText {
  readonly text: string;
}

/** A rule that the user's undo removed. */
export interface DropRule {
  readonly rule: WireRule;
  /** The session that stored it. */
  readonly sessionId?: string;
  /** The settings file that it was saved to. */
  readonly file?: string;
}

const RULE = {
  permission: string,
  pattern: string,
  action: parseOneOf('allow', 'ask', 'deny'),
  added_at: optional(number),
};

export const parseRule: Parser<WireRule> = object<WireRule>(RULE);

export const parseRules = list(parseRule);

export const parseOrigin: Parser<WireOrigin> = object<WireOrigin>({
  layer: string,
  file: optional(string),
  folder: optional(string),
  index: optional(number),
  line: optional(number),
});

export const parseAppliedRule: Parser<AppliedRule> = object<AppliedRule>({
  ...RULE,
  origin: decoration(parseOrigin),
});

export const parseRulesQuery: Parser<RulesQuery> = object<RulesQuery>({
  sessionId: optional(text),
});

export const parseRulesText: Parser<RulesText> = object<RulesText>({ text: string });

export const parseDropRule: Parser<DropRule> = object<DropRule>({
  rule: parseRule,
  sessionId: optional(text),
  file: optional(text),
});
