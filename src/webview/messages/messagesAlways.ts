import type { AskOption } from './asks.ts';

/** What "always" can mean: each rule with the options that keep it, narrow to wide as they came. */
export function alwaysByRule(
  options: readonly AskOption[],
): readonly (readonly [string, readonly AskOption[]])[] {
  const groups = new Map<string, AskOption[]>();
  for (const option of options) {
    const { choice, rule, name } = option;
    // A session grant that names its rule is one more place for the same pattern.
    if (choice !== 'allowAlways' && (choice !== 'allowSession' || rule === undefined)) continue;
    groups.set(rule ?? name, [...(groups.get(rule ?? name) ?? []), option]);
  }
  return [...groups];
}
