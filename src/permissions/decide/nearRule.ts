import { toCodeSpan, toTargetSpan } from '../../base/codeSpan.ts';
import { getHeads } from '../patterns/pathPattern.ts';
import { isBelow } from '../patterns/paths.ts';
import type { CompiledRule } from '../rules/compiledRule.ts';
import type { NearRule } from '../rules/policy.ts';
import { type Rule, toRuleSpan } from '../rules/rule.ts';
import type { CommandAct } from '../shell/acts.ts';
import { joinWords } from '../shell/words.ts';
import { type Asker, decideCommand, toTarget } from './commandTarget.ts';
import { decide, type RuleDecision, type RuleQuery } from './decide.ts';
import type { Evaluation } from './evaluation.ts';
import { findNearDeclared } from './nearArguments.ts';
import { parseAddress, type SubjectResult } from './subjectResult.ts';

/**
 * The rule of the user's that allows what differs from this subject in one respect only, if the subject
 * asks because no rule of theirs covers it. Undefined if there is none, or none was found within bounds.
 * Informs only: every difference was tried by evaluating the subject without it.
 */
export function findNearRule(
  { subject, source, why, doubtful, guarded }: SubjectResult,
  asker: Asker,
  compiled: Evaluation,
): NearRule | undefined {
  const own = subject.rule !== undefined && subject.rule.origin?.layer !== 'default';
  if (subject.decision !== 'ask' || own || source === undefined) return undefined;
  if (doubtful !== undefined || guarded === true) return undefined;
  if (source.kind === 'command') return findNearCommand(source.act, asker, compiled);
  if (why !== undefined) return undefined;
  if (source.kind === 'path') return findNearPath(source.path, asker, compiled);
  if (source.kind === 'host') return findNearHost(subject.target, asker, compiled);
  const allowing = listAllows(compiled, asker).map(({ rule }) => rule);
  return findNearDeclared(subject.target, allowing, (text) =>
    findAllow(decideQuery({ ...toQuery(asker), match: 'text', text }, compiled)),
  );
}

/** The most words of a command, and rules, that are tried. */
const MOST_WORDS = 24;
const MOST_RULES = 200;

function findNearCommand(
  act: CommandAct,
  asker: Asker,
  compiled: Evaluation,
): NearRule | undefined {
  if (act.tightensOnly === true || act.words.length > MOST_WORDS) return undefined;
  const target = toTarget(act, joinWords(act.words), compiled);
  if (decideCommand(target, asker, compiled).action === 'allow') return undefined;
  return (
    findUnspelled(act, asker, compiled) ??
    findExtraWord(act, asker, compiled) ??
    findOtherWord(act, asker, compiled)
  );
}

/** A wildcard of the rule stands where it would have to name the words. */
function findUnspelled(act: CommandAct, asker: Asker, compiled: Evaluation): NearRule | undefined {
  const remotes: ReadonlySet<number> = act.remotes ?? new Set();
  const spelled = new Set([...act.risky, ...remotes]);
  if (spelled.size === 0) return undefined;
  const none = { risky: new Set<number>(), remotes: new Set<number>() };
  const rule = findAllow(decideWords(act, asker, compiled, none));
  if (rule === undefined) return undefined;
  const unnamed = [...spelled]
    .sort((a, b) => a - b)
    .filter((at) => {
      const only = new Set([at]);
      const own = act.risky.has(at) ? { ...none, risky: only } : { ...none, remotes: only };
      const decision = decideWords(act, asker, compiled, own);
      return decision.action !== 'allow';
    });
  const words = unnamed.map((at) => act.words[at]?.value ?? '');
  // Only several of them together are too much for the rule.
  if (words.length === 0) return undefined;
  const shown = toCodeSpan(words.join(' '));
  const reason = `covers it, except that ${shown} must be written in the rule`;
  return toNear(rule, { kind: 'unnamed', words }, reason);
}

/** The command has a word, or an option with its value, that the rule doesn't cover. */
function findExtraWord(act: CommandAct, asker: Asker, compiled: Evaluation): NearRule | undefined {
  const { words } = act;
  const isOption = (at: number) => words[at]?.value.startsWith('-') === true;
  const positions = [...words.keys()].slice(1);
  // An option is more likely to be what was added.
  const ordered = [...positions.filter(isOption), ...positions.filter((at) => !isOption(at))];
  const spans = [
    ...ordered.map((at) => [at, 1] as const),
    ...positions
      .filter((at) => isOption(at) && at + 1 < words.length)
      .map((at) => [at, 2] as const),
  ];
  for (const [at, count] of spans) {
    const rule = findAllow(decideWords(act, asker, compiled, { without: [at, count] }));
    if (rule === undefined) continue;
    const extra = words.slice(at, at + count).map(({ value }) => value);
    const reason = `would allow it without ${toCodeSpan(extra.join(' '))}`;
    return toNear(rule, { kind: 'extra', at, words: extra }, reason);
  }
  return undefined;
}

/** The rule has another word in one place. */
function findOtherWord(act: CommandAct, asker: Asker, compiled: Evaluation): NearRule | undefined {
  for (const each of listAllows(compiled, asker)) {
    const pattern = each.command()?.parts.join('*').split(' ') ?? [];
    const differ = [...act.words.keys()].filter(
      (at) => at < pattern.length && pattern[at] !== act.words[at]?.value,
    );
    const [at = 0] = differ;
    const instead = pattern[at] ?? '';
    if (differ.length !== 1 || at === 0 || instead === '' || instead.includes('*')) continue;
    const rule = findAllow(decideWords(act, asker, compiled, { instead: [at, instead] }));
    if (rule === undefined) continue;
    const word = act.words[at]?.value ?? '';
    const reason = `has ${toCodeSpan(instead)} where this command has ${toCodeSpan(word)}`;
    return toNear(rule, { kind: 'other', at, word, instead }, reason);
  }
  return undefined;
}

