import { holdsCredential } from '../disk/credentials.ts';
import {
  type CommandPattern,
  foldCommand,
  literalSpan,
  matchesAroundOptions,
  matchesCommand,
} from '../patterns/commandPattern.ts';
import type { FlagSet } from '../patterns/flags.ts';
import { isAboutHosts, isTopLevel, matchesHost } from '../patterns/hostPattern.ts';
import { isLocalRequest } from '../patterns/localRequest.ts';
import { matchesPath } from '../patterns/pathPattern.ts';
import type { RealPath } from '../patterns/paths.ts';
import { matchesStar } from '../patterns/star.ts';
import {
  type CompiledRule,
  type Ground,
  isEqual,
  isNarrower,
  matchesFolded,
} from '../rules/compiledRule.ts';
import type { Action, Rule, Scope } from '../rules/rule.ts';
import { firstWord } from '../rules/ruleIndex.ts';
import type { RuleList } from '../rules/ruleList.ts';

/** One thing to decide, in the form that rules are matched against. */
export type RuleQuery = {
  readonly tool: string;
  readonly capability: string | undefined;
} & (
  | { readonly match: 'command'; readonly command: CommandTarget }
  | ({ readonly match: 'path' } & RealPath)
  | { readonly match: 'host'; readonly host: string; readonly port: number | undefined }
  | { readonly match: 'text'; readonly text: string }
);

/** One simple command after quote removal, its words joined by one space. */
export interface CommandTarget {
  readonly text: string;
  /**
   * Other spellings that a deny or ask also matches: the basename of a path, case-folded names
   * (corpus C3).
   */
  readonly aliases: readonly string[];
  /** Character ranges that an allow must match literally, never with a wildcard (corpus C8). */
  readonly spelled: readonly (readonly [start: number, end: number])[];
  /**
   * Ranges of URLs up to the end of their host. An allow with one literal host doesn't cover a
   * second one.
   */
  readonly hosts: readonly (readonly [start: number, end: number])[];
  /**
   * Of these, those that an allow must contain, unless it allows every command: the program has a host of
   * its own.
   */
  readonly remotes: readonly (readonly [start: number, end: number])[];
  /** The shell ignores case, so a deny or ask does too. */
  readonly foldsCase?: true;
  /** The words that are options. */
  readonly options: readonly string[];
  /**
   * The same command without the option that selects its folder: `git status` for `git -C x status`.
   * A shipped allow for it covers this command, and so does every ask and deny.
   */
  readonly inFolder?: CommandTarget;
  /** The words, if each is literal and the command may be a request to this machine. */
  readonly request?: readonly string[];
}

export interface RuleDecision {
  readonly action: Action;
  readonly rule: Rule | undefined;
}

export const UNMATCHED: RuleDecision = { action: 'ask', rule: undefined };

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };

export function isStricter(a: Action, b: Action): boolean {
  return STRICTNESS[a] > STRICTNESS[b];
}

/** Returns the strictest of the matching rules that no narrower rule overrides. */
export function decide(
  question: RuleQuery,
  rules: RuleList,
  platform: NodeJS.Platform,
): RuleDecision {
  let only: CompiledRule | undefined;
  let several: CompiledRule[] | undefined;
  let broken: CompiledRule | undefined;
  for (const rule of rules.naming(question.tool, question.capability)) {
    if (!matches(rule, question, platform)) continue;
    if (rule.rule.level !== undefined) return decideByLevel(question, rules, platform);
    if (!isSound(rule, question.match)) broken ??= rule;
    else if (only === undefined) only = rule;
    else if (several === undefined) several = [only, rule];
    else several.push(rule);
  }
  const decision =
    several === undefined ? decideBy(only) : decideAmong(several, { ...question, platform });
  return withBroken(decision, broken);
}

/**
 * Decides for each session of a chain of subagents, by the rules of all and its own, and returns the strictest
 * decision: what a session may not do, those that it starts may not do either (spec CS-28, spec CS-29).
 */
