import type { WireRule } from '../../acp/gatehouse/rules.ts';

/** A rule in one line, as it would be read aloud: `ask bash(npm publish*)`. */
export function toRuleText(rule: WireRule): string {
  return `${rule.action} ${toPatternText([rule])}`;
}

/** Rules without their action, where all that is spoken of allows: `bash(npm test*)`. */
export function toPatternText(rules: readonly WireRule[]): string {
  const lines = rules.map(({ permission, pattern }) => `${permission}(${pattern})`);
  return [...new Set(lines)].join(', ');
}
