import { dirname } from 'node:path';
import { isInFolder } from '../../base/disk/insideFolder.ts';
import { getToolFacts } from '../../base/tools/toolFacts.ts';
import { decide } from '../decide/decide.ts';
import { decideAsRead } from '../decide/decideRead.ts';
import { type Evaluation, startEvaluation } from '../decide/evaluation.ts';
import { guardFiles, toSubjectResult } from '../decide/subjectResult.ts';
import { toFolderTest } from '../patterns/folderTest.ts';
import { escapeGlob, getHeads, matchesAllBelow, mayMatchBelow } from '../patterns/pathPattern.ts';
import { isBelowFolded, type RealPath, resolvePath } from '../patterns/paths.ts';
import { type CompiledPolicy, withRules } from '../rules/compiledPolicy.ts';
import { type CompiledRule, FOLDING, toCompared } from '../rules/compiledRule.ts';
import type { Rule } from '../rules/rule.ts';

export interface SearchFilter {
  /** Whether a result may include the file. `name` is relative to the searched folder, with `/`. */
  readonly shows: (name: string) => boolean;
  /** The filter applies rules other than the shipped ones, so it is worth telling the user. */
  readonly own: boolean;
}

export interface SearchAsked {
  readonly tool: string;
  /** Absolute and real. */
  readonly folder: string;
  /**
   * Include files that would ask: it only returns names, or the user approved this search. Then a file counts
   * that no rule covers, or one by which the user was asked.
   */
  readonly showsAsked: boolean | ((rule: Rule) => boolean);
}

/**
 * Filters the results of an allowed search: files for which a call of their own would be denied are
 * left out. Undefined if nothing can be filtered, which is determined without looking at file
 * names. The result doesn't mention omitted files, because that would reveal that they matched.
 */
export function filterSearch(asked: SearchAsked, policy: CompiledPolicy): SearchFilter | undefined {
  const compiled = startEvaluation(policy);
  const { tool, folder } = asked;
  const rules = compiled.rules.naming(tool, 'fs.read');
  const readRules = showsContents(tool) ? compiled.rules.naming('read', 'fs.read') : [];
  const asks = compiled.policy.headless || asked.showsAsked === false;
  const hides = ({ rule }: CompiledRule) =>
    rule.action === 'deny' || (isTight(rule) && (asks || !covers(asked, rule)));
  const tight = new Set([...rules, ...readRules].filter(hides));
  const at: Searched = { folder, ...resolveFolds(folder, compiled) };
  const watched = [...tight].filter((rule) => mayReach(rule, at, compiled));
  const settled =
    (!asks || allowsBelow(rules, folder, compiled)) &&
    (compiled.scope?.allowsReadBelow(folder) ?? true) &&
    !meetsState(folder, compiled);
  if (settled && watched.length === 0) return undefined;

  const shows = (name: string) =>
    isShown({ ...at, path: `${folder === '/' ? '' : folder}/${name}` }, asked, compiled);
  const own = !settled || watched.some(({ rule }) => rule.origin?.layer !== 'default');
  return { own, shows: settled ? onlyWatched(watched, at, shows, compiled) : shows };
}

/**
 * Tests absolute paths outside of the workspace: what a file is, or the files below a folder, that a program is to read. It is
 * as if a rule allowed that, so only other rules hide something of it. Undefined: none does.
 */
export function findRuled(
  named: { readonly path: string; readonly isFolder: boolean },
  policy: CompiledPolicy,
): ((file: string) => boolean) | undefined {
  const { path: root, isFolder } = named;
  const compiled = startEvaluation(withRules(policy, [toAllow(named)]));
  const { platform } = policy.policy;
  const tight = compiled.rules.naming('read', 'fs.read').filter(({ rule }) => isTight(rule));
  const folder = isFolder ? root : dirname(root);
  const at: Searched = { folder, ...resolveFolds(folder, compiled) };
  const watched = tight.filter((rule) => mayReach(rule, at, compiled));
  if (watched.length === 0) return undefined;
  const isOpen = (path: string) => {
    const question = { tool: 'read', capability: 'fs.read', match: 'path', ...at, path } as const;
    return decide(question, compiled.rules, platform).action === 'allow';
  };
  return (file) => !isOpen(file);
}

