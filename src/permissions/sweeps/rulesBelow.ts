import type { Evaluation } from '../decide/evaluation.ts';
import { mayBearName } from '../patterns/nameOverlap.ts';
import { matchesPath, mayMatchBelow, type PathPattern } from '../patterns/pathPattern.ts';
import type { RealPath } from '../patterns/paths.ts';
import { type CompiledRule, toCompared } from '../rules/compiledRule.ts';
import type { FileAct } from '../shell/acts.ts';
import { leavesOut } from '../shell/programs/exclusions.ts';

/** The ask and deny rules that count for the files of this sweep, wherever they are. */
export function findCounting(act: FileAct, compiled: Evaluation): readonly CompiledRule[] {
  return compiled.fileRules[act.access].all.filter(({ rule }) => {
    if (rule.action === 'allow') return false;
    // Which files an unsure sweep touches is a guess, so the shipped asks don't apply to it.
    if (rule.origin?.layer === 'default' && act.unsure === true && act.only === undefined)
      return false;
    // Elsewhere the names that lie there are compared.
    const guesses = act.past === true || act.arrives === true;
    if (guesses && act.only !== undefined && !mayBearName(rule.pattern, act.only)) return false;
    return (
      act.sweep !== 'visible' ||
      act.includes !== undefined ||
      !/(^|\/)\.[^/.*][^/]*$/.test(rule.pattern)
    );
  });
}

/** Those that may match something below the folder that isn't left out. */
export function findRulesBelow(
  act: FileAct,
  { path, names = [], folds }: RealPath,
  compiled: Evaluation,
): readonly CompiledRule[] {
  if (act.sweep === undefined) return [];
  return findCounting(act, compiled).filter((rule) => {
    const { pattern, platform } = toCompared(rule, folds, compiled.policy.platform);
    if (pattern === undefined || matchesPath(pattern, path, platform)) return false;
    const may = [path, ...names].some((each) => mayMatchBelow(pattern, each, platform));
    return may && !leavesOutAll(pattern, act, platform);
  });
}

/** Whether everything that the pattern matches has a name that is left out. */
function leavesOutAll(pattern: PathPattern, act: FileAct, platform: NodeJS.Platform): boolean {
  if (act.without === undefined || pattern.everything || platform !== 'linux') return false;
  // Another name of the same file isn't left out with it.
  return pattern.alternatives.every((glob) => {
    const last = glob.at(-1);
    if (last?.kind !== 'star') return false;
    return leavesOut(act.without ?? [], last.parts.join('*'), undefined, false);
  });
}

/** Whether the pattern may match in any folder. */
export function isAnywhere({ alternatives, everything }: PathPattern): boolean {
  return everything || alternatives.some(([first]) => first?.kind === 'globstar');
}
