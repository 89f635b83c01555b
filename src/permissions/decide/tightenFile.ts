import { matchesPath } from '../patterns/pathPattern.ts';
import type { RealPath } from '../patterns/paths.ts';
import type { CompiledPolicy } from '../rules/compiledPolicy.ts';
import { toCompared } from '../rules/compiledRule.ts';
import { FILE_ASKERS } from '../rules/fileRules.ts';
import type { Rule } from '../rules/rule.ts';
import { toRuleList } from '../rules/ruleList.ts';
import type { FileAct } from '../shell/acts.ts';
import { decide, isStricter, matchesFile, type RuleDecision } from './decide.ts';
import type { Evaluation } from './evaluation.ts';

/**
 * Whether this is the shipped ask for everything outside the workspace. It only applies to files
 * that are known to be read.
 */
export function isShippedForAll(rule: Rule | undefined): boolean {
  return rule?.origin?.layer === 'default' && rule.pattern === '**';
}

/** Whether a rule asks about reading the file while it holds a password or token. */
export function isConfiguration(file: RealPath, { fileRules, policy }: CompiledPolicy): boolean {
  return fileRules['fs.read'].all.some((rule) => {
    if (rule.rule.credentials !== true) return false;
    const { pattern, platform } = toCompared(rule, file.folds, policy.platform);
    const names = [file.path, ...(file.names ?? [])];
    return pattern === undefined || names.some((name) => matchesPath(pattern, name, platform));
  });
}

/** The strictest ask or deny rule that matches the path. */
export function tighten(
  access: FileAct['access'],
  file: RealPath,
  compiled: Evaluation,
): RuleDecision | undefined {
  const { platform } = compiled.policy;
  if (!compiled.tightensFiles) return undefined;
  let strictest: RuleDecision | undefined;
  const touching = compiled.fileRules[access].all.filter((rule) =>
    matchesFile(rule, file, platform),
  );
  const matching = toRuleList(touching);
  for (const tool of touching.length === 0 ? [] : FILE_ASKERS[access]) {
    const question = { tool, capability: access, match: 'path', ...file } as const;
    const decision = decide(question, matching, platform);
    const counts = decision.rule !== undefined && decision.action !== 'allow';
    if (counts && (strictest === undefined || isStricter(decision.action, strictest.action)))
      strictest = decision;
  }
  return strictest;
}
