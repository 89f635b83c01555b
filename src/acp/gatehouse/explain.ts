import type { Explained } from '../../base/tools/explained.ts';
import {
  anything,
  list,
  number,
  object,
  optional,
  type Parser,
  record,
  string,
  text,
  withDefault,
} from './parse.ts';

/** A call to evaluate without running it. */
export interface ExplainedCall {
  /** Default: evaluates by the configuration alone. */
  readonly sessionId?: string;
  readonly tool: string;
  readonly input?: unknown;
}

type RuleWords = NonNullable<Explained['rule']>;

const parseRuleWords = object<RuleWords>({
  permission: string,
  pattern: string,
  action: string,
  source: optional(string),
  origin: optional(
    object<NonNullable<RuleWords['origin']>>({ layer: string, file: optional(string) }),
  ),
});

const parseSubjects = list(
  object<Explained['subjects'][number]>({
    permission: string,
    target: string,
    decision: string,
    rule: optional(parseRuleWords),
    reason: optional(string),
  }),
);

export const parseExplainedCall: Parser<ExplainedCall> = object<ExplainedCall>({
  sessionId: optional(string),
  tool: string,
  input: optional(anything),
});

export const parseExplained: Parser<Explained> = object<Explained>({
  decision: string,
  layer: string,
  reason: string,
  rule: optional(parseRuleWords),
  subjects: parseSubjects,
  near: optional(string),
  candidates: optional(
    list(object<NonNullable<Explained['candidates']>[number]>({ rules: list(parseRuleWords) })),
  ),
  problems: optional(
    list(object<NonNullable<Explained['problems']>[number]>({ index: number, message: string })),
  ),
});

/** Whose decisions to list. */
export interface DecisionsQuery {
  readonly sessionId: string;
  /** Only those about this call, with the rules in force. */
  readonly toolCallId?: string;
}

export interface DecisionList {
  /** The newest, at most 2,000, oldest first. */
  readonly decisions: readonly LoggedDecision[];
  /** How many older ones are in the log. */
  readonly older: number;
  /** How many lines of the log can't be read. */
  readonly damaged: number;
}

/** A decision of the past, as the log has it: with secrets replaced. */
export interface LoggedDecision {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly toolCallId: string;
  readonly tool: string;
  /** `call`, or `touch`: something that a running call reached. */
  readonly about: string;
  /** How it was settled: `allow`, `deny`, `refuse` or `cancel`. */
  readonly decision: string;
  /** Who settled it. */
  readonly by: string;
  readonly layer: string;
  readonly reason: string;
  readonly rule?: RuleWords;
  readonly userReason?: string;
  readonly subjects: Explained['subjects'];
  readonly paths: readonly string[];
  readonly durationMs: number;
  /** The hashes of the rules in force, by where they are from. */
  readonly rules: Readonly<Record<string, unknown>>;
  /** Those rules, except the shipped ones; at most 500. */
  readonly inForce?: readonly RuleWords[];
}

export const parseDecisionsQuery: Parser<DecisionsQuery> = object<DecisionsQuery>({
  sessionId: text,
  toolCallId: optional(text),
});

export const parseLoggedDecision: Parser<LoggedDecision> = object<LoggedDecision>({
  at: number,
  toolCallId: string,
  tool: string,
  about: string,
  decision: string,
  by: string,
  layer: string,
  reason: string,
  rule: optional(parseRuleWords),
  userReason: optional(string),
  subjects: parseSubjects,
  paths: withDefault(list(string), []),
  durationMs: number,
  rules: withDefault(record, {}),
  inForce: optional(list(parseRuleWords)),
});

export const parseDecisionList: Parser<DecisionList> = object<DecisionList>({
  decisions: list(parseLoggedDecision),
  older: number,
  damaged: number,
});