function decideByLevel(
  question: RuleQuery,
  rules: RuleList,
  platform: NodeJS.Platform,
): RuleDecision {
  const named = rules.naming(question.tool, question.capability);
  const found = named.filter((rule) => matches(rule, question, platform));
  const levels = new Set(found.map(({ rule }) => rule.level?.at).filter((at) => at !== undefined));
  const of = found.find(({ rule }) => rule.level !== undefined)?.rule.level?.of ?? 0;
  const each = [...levels, ...(levels.size < of ? [undefined] : [])].map((at) => {
    const own = found.filter(({ rule }) => rule.level === undefined || rule.level.at === at);
    const sound = own.filter((rule) => isSound(rule, question.match));
    const decision = sound.length === 0 ? UNMATCHED : decideAmong(sound, { ...question, platform });
    return withBroken(
      decision,
      own.find((rule) => !sound.includes(rule)),
    );
  });
  return each.reduce((a, b) => (isStricter(b.action, a.action) ? b : a));
}

function withBroken(decision: RuleDecision, broken: CompiledRule | undefined): RuleDecision {
  const firm = decision.action !== 'allow' && decision.rule !== undefined;
  return broken === undefined || firm ? decision : { action: 'ask', rule: broken.rule };
}

function decideBy(only: CompiledRule | undefined): RuleDecision {
  return only === undefined ? UNMATCHED : { action: only.rule.action, rule: only.rule };
}

function decideAmong(matching: readonly CompiledRule[], ground: Ground): RuleDecision {
  // A manifest's deny is final: no later rule can override it (spec C-55, CA-1).
  const pinned = matching.find(({ rule }) => rule.source === 'manifest' && rule.action === 'deny');
  if (pinned !== undefined) return { action: 'deny', rule: pinned.rule };

  const firm = matching.filter((rule) => !matching.some((other) => overrides(other, rule, ground)));
  // Only rules that aren't overridden can override others. So adding a deny never loosens a
  // decision.
  const left = matching.filter((rule) => !firm.some((other) => overrides(other, rule, ground)));
  return left
    .map(({ rule }): RuleDecision => ({ action: rule.action, rule }))
    .reduce((a, b) => (isStricter(b.action, a.action) ? b : a));
}

/**
 * `a` is narrower than `b`, or equal and of higher precedence (spec decision 2). A shipped rule never
 * overrides a deny of the user's, and a shipped allow no ask, however wide it is. The rules of an
 * approval mode override none of the user's.
 */
export function overrides(a: CompiledRule, b: CompiledRule, ground: Ground): boolean {
  const loosens = isStricter(b.rule.action, a.rule.action);
  if ((loosens || a.rule.fallback) && isFallback(a.rule) && !isFallback(b.rule)) return false;
  if (isNarrower(a, b, ground)) return true;
  return outranks(a.rule, b.rule) && isEqual(a, b, ground);
}

function isFallback({ origin, fallback }: Rule): boolean {
  return origin?.layer === 'default' || fallback === true;
}

/** The scopes that each scope takes precedence over. */
const OVER: Readonly<Record<Scope, readonly Scope[]>> = {
  manifest: [],
  project: ['manifest'],
  session: ['manifest', 'project'],
};

/**
 * Precedence of equal rules: a deny always stays. Otherwise session precedes project, project
 * precedes manifest, and within a scope the newest rule wins.
 */
function outranks(a: Rule, b: Rule): boolean {
  if (b.action === 'deny') return false;
  if (a.source !== b.source) return OVER[a.source].includes(b.source);
  return (a.added_at ?? Number.NEGATIVE_INFINITY) > (b.added_at ?? Number.NEGATIVE_INFINITY);
}

function matches(rule: CompiledRule, question: RuleQuery, platform: NodeJS.Platform): boolean {
  switch (question.match) {
    case 'command':
      return !rule.isForFiles && matchesCommandTarget(rule, question.command);
    case 'path':
      return matchesFile(rule, question, platform);
    case 'host': {
      const pattern = rule.host();
      // In a host rule an invalid pattern may match; in other rules it is just another kind of
      // pattern.
      if (pattern === undefined) return isAboutHosts(rule.rule.permission);
      // `*.md` is about files.
      if (rule.isForFiles && isTopLevel(pattern)) return false;
      return matchesHost(pattern, question.host, question.port);
    }
    case 'text':
      return !rule.isForFiles && matchesStar(rule.text(), question.text);
  }
}

/** Whether the rule's pattern matches a file, or is invalid. */
export function matchesFile(
  rule: CompiledRule,
  file: RealPath,
  platform: NodeJS.Platform,
): boolean {
  if (!matchesName(rule, file, platform)) return false;
  return rule.rule.credentials !== true || holdsCredential(file.path, file.unsaved);
}

