import type { AppliedRule, WireOrigin, WireRule } from '../../acp/gatehouse/rules.ts';
import type { RuleReference } from '../../webview/messages/asks.ts';

/** Formats a rule as one line, such as `ask bash(npm publish*)`. */
export function toRuleText(rule: WireRule): string {
  return `${rule.action} ${toPatternText([rule])}`;
}

/** What is needed to open a rule. One without an origin is looked for among the shipped rules and those of its session. */
export function toReference(
  rule: AppliedRule,
  origin: WireOrigin = rule.origin ?? SHIPPED,
): RuleReference {
  const { permission, pattern, action } = rule;
  const { layer, file, index, line } = origin;
  return {
    rule: { permission, pattern, action },
    layer,
    ...(file !== undefined && { file }),
    ...(index !== undefined && { index }),
    ...(line !== undefined && { line }),
  };
}

const SHIPPED: WireOrigin = { layer: 'default' };

/** Formats rules without their action, such as `bash(npm test*)`, where all of them allow. */
export function toPatternText(rules: readonly WireRule[]): string {
  const lines = rules.map(({ permission, pattern }) => `${permission}(${pattern})`);
  return [...new Set(lines)].join(', ');
}
