import type { CompiledRule } from '../../../permissions/rules/compiledRule.ts';
import { getSameKey } from './relations.ts';

/** A rule of the list that decides nothing, because of another one of the list with the same pattern. */
export interface UnneededRule {
  readonly index: number;
  /** `duplicate`: the same rule again; `contradicted`: another action for the same calls, which loses. */
  readonly why: 'duplicate' | 'contradicted';
  /** Position of the rule that decides instead. */
  readonly by: number;
}

/** A rule that isn't broken, with its position in the list. */
export interface CheckedRule {
  readonly index: number;
  readonly compiled: CompiledRule;
}

/**
 * The rules that decide nothing. Removing one never changes a decision. A narrower rule is never among them:
 * it may override what overrides the wider one, and an allow of more words permits options that a wildcard
 * doesn't.
 */
export function findUnneeded(rules: readonly CheckedRule[]): readonly UnneededRule[] {
  const groups = Map.groupBy(rules, ({ compiled }) => getSameKey(compiled));
  return [...groups.values()].flatMap(findLosers);
}

/** Among equal rules all but one: a deny stays, then the newest, then the strictest. */
function findLosers(group: readonly CheckedRule[]): readonly UnneededRule[] {
  const [first, ...others] = group;
  if (first === undefined || others.length === 0) return [];
  const winner = others.reduce((best, each) => (wins(each, best) ? each : best), first);
  const { action } = winner.compiled.rule;
  return group.flatMap((each): UnneededRule[] => {
    if (each === winner) return [];
    const why = each.compiled.rule.action === action ? 'duplicate' : 'contradicted';
    return [{ index: each.index, why, by: winner.index }];
  });
}

/** Returns the rule of another file that decides instead: the same pattern, with another action that wins. */
export function createWinnerFinder<Other extends Pick<CheckedRule, 'compiled'>>(
  others: readonly Other[],
): (own: CompiledRule) => Other | undefined {
  const groups = Map.groupBy(others, ({ compiled }) => getSameKey(compiled));
  return (own) => {
    const group = groups.size === 0 ? undefined : groups.get(getSameKey(own));
    return group?.find(
      ({ compiled }) =>
        compiled.rule.action !== own.rule.action && wins({ compiled }, { compiled: own }),
    );
  };
}

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;

/** Whether `a` replaces `b`, which has the same pattern, as the one that decides. */
export function wins(
  { compiled: { rule: a } }: Pick<CheckedRule, 'compiled'>,
  { compiled: { rule: b } }: Pick<CheckedRule, 'compiled'>,
): boolean {
  if (b.action === 'deny') return false;
  if (a.action === 'deny') return true;
  const [age, otherAge] = [toAge(a.added_at), toAge(b.added_at)];
  return age === otherAge ? STRICTNESS[a.action] > STRICTNESS[b.action] : age > otherAge;
}

function toAge(added: number | undefined): number {
  return added ?? Number.NEGATIVE_INFINITY;
}
