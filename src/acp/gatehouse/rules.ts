import { list, number, object, optional, type Parser, parseOneOf, string, text } from './parse.ts';

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
}

/** A rule that the user's undo removed. */
export interface DropRule {
  readonly rule: WireRule;
  /** The session that stored it. */
  readonly sessionId?: string;
  /** The settings file that it was saved to. */
  readonly file?: string;
}

export const parseRule: Parser<WireRule> = object<WireRule>({
  permission: string,
  pattern: string,
  action: parseOneOf('allow', 'ask', 'deny'),
  added_at: optional(number),
});

export const parseRules = list(parseRule);

export const parseOrigin: Parser<WireOrigin> = object<WireOrigin>({
  layer: string,
  file: optional(string),
  folder: optional(string),
  index: optional(number),
});

export const parseDropRule: Parser<DropRule> = object<DropRule>({
  rule: parseRule,
  sessionId: optional(text),
  file: optional(text),
});
