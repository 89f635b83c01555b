import type { Explained } from '../../base/tools/explained.ts';
import { anything, list, number, object, optional, type Parser, string } from './parse.ts';

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
  subjects: list(
    object<Explained['subjects'][number]>({
      permission: string,
      target: string,
      decision: string,
      rule: optional(parseRuleWords),
    }),
  ),
  candidates: optional(
    list(object<NonNullable<Explained['candidates']>[number]>({ rules: list(parseRuleWords) })),
  ),
  problems: optional(
    list(object<NonNullable<Explained['problems']>[number]>({ index: number, message: string })),
  ),
});
