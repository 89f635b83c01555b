import { toCodeSpan } from '../../base/codeSpan.ts';
import type { RuleDecision } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { type SubjectResult, toSubjectResult } from '../decide/subjectResult.ts';
import type { Found, Gap } from '../disk/lookBelow.ts';
import { isBelowFolded } from '../patterns/paths.ts';
import { type Rule, toRuleSpan } from '../rules/rule.ts';
import type { Exclusion, FileAct, ShellWord } from '../shell/acts.ts';
import { addExclusions, getExclusionKinds, leavesOut } from '../shell/programs/exclusions.ts';
import { toOfferedLine } from './offeredLine.ts';

/** Why files below a folder may not be touched. `instead` leaves them out. */
export function describeFound(
  act: FileAct,
  rule: Rule,
  files: readonly Found[],
  instead: string | undefined,
): string {
  const names = files.map(({ name, folder }) => joinName(act.target, name) + (folder ? '/' : ''));
  const verb = act.unsure === true ? 'may' : 'would';
  const effect = act.access === 'fs.read' ? 'read' : 'change';
  const words = rule.action === 'deny' ? 'denies' : 'asks about';
  const why = `The rule ${toRuleSpan(rule)} ${words} ${listNames(names)}, which this command ${verb} ${effect}.`;
  const next =
    instead === undefined
      ? `Name the files to ${effect} instead of ${toCodeSpan(act.target, 20)}.`
      : `To leave ${files.length === 1 ? 'it' : 'them'} out, run ${toCodeSpan(instead, Number.POSITIVE_INFINITY)}.`;
  return `${why} ${next}`;
}

/** Why it isn't known what a sweep touches. Without a gap the files come from elsewhere. */
export function describeGap(
  act: FileAct,
  gap: Gap | undefined,
  rule: Rule | undefined,
  ms: number,
): SubjectResult {
  const shown = { permission: act.access, target: act.target };
  const covers = rule && `the rule ${toRuleSpan(rule)} covers`;
  if (gap === undefined) {
    const certain = rule !== undefined && act.unsure !== true;
    const why = `The command may touch files below ${toCodeSpan(act.target)} that ${covers}.`;
    return toSubjectResult(shown, certain ? rule.action : 'ask', rule, why);
  }
  const what =
    covers === undefined ? 'where links there lead' : `whether it holds files that ${covers}`;
  const why = `${describeWhy(gap, act, ms)}, so Gatehouse can't tell ${what}. ${adviseOn(gap)}`;
  return toSubjectResult(shown, 'ask', rule, why);
}

/** Why it isn't known whether protected files lie below the folder. */
export function describeUnknown(act: FileAct, gap: Gap, ms: number): string {
  return `${describeWhy(gap, act, ms)}, so Gatehouse can't tell whether it holds protected files. ${adviseOn(gap)}`;
}

/** Maximum length of a name in a sentence about a gap. */
const GAP_LENGTH = 30;

function describeWhy(gap: Gap, { target }: FileAct, ms: number): string {
  switch (gap.why) {
    case 'time':
      return `Looking through ${toCodeSpan(target, GAP_LENGTH)} takes longer than ${ms} ms`;
    case 'many':
      return `There are too many such files or links in ${toCodeSpan(target, GAP_LENGTH)}`;
    case 'large':
      return `There are more than ${gap.entries.toLocaleString('en-US')} files and folders in ${toCodeSpan(target, GAP_LENGTH)}`;
    case 'unreadable':
      return `${toCodeSpan(joinName(target, gap.name), GAP_LENGTH)} can't be read`;
    case 'changes':
      return `Another part of the command line may change what is in ${toCodeSpan(target, GAP_LENGTH)}`;
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
  const link = `The command follows the link ${toCodeSpan(joinName(target, name), 50)}`;
  if (leads === undefined) return `${link}, and Gatehouse can't tell where that leads.`;
  const to = `${link}, which leads out to ${toCodeSpan(leads, 50)}`;
  const { action, rule } = decision;
  if (rule === undefined) return `${to}. No rule covers ${access} of it.`;
  const words = { allow: 'allows', ask: 'asks about', deny: 'denies' }[action];
  return `${to}. The rule ${toRuleSpan(rule)} ${words} it.`;
}

/** The name of a file below the operand, as the command names it. */
export function joinName(target: string, name: string): string {
  if (name === '') return target;
  if (target === '.' || target === './') return name;
  return target.endsWith('/') ? target + name : `${target}/${name}`;
}

/** Maximum number of names that a sentence lists, and of their characters. */
const NAME_LIMIT = 4;
const NAMES_LENGTH = 70;

function listNames(names: readonly string[]): string {
  const shown: string[] = [];
  for (const name of names.slice(0, NAME_LIMIT)) {
    const span = toCodeSpan(name);
    if (shown.length > 0 && [...shown, span].join().length > NAMES_LENGTH) break;
    shown.push(span);
  }
  const more = names.length - shown.length;
  if (more > 0) shown.push(`${more} more`);
  return shown.length < 2 ? shown.join() : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** The same command without the files, if the program has options that leave out all of them. */
export function findAlternative(
  act: FileAct,
  groups: ReadonlyMap<Rule, readonly Found[]>,
  compiled: Evaluation,
): string | undefined {
  const { command } = act;
  if (command === undefined || command.some(({ literal }) => !literal)) return undefined;
  const wanted: Exclusion[] = [];
  for (const [{ pattern }, files] of groups) {
    const found = findWanted(command, pattern, files, act, compiled);
    if (found === undefined) return undefined;
    for (const each of found) {
      const isNew = !wanted.some(
        ({ kind, pattern }) => kind === each.kind && pattern === each.pattern,
      );
      if (isNew) wanted.push(each);
    }
  }
  const words = addExclusions(command, wanted);
  return words && toOfferedLine(words, act, compiled);
}

/** What leaves out the files of one rule, if the command can leave it out. */
function findWanted(
  command: readonly ShellWord[],
  pattern: string,
  files: readonly Found[],
  act: FileAct,
  compiled: Evaluation,
): readonly Exclusion[] | undefined {
  for (const kind of getExclusionKinds(command)) {
    for (const wanted of proposeExclusions(kind, pattern, files, act, compiled)) {
      const covers = files.every(({ path, name, folder }) =>
        leavesOut(wanted, name, toRelative(path, act, compiled), folder),
      );
      if (covers && addExclusions(command, wanted) !== undefined) return wanted;
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
