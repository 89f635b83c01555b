import type { Rule } from './rule.ts';

/** The shipped rules: visible, and overridden by any narrower rule. Protected files are not among them. */
export const DEFAULT_RULES: readonly Rule[] = [
  ...['read', 'glob', 'grep'].map((permission) => toDefault(permission, '{workspace}/**', 'allow')),
].map((rule, index) => ({ ...rule, origin: { layer: 'default', index } }));

function toDefault(permission: string, pattern: string, action: Rule['action']): Rule {
  return { permission, pattern, action, source: 'project' };
}
