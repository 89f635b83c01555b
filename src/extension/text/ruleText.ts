import type { AppliedRule, WireOrigin, WireRule } from '../../acp/gatehouse/rules.ts';
import type { RuleReference } from '../../webview/messages/asks.ts';
import { plainNotice } from './plainNotice.ts';
import type { Translate } from './translate.ts';

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

/**
 * What *Go to Rule* says of a rule that is not where it was. `remote`: the window is on another machine, whose
 * settings VS Code merges into the user's without telling which of them has a rule.
 */
export function toGoneText(
  { rule, layer }: Pick<RuleReference, 'rule' | 'layer'>,
  remote: boolean,
  t: Translate,
): string {
  const text = toRuleText(rule);
  const message =
    layer === 'user' && remote
      ? t(
          'The rule {0} is not in the user settings that VS Code opened. It may have been removed, or be in the settings of the remote machine: Preferences: Open Remote Settings (JSON).',
          text,
        )
      : t('The rule {0} no longer exists.', text);
  return plainNotice(message);
}
