import { toTargetSpan } from '../../base/codeSpan.ts';
import { decide, isStricter, matchesFile, type RuleDecision, UNMATCHED } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { withOtherNames } from '../decide/otherNames.ts';
import { guardFiles, type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import { resolveTargets } from '../decide/targets.ts';
import type { Found, FoundLink, Look } from '../disk/lookBelow.ts';
import { lookBelow } from '../disk/lookBelow.ts';
import { isBelowFolded, type RealPath } from '../patterns/paths.ts';
import type { CompiledRule } from '../rules/compiledRule.ts';
import { FILE_ASKERS } from '../rules/fileRules.ts';
import type { Rule } from '../rules/rule.ts';
import { toRuleList } from '../rules/ruleList.ts';
import type { Act, FileAct } from '../shell/acts.ts';
import { createSeen } from '../shell/seenActs.ts';
import { evaluateProtected, lookForProtected } from './protectedBelow.ts';
import { findCounting, findRulesBelow, isAnywhere } from './rulesBelow.ts';
import {
  describeFound,
  describeGap,
  describeLink,
  findAlternative,
  joinName,
} from './sweepReason.ts';
import { needsLook, toRequest } from './sweepRequest.ts';

/** How long all folders of one call are looked at, in milliseconds. */
const LOOK_MS = 500;
/** Maximum number of files for which a result of their own is made. */
const SHOWN_LIMIT = 8;

/**
 * Looks what lies below the folders that a line sweeps, as far as a rule or a link there may
 * matter. `evaluateSweep` decides by it.
 */
export async function lookBelowSweeps(acts: readonly Act[], compiled: Evaluation): Promise<void> {
  let end = performance.now() + (compiled.policy.lookMs ?? LOOK_MS);
  const seen = createSeen();
  for (const act of acts) {
    if (act.kind !== 'file' || (act.sweep === undefined && act.follows !== true)) continue;
    if (seen.has(act, act.target)) continue;
    for (const file of resolveTargets(act, compiled).real) {
      const before = performance.now();
      await lookForProtected(act, file, compiled);
      // That look has time of its own.
      end += performance.now() - before;
      const key = toKey(act, file);
      if (compiled.looks.has(key) || !needsLook(act, file, compiled)) continue;
      const request = toRequest(act, file, compiled);
      compiled.looks.set(key, await lookBelow(request, end - performance.now()));
    }
  }
}

/** What was found below the folder; undefined: nothing had to be looked for. */
export function findLook(act: FileAct, file: RealPath, compiled: Evaluation): Look | undefined {
  return compiled.looks.get(toKey(act, file));
}

/** Decides about everything that a sweep of the folder touches below it. */
export function evaluateSweep(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): readonly SubjectResult[] {
  return [...evaluateRulesBelow(act, file, compiled), ...evaluateProtected(act, file, compiled)];
}

function evaluateRulesBelow(
  act: FileAct,
  file: RealPath,
  compiled: Evaluation,
): readonly SubjectResult[] {
  const fixed = findStrictest(
    findRulesBelow(act, file, compiled).filter((rule) => isFixed(rule, act)),
  );
  if (fixed !== undefined) return [describeGap(act, undefined, fixed, LOOK_MS)];
  if (act.arrives === true || !needsLook(act, file, compiled)) return [];
  const look = findLook(act, file, compiled) ?? NOT_LOOKED;
  const touched = look.found.filter((each) => act.ignored?.has(each.path) !== true);
  const found = touched.flatMap((each) => decideFound(each, act, compiled) ?? []);
  const links = look.links.flatMap((each) => decideLink(each, act, compiled) ?? []);
  const gap = act.unsettled === true ? CHANGES : look.gap;
  const results = [...toResults(found, act, compiled), ...links];
  if (gap === undefined) return results;
  const open = findRulesBelow(act, file, compiled).filter(
    (rule) => gap.why !== 'changes' || staysOpen(rule, act, file.path, compiled),
  );
  const rule = findStrictest(open);
  if (rule === undefined && act.follows !== true) return results;
  return [...results, describeGap(act, gap, rule, compiled.policy.lookMs ?? LOOK_MS)];
}

const CHANGES = { why: 'changes' } as const;
const NOT_LOOKED: Look = { found: [], links: [], gap: { why: 'time' } };

/** What a rule decides about one file below. */
interface FoundFile extends Found {
  readonly decision: RuleDecision & { readonly rule: Rule };
}

function toKey(act: FileAct, { path, names = [] }: RealPath): string {
  const { access, sweep, includes, unsure, follows, only, without, folders } = act;
  const below = [sweep, includes, unsure, follows, only, without];
  return JSON.stringify([path, names, access, ...below, folders[0]]);
}

/** Whether the rule holds whatever lies in the folder now, since the files come from elsewhere. */
function isFixed(rule: CompiledRule, act: FileAct): boolean {
  if (act.past === true) return true;
  const pattern = rule.path();
  return act.arrives === true && pattern !== undefined && !isAnywhere(pattern);
}

/** Whether a rule counts where another part of the line may change what lies below. */
function staysOpen(
  { rule }: CompiledRule,
  act: FileAct,
  path: string,
  { roots, policy }: Evaluation,
): boolean {
  if (rule.origin?.layer !== 'default' || act.only !== undefined) return true;
  return roots.workspace.some((root) => isBelowFolded(root, path, policy.platform));
}

function findStrictest(rules: readonly CompiledRule[]): Rule | undefined {
  const [first] = rules.filter(({ rule }) => rule.action === 'deny');
  return (first ?? rules[0])?.rule;
}

function decideFound(found: Found, act: FileAct, compiled: Evaluation): FoundFile | undefined {
  const { access } = act;
  const { platform } = compiled.policy;
  const file = withOtherNames(found, compiled);
  // A file that is found as another name of one may be named in any rule.
  const counting = found.inode === undefined ? new Set(findCounting(act, compiled)) : undefined;
  const touching = compiled.fileRules[access].all.filter((rule) => {
    const counts = rule.rule.action === 'allow' || counting?.has(rule) !== false;
    return counts && matchesFile(rule, file, platform);
  });
  let strictest: FoundFile['decision'] | undefined;
  for (const tool of FILE_ASKERS[access]) {
    const question = { tool, capability: access, match: 'path', ...file } as const;
    const { action, rule } = decide(question, toRuleList(touching), platform);
    if (rule === undefined || action === 'allow') continue;
    if (strictest === undefined || isStricter(action, strictest.action))
      strictest = { action, rule };
  }
  return strictest && { ...file, decision: strictest };
}

/** One result for each file, which all name the files of the same rule. */
function toResults(
  files: readonly FoundFile[],
  act: FileAct,
  compiled: Evaluation,
): readonly SubjectResult[] {
  const groups = Map.groupBy(files, ({ decision }) => decision.rule);
  const instead = findAlternative(act, groups, compiled);
  return [...groups].flatMap(([rule, group]) => {
    const why = describeFound(act, rule, group, instead);
    const action = act.unsure === true ? 'ask' : (group[0]?.decision.action ?? 'ask');
    const shown = group.slice(0, SHOWN_LIMIT);
    return shown.map(({ name, path, folder }): SubjectResult => {
      const subject = { permission: act.access, target: joinName(act.target, name) };
      const writes = act.access === 'fs.write';
      const storable = group.length <= SHOWN_LIMIT && act.doubt === undefined;
      return {
        ...toSubjectResult(subject, action, rule, why),
        ...(instead !== undefined && { instead }),
        ...(storable && { source: { kind: 'path', writes, path, folder } }),
      };
    });
  });
}

/** A link that leads out needs a rule that allows its target. */
function decideLink(
  { name, target }: FoundLink,
  act: FileAct,
  compiled: Evaluation,
): SubjectResult | undefined {
  const writes = act.access === 'fs.write';
  const subject = { permission: act.access, target: joinName(act.target, name) };
  if (target === undefined)
    return toSubjectResult(
      subject,
      'ask',
      undefined,
      describeLink(act, name, undefined, UNMATCHED),
    );
  const { access } = act;
  const { platform } = compiled.policy;
  const rules = compiled.fileRules[access];
  const ask = (tool: string) =>
    decide({ tool, capability: access, match: 'path', ...target }, rules, platform);
  const own = ask(access);
  const tight = FILE_ASKERS[access].map(ask).find(({ action }) => action === 'deny') ?? own;
  const why = describeLink(act, name, target.path, tight);
  const result = toSubjectResult(subject, tight.action, tight.rule, why);
  const source = { kind: 'path', writes, path: target.path, folder: true } as const;
  const guarded = guardFiles({ ...result, source }, target, writes, compiled);
  const { scope } = compiled;
  const granted = writes ? scope?.allowsWrite(target.path) : scope?.allowsRead(target.path);
  if (scope?.namesFiles !== true || granted === true) return guarded;
  return { ...guarded, refused: `${access} of ${toTargetSpan(subject.target)}.` };
}
