import type { Rule } from '../rules/rule.ts';

/**
 * The shipped rule of sessions whose commands may run in a copy of the workspace. It applies to calls that
 * would only ask because no rule decides them, and decides about nothing that reaches the workspace
 * itself. An equal or narrower rule of the user overrides it, such as `copy bash make *` with `ask`.
 */
export const COPY_RULES: readonly Rule[] = [
  {
    permission: 'copy',
    pattern: 'bash *',
    action: 'allow',
    source: 'manifest',
    origin: { layer: 'default', index: 0 },
  },
];
