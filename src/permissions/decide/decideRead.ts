import { resolvePath } from '../patterns/paths.ts';
import type { CompiledPolicy } from '../rules/compiledPolicy.ts';
import { type CompiledRule, isNarrower, namesPermission } from '../rules/compiledRule.ts';
import type { Action } from '../rules/rule.ts';
import { toRuleList } from '../rules/ruleList.ts';
import { decide, type RuleDecision, type RuleQuery } from './decide.ts';
import { startEvaluation } from './evaluation.ts';
import { withOtherNames } from './otherNames.ts';
import { guardFiles, toSubjectResult } from './subjectResult.ts';

/**
 * What the rules say about reading a file, under the name given, where its links lead and the known names of
 * its hard links. For what the host itself reads for a model, so capabilities don't count.
 */
export function decideRead(file: string, policy: CompiledPolicy): Action {
  const compiled = startEvaluation(policy);
  const { platform } = compiled.policy;
  const resolved = resolvePath(file, { cwd: undefined, platform });
  if (!resolved.ok) return 'deny';
  const real = withOtherNames(resolved, compiled);
  const question = { tool: 'read', capability: 'fs.read', match: 'path', ...real } as const;
  const { action, rule } = decide(question, compiled.rules, platform);
  const found = toSubjectResult({ permission: 'read', target: real.path }, action, rule);
  return guardFiles(found, real, false, compiled).subject.decision;
}

/**
 * The ask or deny of a rule about `read` alone, for a search that shows what files hold. Rules that also name the search
 * are not among them: a narrower rule for the search may override those. `own` is what the rules say about the search
 * itself: a rule of the user's that allows just this search lifts an ask that is not narrower. Undefined: there is none.
 */
export function decideAsRead(
  search: Extract<RuleQuery, { readonly match: 'path' }>,
  own: RuleDecision,
  { rules, policy: { platform } }: Pick<CompiledPolicy, 'rules' | 'policy'>,
): RuleDecision | undefined {
  const asRead = { ...search, tool: 'read' } as const;
  const { tool, capability, path } = search;
  if (decide(asRead, rules, platform).action === 'allow') return undefined;
  const naming = rules.naming('read', capability);
  const others = naming.filter((each) => !namesPermission(each, tool, capability));
  const shared = naming.filter((each) => !others.includes(each));
  // A shared ask may keep an allow from lifting a deny, so it only goes where there is none.
  const unless = (action: Action) => shared.filter(({ rule }) => rule.action !== action);
  const notDenied = unless('deny');
  const denied = decide(asRead, toRuleList([...others, ...notDenied]), platform);
  if (denied.action === 'deny') return denied;
  const allowed = notDenied.filter(({ rule }) => rule.action === 'allow');
  const asked = decide(asRead, toRuleList([...others, ...allowed]), platform);
  if (asked.action !== 'ask' || asked.rule === undefined) return undefined;
  const ask = others.find(({ rule }) => rule === asked.rule);
  const lifts = rules.naming(tool, capability).find(({ rule }) => rule === own.rule);
  return lifts &&
    ask &&
    isForSearch(lifts, tool) &&
    !isNarrower(ask, lifts, { match: 'path', path, platform })
    ? undefined
    : asked;
}

/** Whether the rule is one of the user's that allows this tool and no other. */
function isForSearch({ rule }: CompiledRule, tool: string): boolean {
  return rule.action === 'allow' && rule.permission === tool && rule.origin?.layer !== 'default';
}
