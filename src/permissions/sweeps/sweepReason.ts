import type { RuleDecision } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import type { Found, Gap } from '../disk/lookBelow.ts';
import { isBelowFolded } from '../patterns/paths.ts';
import type { Rule } from '../rules/rule.ts';
import type { Exclusion, FileAct } from '../shell/acts.ts';
import { addExclusions, getExclusionKinds, leavesOut } from '../shell/programs/exclusions.ts';
import { quoteWord } from '../shell/words.ts';

/** Why files below a folder may not be touched, and the command that leaves them out. */
export function describeFound(
  act: FileAct,
  rule: Rule,
  files: readonly Found[],
  compiled: Evaluation,
): { readonly why: string; readonly instead: string | undefined } {
  const names = files.map(({ name, folder }) => joinName(act.target, name) + (folder ? '/' : ''));
  const instead = findAlternative(act, rule, files, compiled);
  const verb = act.unsure === true ? 'may' : 'would';
  const effect = act.access === 'fs.read' ? 'read' : 'change';
  const words = rule.action === 'deny' ? 'denies' : 'asks about';
  const why = `The rule "${rule.permission} ${rule.pattern}" ${words} ${listNames(names)}, which this command ${verb} ${effect}.`;
  const next =
    instead === undefined
      ? `Name the files to ${effect} instead of "${act.target}".`
      : `To leave ${files.length === 1 ? 'it' : 'them'} out, run: ${instead}`;
  return { why: `${why} ${next}`, instead };
}

/** Why it isn't known what a sweep touches. Without a gap the files come from elsewhere. */
export function describeGap(
  act: FileAct,
  gap: Gap | undefined,
  rule: Rule | undefined,
  ms: number,
): SubjectResult {
  const shown = { permission: act.access, target: act.target };
  const covers = rule && `the rule "${rule.permission} ${rule.pattern}" covers`;
  if (gap === undefined) {
    const certain = rule !== undefined && act.unsure !== true;
    const why = `The command may touch files below "${act.target}" that ${covers}.`;
    return toSubjectResult(shown, certain ? rule.action : 'ask', rule, why);
  }
  const what =
    covers === undefined ? 'where links there lead' : `whether it holds files that ${covers}`;
  const why = `${describeWhy(gap, act, ms)}, so Gatehouse can't tell ${what}. ${adviseOn(gap)}`;
  return toSubjectResult(shown, 'ask', rule, why);
}

function describeWhy(gap: Gap, { target }: FileAct, ms: number): string {
  switch (gap.why) {
    case 'time':
      return `Looking through "${target}" takes longer than ${ms} ms`;
    case 'many':
      return `There are too many such files or links in "${target}"`;
    case 'unreadable':
      return `"${joinName(target, gap.name)}" can't be read`;
    case 'changes':
      return `Another part of the command line may change what is in "${target}"`;
  }
}

function adviseOn({ why }: Gap): string {
  if (why === 'changes') return 'Run it as a command of its own.';
  return why === 'unreadable' ? 'Name the files instead.' : 'Name a smaller folder.';
}

/** Why a link below a folder matters. */
export function describeLink(
  { target, access }: FileAct,
  name: string,
  leads: string | undefined,
  decision: RuleDecision,
): string {
  const link = `The command follows the link "${joinName(target, name)}"`;
  if (leads === undefined) return `${link}, and it can't be determined where that leads.`;
  const to = `${link}, which leads out to "${leads}"`;
  const { action, rule } = decision;
  if (rule === undefined) return `${to}. No rule covers ${access} of it.`;
  const words = { allow: 'allows', ask: 'asks about', deny: 'denies' }[action];
  return `${to}. The rule "${rule.permission} ${rule.pattern}" ${words} it.`;
}

/** The name of a file below the operand, as the command names it. */
export function joinName(target: string, name: string): string {
  if (name === '') return target;
  if (target === '.' || target === './') return name;
  return target.endsWith('/') ? target + name : `${target}/${name}`;
}

/** Maximum number of names that a sentence lists. */
const NAME_LIMIT = 4;

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, NAME_LIMIT).map((name) => `"${name}"`);
  const more = names.length - shown.length;
  if (more > 0) shown.push(`${more} more`);
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** The same command without the files, if the program has options that leave out all of them. */
function findAlternative(
  act: FileAct,
  { pattern }: Rule,
  files: readonly Found[],
  compiled: Evaluation,
): string | undefined {
  const { command } = act;
  if (command === undefined || command.some(({ literal }) => !literal)) return undefined;
  const kinds = getExclusionKinds(command);
  for (const kind of kinds) {
    for (const wanted of proposeExclusions(kind, pattern, files, act, compiled)) {
      const covers = files.every(({ path, name, folder }) =>
        leavesOut(wanted, name, toRelative(path, act, compiled), folder),
      );
      const words = covers ? addExclusions(command, wanted) : undefined;
      if (words !== undefined) return words.map(({ value }) => quoteWord(value)).join(' ');
    }
  }
  return undefined;
}

/** Maximum number of names in an alternative. */
const EXCLUSION_LIMIT = 4;

/** The last name of the rule's pattern, then the names of the files, then their folders. */
function proposeExclusions(
  kind: Exclusion['kind'],
  pattern: string,
  files: readonly Found[],
  act: FileAct,
  compiled: Evaluation,
): readonly (readonly Exclusion[])[] {
  const toSet = (names: readonly (string | undefined)[]) => {
    const known = [...new Set(names)].flatMap((name) => name ?? []);
    return known.length > EXCLUSION_LIMIT ? [] : known.map((name) => ({ kind, pattern: name }));
  };
  if (kind === 'path') return [toSet(files.map(({ path }) => toRelative(path, act, compiled)))];
  const [last, ...folders] = pattern.split('/').reverse();
  const named = files.map(({ name }) => name.split('/'));
  return [
    toSet([last]),
    toSet(named.map((names) => names.at(-1))),
    ...folders.map((folder) => toSet([folder])),
  ].filter((each) => each.length > 0);
}

/** The path relative to the folder that the command runs in. */
function toRelative(path: string, { folders }: FileAct, compiled: Evaluation): string | undefined {
  const [base = ''] = folders;
  if (base === '' || !isBelowFolded(path, base, compiled.policy.platform)) return undefined;
  return path.slice(base.length + 1);
}
