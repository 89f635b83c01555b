import { getToolFacts } from '../../base/tools/toolFacts.ts';
import { toFolderTest } from '../patterns/folderTest.ts';
import { matchesAllBelow, mayMatchBelow } from '../patterns/pathPattern.ts';
import { isBelowFolded } from '../patterns/paths.ts';
import type { CompiledPolicy } from '../rules/compiledPolicy.ts';
import type { CompiledRule } from '../rules/compiledRule.ts';
import type { Rule } from '../rules/rule.ts';
import { decide } from './decide.ts';
import { type Evaluation, startEvaluation } from './evaluation.ts';
import { guardFiles, toSubjectResult } from './subjectResult.ts';

export interface SearchFilter {
  /** Whether a file may be shown, by its name below the folder that is searched, with `/`. */
  readonly shows: (name: string) => boolean;
  /** Somebody's own rules are at work here, which the shipped ones are not: it is worth a word. */
  readonly own: boolean;
}

export interface SearchAsked {
  readonly tool: string;
  /** Absolute and real. */
  readonly folder: string;
  /** What asks is shown: the user said yes to this search, or it shows names alone. */
  readonly showsAsked: boolean;
}

/**
 * What a search that is allowed in a folder may show of what lies below it: what a call about the
 * file alone would be denied is not shown. Undefined: all of it, which is found without a look at
 * the names. Nothing is said of the files left out: that one of them matched is what it holds.
 */
export function filterSearch(asked: SearchAsked, policy: CompiledPolicy): SearchFilter | undefined {
  const compiled = startEvaluation(policy);
  const { tool, folder } = asked;
  const rules = compiled.rules.naming(tool, 'fs.read');
  const readRules = showsContents(tool) ? compiled.rules.naming('read', 'fs.read') : [];
  const asks = compiled.policy.headless || !asked.showsAsked;
  const hides = ({ rule }: CompiledRule) => rule.action === 'deny' || (asks && isTight(rule));
  const tight = new Set([...rules, ...readRules].filter(hides));
  const watched = [...tight].filter((rule) => mayReach(rule, folder, compiled));
  const settled =
    (!asks || allowsBelow(rules, folder, compiled)) &&
    (compiled.scope?.allowsReadBelow(folder) ?? true) &&
    !meetsState(folder, compiled);
  if (settled && watched.length === 0) return undefined;

  const shows = (name: string) =>
    isShown(`${folder === '/' ? '' : folder}/${name}`, asked, compiled);
  const own = !settled || watched.some(({ rule }) => rule.origin?.layer !== 'default');
  return { own, shows: settled ? onlyWatched(watched, folder, shows, compiled) : shows };
}

/** Whether a search shows what files hold, so that what `read` may not read counts as well. */
function showsContents(tool: string): boolean {
  return getToolFacts(tool)?.search === 'contents';
}

function isTight({ action, broken }: Rule): boolean {
  return action !== 'allow' || broken === true;
}

/** Asks only about names that one of the rules matches: as a rule that is none. */
function onlyWatched(
  watched: readonly CompiledRule[],
  folder: string,
  shows: SearchFilter['shows'],
  { policy }: Evaluation,
): SearchFilter['shows'] {
  const patterns = watched.map((rule) => rule.path()).filter((each) => each !== undefined);
  if (patterns.length < watched.length) return shows;
  const getTest = toFolderTest(patterns, policy.platform);
  const known = new Map<string, (name: string) => boolean>();
  return (name) => {
    const slash = name.lastIndexOf('/');
    const below = slash < 0 ? '' : name.slice(0, slash);
    let counts = known.get(below);
    if (counts === undefined) {
      counts = getTest(`${folder}/${below}`);
      known.set(below, counts);
    }
    return !counts(name.slice(slash + 1)) || shows(name);
  };
}

function mayReach(rule: CompiledRule, folder: string, { policy }: Evaluation): boolean {
  const pattern = rule.path();
  return pattern === undefined || mayMatchBelow(pattern, folder, policy.platform);
}

/** Whether what no other rule is about is allowed. */
function allowsBelow(
  rules: readonly CompiledRule[],
  folder: string,
  { policy }: Evaluation,
): boolean {
  return rules.some((rule) => {
    const firm = rule.rule.action === 'allow' && rule.rule.broken !== true;
    const pattern = firm ? rule.path() : undefined;
    return pattern !== undefined && matchesAllBelow(pattern, folder, policy.platform);
  });
}

/** The host's own state lies in the folder, or the folder in it. */
function meetsState(folder: string, { roots: { state }, policy }: Evaluation): boolean {
  if (state === undefined) return false;
  const { platform } = policy;
  return isBelowFolded(state, folder, platform) || isBelowFolded(folder, state, platform);
}

function isShown(path: string, { tool, showsAsked }: SearchAsked, compiled: Evaluation): boolean {
  if (compiled.scope?.allowsRead(path) === false) return false;
  const { headless, platform } = compiled.policy;
  const question = { tool, capability: 'fs.read', match: 'path', path } as const;
  const own = decide(question, compiled.rules, platform);
  const result = toSubjectResult({ permission: tool, target: path }, own.action, own.rule);
  const { decision } = guardFiles(result, { path }, false, compiled).subject;
  if (decision === 'deny' || (decision === 'ask' && (headless || !showsAsked))) return false;
  return (
    !showsContents(tool) ||
    decide({ ...question, tool: 'read' }, compiled.rules, platform).action !== 'deny'
  );
}
