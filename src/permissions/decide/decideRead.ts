import { resolvePath } from '../patterns/paths.ts';
import type { CompiledPolicy } from '../rules/compiledPolicy.ts';
import type { Action } from '../rules/rule.ts';
import { decide } from './decide.ts';
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