function matchesName(
  rule: CompiledRule,
  { path, names, folds }: RealPath,
  platform: NodeJS.Platform,
): boolean {
  const pattern = rule.path();
  if (pattern === undefined || matchesPath(pattern, path, platform)) return true;
  if (rule.rule.action === 'allow') return false;
  // A deny or ask also applies to the links that lead to the file.
  if (names?.some((name) => matchesPath(pattern, name, platform))) return true;
  return folds === true && [path, ...(names ?? [])].some((name) => matchesFolded(rule, name));
}

/**
 * Whether the rule is valid for this kind of target. Invalid rules only turn an allow into an ask
 * (spec decision 8).
 */
function isSound(rule: CompiledRule, kind: RuleQuery['match']): boolean {
  if (rule.rule.broken === true) return false;
  if (kind === 'command') return rule.command() !== undefined;
  if (kind === 'host') return rule.host() !== undefined;
  return kind !== 'path' || rule.path() !== undefined;
}

function matchesCommandTarget(rule: CompiledRule, target: CommandTarget): boolean {
  if (matchesOwnTarget(rule, target)) return true;
  // The repository there is only looked at if a shipped rule allows the command.
  const counts = rule.rule.action !== 'allow' || rule.rule.origin?.layer === 'default';
  return counts && target.inFolder !== undefined && matchesOwnTarget(rule, target.inFolder);
}

function matchesOwnTarget(rule: CompiledRule, target: CommandTarget): boolean {
  const pattern = rule.command();
  if (pattern === undefined) return true;
  if (rule.rule.action !== 'allow') {
    if (target.foldsCase === true) {
      const own = foldCommand(pattern);
      return [target.text, ...target.aliases].some((text) =>
        matchesAroundOptions(own, text.toLowerCase()),
      );
    }
    if (matchesAroundOptions(pattern, target.text)) return true;
    return target.aliases.some((alias) => matchesAroundOptions(pattern, alias));
  }
  if (!matchesCommand(pattern, target.text)) return false;
  if (namesPath(target.text) && !mayNamePath(pattern)) return false;
  const { flags } = rule;
  if (flags !== undefined && !respectsFlags(flags, pattern, target)) return false;
  // Every word of such a request is known, also those that would have to be spelled out.
  if (flags?.localOnly === true) return true;
  if (target.spelled.length + target.hosts.length + target.remotes.length === 0) return true;

  const { head, tail } = literalSpan(pattern, target.text);
  const spells = ([start, end]: readonly [number, number]) => end <= head || start >= tail;
  if (!target.spelled.every(spells)) return false;
  if (!isAnything(pattern) && !target.remotes.every(spells)) return false;
  // An allow that contains a host, or the start of one, covers that host only.
  const begins = ([start, end]: readonly [number, number]) => start < head || end > tail;
  const fixesHost = rule.rule.pattern.includes('://') || target.hosts.some(begins);
  return !fixesHost || target.hosts.every(spells);
}

/** Whether the command has only the options and operands that the rule's flags permit. */
function respectsFlags(flags: FlagSet, { parts }: CommandPattern, target: CommandTarget): boolean {
  if (flags.localOnly) return target.request !== undefined && isLocalRequest(target.request);
  if (!target.options.every((option) => flags.allow(option))) return false;
  if (flags.needsWord && target.text.length <= (parts[0] ?? '').length) return false;
  if (!flags.hasNeeded(target.options)) return false;
  if (!flags.noOperands) return true;
  const own = (parts[0] ?? '').split(' ').filter((word) => !word.startsWith('-'));
  return target.text.split(' ').length - target.options.length <= own.length;
}

/** `*`: it covers programs that contact any host. */
function isAnything({ parts }: CommandPattern): boolean {
  return parts.every((part) => part === '');
}

/** An allow on a bare name never covers a program given by its path (corpus C3). */
function namesPath(text: string): boolean {
  return /[\\/]/.test(firstWord(text));
}

function mayNamePath({ parts }: CommandPattern): boolean {
  const [word = ''] = (parts[0] ?? '').split(' ', 1);
  return word === '' || /[\\/]/.test(word);
}