interface Change {
  readonly risky?: ReadonlySet<number>;
  readonly remotes?: ReadonlySet<number>;
  /** The first word that is left out, and how many are. */
  readonly without?: readonly [at: number, count: number];
  readonly instead?: readonly [at: number, word: string];
}

/** What the rules decide about the command with one change. */
function decideWords(
  act: CommandAct,
  asker: Asker,
  compiled: Evaluation,
  { risky = act.risky, remotes = act.remotes, without: [first, count] = [0, 0], instead }: Change,
): RuleDecision {
  const keeps = (at: number) => at < first || at >= first + count;
  const move = (positions: ReadonlySet<number> = new Set()) =>
    new Set([...positions].filter(keeps).map((at) => (at < first ? at : at - count)));
  const words = act.words
    .map((word, at) => (at === instead?.[0] ? { value: instead[1], literal: true } : word))
    .filter((_, at) => keeps(at));
  const { inFolder: _, ...rest } = act;
  const changed = {
    ...{ ...rest, words, risky: move(risky) },
    ...{ inner: move(act.inner), hosts: move(act.hosts), remotes: move(remotes) },
  };
  return decideCommand(toTarget(changed, joinWords(words), compiled), asker, compiled);
}

/** The rule is about another folder, or files with another ending. */
function findNearPath(path: string, asker: Asker, compiled: Evaluation): NearRule | undefined {
  const at = path.lastIndexOf('/');
  const [folder, name] = [path.slice(0, at), path.slice(at + 1)];
  const dot = name.lastIndexOf('.');
  const tried = (other: string) =>
    findAllow(decideQuery({ ...toQuery(asker), match: 'path', path: other }, compiled));
  for (const each of listAllows(compiled, asker)) {
    const pattern = each.path();
    if (pattern === undefined) continue;
    for (const glob of dot > 0 ? pattern.alternatives : []) {
      const last = glob.at(-1);
      const ending = last?.kind === 'star' && last.parts.length === 2 ? last.parts[1] : undefined;
      if (ending === undefined || !/^\.\w+$/.test(ending)) continue;
      const other = `${folder}/${name.slice(0, dot)}${ending}`;
      const rule = tried(other);
      if (rule === undefined) continue;
      const reason = `allows ${toCodeSpan(`*${ending}`)} here, and this file ends in ${toCodeSpan(name.slice(dot))}`;
      return toNear(rule, { kind: 'path', instead: other }, reason);
    }
    for (const head of getHeads(pattern)) {
      const other = `${head}/${name}`;
      const rule = head === folder ? undefined : tried(other);
      if (rule === undefined) continue;
      const reason = `allows this in ${toFolderSpan(head, compiled)}, and this file is in ${toFolderSpan(folder, compiled)}`;
      return toNear(rule, { kind: 'path', instead: other }, reason);
    }
  }
  return undefined;
}

/** The rule is about another host of the same domain, or another port. */
function findNearHost(target: string, asker: Asker, compiled: Evaluation): NearRule | undefined {
  const address = parseAddress(target);
  if (address === undefined) return undefined;
  const { host } = address;
  for (const each of listAllows(compiled, asker)) {
    const pattern = each.host();
    if (pattern === undefined || pattern.host === '*') continue;
    const named = pattern.host.replace('*.', 'x.');
    const isNear = named === host || getDomain(named) === getDomain(host);
    if (!isNear || /^[\d.:[\]]+$/.test(host)) continue;
    const other = { host: named, port: pattern.port ?? 443 };
    const rule = findAllow(decideQuery({ ...toQuery(asker), match: 'host', ...other }, compiled));
    if (rule === undefined) continue;
    const reason =
      named === host
        ? `allows another port of ${toCodeSpan(host)}`
        : `allows another host than ${toCodeSpan(host)}`;
    return toNear(rule, { kind: 'host', instead: `https://${other.host}:${other.port}` }, reason);
  }
  return undefined;
}

/** A folder of the workspace by its relative path. */
function toFolderSpan(folder: string, { policy }: Evaluation): string {
  const root = policy.folders.workspace.find((each) => isBelow(folder, each));
  return toTargetSpan(root === undefined ? folder : folder.slice(root.length + 1) || '.');
}

function toQuery({ permission: tool, capability }: Asker) {
  return { tool, capability };
}

function getDomain(host: string): string {
  return host.split('.').slice(-2).join('.');
}

function decideQuery(query: RuleQuery, { rules, policy }: Evaluation): RuleDecision {
  return decide(query, rules, policy.platform);
}

/** The user's rules that allow calls of the tool, the newest first. */
function listAllows(
  { rules }: Evaluation,
  { permission, capability }: Asker,
): readonly CompiledRule[] {
  return rules
    .naming(permission, capability)
    .filter(({ rule }) => isOwnAllow(rule))
    .slice(-MOST_RULES)
    .reverse();
}

function findAllow({ action, rule }: RuleDecision): Rule | undefined {
  return action === 'allow' && rule !== undefined && isOwnAllow(rule) ? rule : undefined;
}

/** The user wrote or stored it; the rules of approval modes and scratch folders are in no file. */
function isOwnAllow({ action, source, origin }: Rule): boolean {
  return action === 'allow' && source !== 'manifest' && origin?.layer !== 'default';
}

function toNear(rule: Rule, difference: NearRule['difference'], how: string): NearRule {
  return { rule, difference, reason: `The rule ${toRuleSpan(rule)} ${how}.` };
}
