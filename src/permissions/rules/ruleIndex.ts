import type { CompiledRule } from './compiledRule.ts';
import { type RuleList, toRuleList } from './ruleList.ts';

/**
 * Indexes rules by the program that their pattern names, so that a command isn't matched against
 * all rules.
 */
export interface RuleIndex {
  /** All rules that may match a command with this text or one of the aliases. */
  find(text: string, aliases: readonly string[]): RuleList;
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
  const known = new Map<string, RuleList>();
  for (const [program, own] of byProgram) known.set(program, toRuleList([...own, ...open]));
  return {
    find(text, aliases) {
      const program = firstWord(text);
      const own = known.get(program) ?? others;
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
