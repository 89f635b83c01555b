import type { WireRule } from '../../acp/gatehouse/rules.ts';

/** Formats a rule as one line, such as `ask bash(npm publish*)`. */
export function toRuleText(rule: WireRule): string {
  return `${rule.action} ${toPatternText([rule])}`;
}

/** Formats rules without their action, such as `bash(npm test*)`, where all of them allow. */
export function toPatternText(rules: readonly WireRule[]): string {
  const lines = rules.map(({ permission, pattern }) => `${permission}(${pattern})`);
  return [...new Set(lines)].join(', ');
}
