import type { CompiledRule } from './compiledRule.ts';

/** Rules by the program their pattern names, so that a long line is not held against all of them. */
export interface RuleIndex {
  /** Every rule that may match a command with one of these texts. */
  find(text: string, aliases: readonly string[]): readonly CompiledRule[];
}

const NONE: readonly CompiledRule[] = [];

export function indexRules(rules: readonly CompiledRule[]): RuleIndex {
  const byProgram = new Map<string, CompiledRule[]>();
  const open: CompiledRule[] = [];
  for (const rule of rules) {
    const program = programOf(rule);
    if (program === undefined) open.push(rule);
    else {
      const own = byProgram.get(program);
      if (own === undefined) byProgram.set(program, [rule]);
      else own.push(rule);
    }
  }
  const known = new Map<string, readonly CompiledRule[]>();
  for (const [program, own] of byProgram) known.set(program, [...own, ...open]);
  return {
    find(text, aliases) {
      const program = firstWord(text);
      const own = known.get(program) ?? open;
      if (aliases.length === 0) return own;
      const others = aliases.map(firstWord).filter((each) => each !== program);
      if (others.length === 0) return own;
      return [...new Set([...own, ...others.flatMap((each) => byProgram.get(each) ?? NONE)])];
    },
  };
}

/** The programs that some rule asks about or denies by name. */
export function watchPrograms(rules: readonly CompiledRule[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const rule of rules) {
    const program = rule.rule.action === 'allow' ? undefined : programOf(rule);
    if (program !== undefined) names.add(program.slice(program.lastIndexOf('/') + 1));
  }
  return names;
}

/** The whole first word of every command the rule can match; undefined when that may be any. */
function programOf(rule: CompiledRule): string | undefined {
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
