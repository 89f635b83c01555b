import path from 'node:path';
import type { ImportReport, ReportedRule, ReportedSource } from '../../base/tools/importReport.ts';
import {
  boolean,
  decoration,
  integer,
  list,
  matching,
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

/** Which read-only document of rules is wanted. Without fields: the shipped rules. */
export interface RulesQuery {
  /** The rules that only this session has. */
  readonly sessionId?: string;
  /** The allow rules of this settings file of the workspace. */
  readonly file?: string;
  /** With `file`: the rules that had been accepted when one was accepted last. */
  readonly accepted?: boolean;
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
  file: optional(text),
  accepted: optional(boolean),
});

export const parseRulesText: Parser<RulesText> = object<RulesText>({ text: string });

export const parseDropRule: Parser<DropRule> = object<DropRule>({
  rule: parseRule,
  sessionId: optional(text),
  file: optional(text),
});

/** Which rules to list. */
export interface RuleListQuery {
  /** The session whose rules are in force. Default: those of the open folders alone. */
  readonly sessionId?: string;
  /** Only rules with exactly this permission. */
  readonly permission?: string;
  /** Only rules of this settings file: an absolute path. */
  readonly file?: string;
  /** Only rules whose words or place contain this, in any case. */
  readonly text?: string;
  /** Rules to leave out at the start. Default: 0. */
  readonly offset?: number;
  /** The most rules to list. Default: 500, which is also the most. */
  readonly limit?: number;
}

export interface RulesPage {
  /** How many rules there are, on this page and others. */
  readonly total: number;
  /** How many of them have each permission, in the order of the rules. */
  readonly permissions: readonly { readonly permission: string; readonly count: number }[];
  /** In the order in which they count: a rule that can override another comes before it. */
  readonly rules: readonly ListedRule[];
}

/** A rule and what became of it. */
export interface ListedRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
  /** `manifest`, `project` or `session`. */
  readonly source: string;
  readonly origin?: WireOrigin;
  /** How often it decided a call or part of one, in all sessions. */
  readonly hits: number;
  /** Milliseconds since the epoch. */
  readonly lastUsed?: number;
  /**
   * `waiting`: it has no effect until the user accepts it; `broken`: it can't be read, and turns an allow
   * that it may match into an ask.
   */
  readonly state?: 'waiting' | 'broken';
  /** What is wrong with a broken rule. */
  readonly problem?: string;
}

/** The most rules of one page. */
export const RULES_PAGE = 500;

export const parseRuleListQuery: Parser<RuleListQuery> = object<RuleListQuery>({
  sessionId: optional(text),
  permission: optional(string),
  file: optional(string),
  text: optional(string),
  offset: optional(integer(0, Number.MAX_SAFE_INTEGER)),
  limit: optional(integer(0, RULES_PAGE)),
});

export const parseRulesPage: Parser<RulesPage> = object<RulesPage>({
  total: number,
  permissions: list(
    object<RulesPage['permissions'][number]>({ permission: string, count: number }),
  ),
  rules: list(
    object<ListedRule>({
      permission: string,
      pattern: string,
      action: parseOneOf('allow', 'ask', 'deny'),
      source: string,
      origin: optional(parseOrigin),
      hits: number,
      lastUsed: optional(number),
      state: optional(parseOneOf('waiting', 'broken')),
      problem: optional(string),
    }),
  ),
});

/** Where to look for the rules of other products. Nothing is written. */
export interface ImportQuery {
  /** The open folder whose settings are read too, if it is trusted. Absolute. */
  readonly folder?: string;
  /** The user settings of the client, if it is an editor like VS Code. Absolute. */
  readonly userSettings?: string;
}

/** What an import would do. */
export interface ImportPreview extends ImportReport {
  readonly rules: readonly HashedRule[];
  /** The settings of the folder were not read, because it isn't trusted. */
  readonly untrusted?: boolean;
}

export interface HashedRule extends ReportedRule {
  /** Accepts the rule in the settings of a workspace, by `accept`. */
  readonly hash: string;
}

const parseAbsolute = matching(path.isAbsolute, 'Must be an absolute path.');

export const parseImportQuery: Parser<ImportQuery> = object<ImportQuery>({
  folder: optional(parseAbsolute),
  userSettings: optional(parseAbsolute),
});

const REPORTED_RULE = {
  permission: string,
  pattern: string,
  action: parseOneOf('allow', 'ask', 'deny'),
  destination: parseOneOf('user', 'workspace'),
};

const parseSource = object<ReportedSource>({ product: string, path: string });

export const parseImportPreview: Parser<ImportPreview> = object<ImportPreview>({
  searched: list(parseSource),
  files: list(
    object<ImportPreview['files'][number]>({
      source: parseSource,
      entries: number,
      problem: optional(string),
    }),
  ),
  entries: list(
    object<ImportPreview['entries'][number]>({
      source: parseSource,
      written: string,
      action: string,
      rules: list(object<ReportedRule>(REPORTED_RULE)),
      reason: optional(string),
      known: optional(boolean),
    }),
  ),
  rules: list(object<HashedRule>({ ...REPORTED_RULE, hash: string })),
  untrusted: optional(boolean),
});
