import { matchesStar, parseStar } from '../../../permissions/patterns/star.ts';
import type { Rule } from '../../../permissions/rules/rule.ts';

/** Former ids of tools, each with the ids of now. */
export type Renames = ReadonlyMap<string, readonly string[]>;

interface RenamedTool {
  readonly id: string;
  readonly formerId?: string;
}

/** The former ids that no tool has now. */
export function findRenames(tools: readonly RenamedTool[]): Renames {
  const present = new Set(tools.map(({ id }) => id));
  const renames = new Map<string, string[]>();
  for (const { id, formerId } of tools) {
    if (formerId === undefined || present.has(formerId)) continue;
    renames.set(formerId, [...(renames.get(formerId) ?? []), id]);
  }
  return renames;
}

/**
 * Rules that were stored for former ids, as rules for the ids of now. Where several tools had the same former
 * id, an allow is dropped, because it was meant for one of them. A deny or ask with a wildcard stays, and
 * another is added for each tool whose former id alone it matches; an allow with one is not widened.
 */
export function renameRules(rules: readonly Rule[], renames: Renames): readonly Rule[] {
  if (renames.size === 0) return rules;
  return rules.flatMap((rule) => {
    if (rule.permission.includes('*')) return [rule, ...addNamed(rule, renames)];
    const ids = renames.get(rule.permission);
    if (ids === undefined) return rule;
    if (rule.action === 'allow' && ids.length > 1) return [];
    return ids.map((permission) => ({ ...rule, permission }));
  });
}

function addNamed(rule: Rule, renames: Renames): readonly Rule[] {
  if (rule.action === 'allow') return [];
  const pattern = parseStar(rule.permission);
  const ids = [...renames].flatMap(([former, now]) => (matchesStar(pattern, former) ? now : []));
  return ids
    .filter((id) => !matchesStar(pattern, id))
    .map((permission) => ({ ...rule, permission }));
}
