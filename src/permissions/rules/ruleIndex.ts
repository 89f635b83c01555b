import type { CompiledRule } from './compiledRule.ts';
import { type RuleList, toRuleList } from './ruleList.ts';

/**
 * Indexes rules by the program that their pattern names, and allow rules by the word that follows it, so
 * that a command isn't matched against all rules.
 */
export interface RuleIndex {
  /**
   * All rules that may match a command with this text, one of the aliases, or the text that it has
   * without the option that selects its folder.
   */
  find(text: string, aliases: readonly string[], inFolder?: string): RuleList;
}

const NONE: readonly CompiledRule[] = [];

export function indexRules(rules: readonly CompiledRule[]): RuleIndex {
  const byProgram = new Map<string, CompiledRule[]>();
  const open: CompiledRule[] = [];
  for (const rule of rules) {
    const program = getProgram(rule);
    if (program === undefined) open.push(rule);
    else {
      const own = byProgram.get(program);
      if (own === undefined) byProgram.set(program, [rule]);
      else own.push(rule);
    }
  }
  const others = toRuleList(open);
  // Of hundreds of programs a session runs a few, so each is indexed at its first command.
  const known = new Map<string, ProgramRules>();
  const indexed = (program: string): ProgramRules | undefined => {
    const own = byProgram.get(program);
    return own && getOrInsert(known, program, () => indexProgram([...own, ...open]));
  };
  return {
    find(text, aliases, inFolder) {
      const program = firstWord(text);
      const rules = indexed(program);
      const own = (inFolder === undefined ? rules?.find(text) : rules?.all) ?? others;
      if (aliases.length === 0) return own;
      const names = aliases.map(firstWord).filter((each) => each !== program);
      if (names.length === 0) return own;
      return joinLists(
        own,
        names.flatMap((each) => byProgram.get(each) ?? NONE),
      );
    },
  };
}

/** The rules that may match commands of one program. */
interface ProgramRules {
  readonly all: RuleList;
  /** Those that may match this text. */
  find(text: string): RuleList;
}

function indexProgram(rules: readonly CompiledRule[]): ProgramRules {
  const all = toRuleList(rules);
  const words = new Map(rules.map((rule) => [rule, getSecondWord(rule)] as const));
  const named = new Set(words.values());
  const known = new Map<string | undefined, RuleList>();
  const select = (second: string | undefined) => {
    const matches = (rule: CompiledRule) => [undefined, second].includes(words.get(rule));
    return getOrInsert(known, second, () => toRuleList(rules.filter(matches)));
  };
  return {
    all,
    find: (text) => {
      const second = secondWord(text);
      return select(named.has(second) ? second : undefined);
    },
  };
}

function getOrInsert<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/**
 * The second word of every command that the rule can match; undefined if it can be any word. A deny or
 * ask also matches commands with options before it, and aliases.
 */
function getSecondWord(rule: CompiledRule): string | undefined {
  const pattern = rule.rule.action === 'allow' ? rule.command() : undefined;
  const [head = '', ...others] = pattern?.parts ?? [];
  const [, second, ...more] = head.split(' ');
  return others.length === 0 || more.length > 0 ? second : undefined;
}

/** Joins the lists without duplicates. */
export function joinLists(list: RuleList, more: readonly CompiledRule[]): RuleList {
  return more.length === 0 ? list : toRuleList([...new Set([...list.all, ...more])]);
}

/** The programs that ask and deny rules name. */
export function watchPrograms(rules: readonly CompiledRule[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const rule of rules) {
    const program = rule.rule.action === 'allow' ? undefined : getProgram(rule);
    if (program !== undefined) names.add(program.slice(program.lastIndexOf('/') + 1));
  }
  return names;
}

/** The first word of every command that the rule can match; undefined if it can be any word. */
function getProgram(rule: CompiledRule): string | undefined {
  const pattern = rule.command();
  if (pattern === undefined) return undefined;
  const [head = ''] = pattern.parts;
  return head.includes(' ') || pattern.parts.length === 1 ? firstWord(head) : undefined;
}

/** The text up to its first space. */
export function firstWord(text: string): string {
  const space = text.indexOf(' ');
  return space < 0 ? text : text.slice(0, space);
}

/** The text between its first and second space. */
function secondWord(text: string): string {
  const [, second = ''] = text.split(' ', 2);
  return second;
}