/** It overrides no rule of the user's, as no shipped one does. */
function toAllow({ path, isFolder }: { readonly path: string; readonly isFolder: boolean }): Rule {
  const pattern = isFolder ? `${escapeGlob(path)}/**` : escapeGlob(path);
  return { permission: 'fs.read', pattern, action: 'allow', source: 'project', fallback: true };
}

/** Whether the search shows what this rule asks about. */
function covers({ showsAsked }: SearchAsked, rule: Rule | undefined): boolean {
  if (typeof showsAsked === 'boolean') return showsAsked;
  return rule === undefined || showsAsked(rule);
}

/** Whether the search returns file contents, so that rules for `read` apply as well. */
function showsContents(tool: string): boolean {
  return getToolFacts(tool)?.search === 'contents';
}

function isTight({ action, broken }: Rule): boolean {
  return action !== 'allow' || broken === true;
}

/** Skips the evaluation of names that none of the rules match. */
function onlyWatched(
  watched: readonly CompiledRule[],
  { folder, folds }: Searched,
  shows: SearchFilter['shows'],
  { policy }: Evaluation,
): SearchFilter['shows'] {
  const patterns = watched
    .map((rule) => toCompared(rule, folds, policy.platform).pattern)
    .filter((each) => each !== undefined);
  if (patterns.length < watched.length) return shows;
  const testFolder = toFolderTest(patterns, folds ? FOLDING : policy.platform);
  const known = new Map<string, (name: string) => boolean>();
  return (name) => {
    const slash = name.lastIndexOf('/');
    const below = name.slice(0, Math.max(slash, 0));
    let counts = known.get(below);
    if (counts === undefined) {
      counts = testFolder(`${folder}/${below}`);
      known.set(below, counts);
    }
    return !counts(name.slice(slash + 1)) || shows(name);
  };
}

function mayReach(
  rule: CompiledRule,
  { folder, folds }: Searched,
  { policy }: Evaluation,
): boolean {
  const { pattern, platform } = toCompared(rule, folds, policy.platform);
  return pattern === undefined || mayMatchBelow(pattern, folder, platform);
}

/** A searched folder, and whether it ignores case. */
interface Searched {
  readonly folder: string;
  readonly folds?: boolean;
}

function resolveFolds(folder: string, { policy, links }: Evaluation): Pick<Searched, 'folds'> {
  const resolved = resolvePath(folder, { cwd: undefined, platform: policy.platform, links });
  return resolved.ok && resolved.folds === true ? { folds: true } : {};
}

/** Whether an allow rule covers everything below the folder. */
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

/** Whether the folder contains the host's own state or lies in it. */
function meetsState(folder: string, { roots: { state }, policy }: Evaluation): boolean {
  if (state === undefined) return false;
  const { platform } = policy;
  return isBelowFolded(state, folder, platform) || isBelowFolded(folder, state, platform);
}

function isShown(file: RealPath, asked: SearchAsked, compiled: Evaluation): boolean {
  const { tool } = asked;
  const { path } = file;
  if (compiled.scope?.allowsRead(path) === false) return false;
  const { headless, platform } = compiled.policy;
  const question = { tool, capability: 'fs.read', match: 'path', ...file } as const;
  const own = decide(question, compiled.rules, platform);
  const result = toSubjectResult({ permission: tool, target: path }, own.action, own.rule);
  const { decision, rule } = guardFiles(result, file, false, compiled).subject;
  if (decision === 'deny') return false;
  if (decision === 'ask' && (headless || !covers(asked, rule))) return false;
  if (!showsContents(tool)) return true;
  if (decide({ ...question, tool: 'read' }, compiled.rules, platform).action === 'deny')
    return false;
  const read = decideAsRead(question, own, compiled);
  return read === undefined || (!headless && covers(asked, read.rule));
}

/**
 * What rules deny or ask about reading outside of the workspace, by the paths of these rules: files, and folders that they
 * cover as a whole. A rule with other wildcards names none.
 */
export function listHiddenPaths({
  rules,
  policy: { folders, platform },
}: CompiledPolicy): readonly string[] {
  const isInWorkspace = (file: string) => folders.workspace.some((root) => isInFolder(file, root));
  return rules.naming('read', 'fs.read').flatMap((each) => {
    const pattern = each.rule.action === 'allow' ? undefined : each.path();
    if (pattern === undefined) return [];
    const isWhole = (head: string) =>
      pattern.literals.has(head) || matchesAllBelow(pattern, head, platform);
    return getHeads(pattern).filter((head) => isWhole(head) && !isInWorkspace(head));
  });
}
