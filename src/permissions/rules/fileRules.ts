import { findLockedTools } from '../../base/tools/toolFacts.ts';
import { type CompiledRule, namesPermission } from './compiledRule.ts';
import { type RuleList, toRuleList } from './ruleList.ts';

type Access = 'fs.read' | 'fs.write';

/**
 * The permissions whose rules apply to files that the shell touches: the capability, and the tools
 * that need it. These rules can only make a decision stricter.
 */
export const FILE_ASKERS: Readonly<Record<Access, readonly string[]>> = {
  'fs.read': ['fs.read', ...findLockedTools(({ access }) => access === 'fs.read')],
  'fs.write': ['fs.write', ...findLockedTools(({ access }) => access === 'fs.write')],
};

/** The rules for each access. Filtered once, because most rules are for commands. */
export type FileRules = Readonly<Record<Access, RuleList>>;

export function selectFileRules(rules: readonly CompiledRule[]): FileRules {
  const of = (access: Access) =>
    toRuleList(
      rules.filter((rule) =>
        FILE_ASKERS[access].some((tool) => namesPermission(rule, tool, access)),
      ),
    );
  return { 'fs.read': of('fs.read'), 'fs.write': of('fs.write') };
}
