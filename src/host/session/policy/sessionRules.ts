import { fieldAt } from '../../../base/json.ts';
import {
  type ExactArguments,
  findExactRule,
  isExactRule,
} from '../../../permissions/rules/exactCall.ts';
import { parseRules } from '../../../permissions/rules/parseRules.ts';
import type { StoredRule } from '../../../permissions/rules/policy.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';
import type { Recorder } from '../../../recorder/recorder.ts';

/** The rules of a session's "always" answers, stored with it (spec VC-31, CS-15). */
export class SessionRules {
  readonly #recorder: Pick<Recorder, 'permissions' | 'setPermissions'>;
  readonly #sessionId: string;
  #all: readonly Rule[] = [];
  #patterns: readonly Rule[] = [];
  #exact: readonly Rule[] = [];

  constructor(recorder: Pick<Recorder, 'permissions' | 'setPermissions'>, sessionId: string) {
    this.#recorder = recorder;
    this.#sessionId = sessionId;
    // Rows written by another host may lack a source; they count as session rules (spec VC-36).
    const rows = recorder.permissions(sessionId);
    const { rules } = parseRules(rows, 'session', { layer: 'session' });
    this.#use(rules.map((rule, at) => withIdentity(rule, rows[at])));
  }

  /** The rules by pattern, for the policy. The same list while nothing changed. */
  get patterns(): readonly Rule[] {
    return this.#patterns;
  }

  /** The rules about exact calls. */
  get exactCalls(): readonly Rule[] {
    return this.#exact;
  }

  /** The rule about exactly this call. */
  exact(tool: string, given: ExactArguments): Rule | undefined {
    return findExactRule(this.#exact, tool, given);
  }

  /** Stored at once, so that they survive a reload. */
  add(rules: readonly Rule[]): void {
    const first = this.#all.length;
    const added = rules.map((rule, at) => ({
      ...rule,
      origin: { layer: 'session' as const, index: first + at },
    }));
    this.#store([...this.#all, ...added]);
  }

  /** Removes the newest rule that equals `rule`, if there is one. */
  drop({ permission, pattern, action }: StoredRule): void {
    const index = this.#all.findLastIndex(
      (each) =>
        each.permission === permission && each.pattern === pattern && each.action === action,
    );
    if (index >= 0) this.#store(this.#all.toSpliced(index, 1));
  }

  /** Stored first: if that fails, the rules in use are still those that come back with the session. */
  #store(rules: readonly Rule[]): void {
    const rows = rules.map(({ origin: _, ...row }) => row);
    this.#recorder.setPermissions(this.#sessionId, rows);
    this.#use(rules);
  }

  #use(rules: readonly Rule[]): void {
    this.#all = rules;
    this.#exact = rules.filter(isExactRule);
    this.#patterns = rules.filter((rule) => !isExactRule(rule));
  }
}

/** Only rows of a session say which tool of the workspace they are for. */
function withIdentity(rule: Rule, row: unknown): Rule {
  const identity = fieldAt(row, 'identity');
  return typeof identity === 'string' ? { ...rule, identity } : rule;
}
