import { findLockedTools } from '../../base/tools/toolFacts.ts';
import { type CompiledRule, namesPermission } from './compiledRule.ts';
import { type RuleList, toRuleList } from './ruleList.ts';

type Access = 'fs.read' | 'fs.write';

/** Whose rules bind the files that the shell touches: the capability, and tools that need it; these only tighten. */
export const FILE_ASKERS: Readonly<Record<Access, readonly string[]>> = {
  'fs.read': ['fs.read', ...findLockedTools(({ access }) => access === 'fs.read')],
  'fs.write': ['fs.write', ...findLockedTools(({ access }) => access === 'fs.write')],
};

/** The rules that one of the askers goes by. Most rules are about commands, and are left out once for all. */
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
