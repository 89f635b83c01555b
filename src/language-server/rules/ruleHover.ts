import { type Hover, MarkupKind, type Position } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { toCodeSpan } from '../../base/codeSpan.ts';
import type { CompiledRule } from '../../permissions/rules/compiledRule.ts';
import type { Rule } from '../../permissions/rules/rule.ts';
import { findNameProblem } from './checks/names.ts';
import { compile, doesOverride, getShipped, relate } from './checks/relations.ts';
import { wins } from './checks/unneeded.ts';
import { describePattern, describePermission } from './describe.ts';
import type { OtherFileRule } from './otherFiles.ts';
import { findEntry, type RuleDocument, type RuleEntry } from './ruleDocument.ts';

/** What the rule under the cursor matches, and which other rules it overrides. */
export function hoverRule(
  document: RuleDocument,
  text: TextDocument,
  position: Position,
  elsewhere: readonly OtherFileRule[] = [],
  tools: readonly string[] = [],
): Hover | undefined {
  const entry = findEntry(document.entries, text.offsetAt(position));
  if (entry === undefined) return undefined;
  const { offset, length } = entry.node;
  const range = { start: text.positionAt(offset), end: text.positionAt(offset + length) };
  const nothing = describeNothing(entry, document, tools);
  const lines = nothing ?? describeEntry(document, entry, elsewhere);
  const value = lines.join('\n\n');
  return { contents: { kind: MarkupKind.Markdown, value }, range };
}

/** What is said of a rule that names no tool of the window. Undefined for others. */
function describeNothing(
  { rule: { permission }, problems, index }: RuleEntry,
  { entries }: RuleDocument,
  tools: readonly string[],
): readonly string[] | undefined {
  const problem = problems.length > 0 ? undefined : findNameProblem(permission, tools);
  if (problem === undefined) return undefined;
  const question = problem.near === undefined ? '' : ` Did you mean ${toCodeSpan(problem.near)}?`;
  return [
    '**Gatehouse: this rule has no effect**',
    `No tool or capability is named ${toCodeSpan(permission)}.${question}`,
    `Rule ${index + 1} of ${entries.length} in this file.`,
  ];
}

function describeEntry(
  document: RuleDocument,
  entry: RuleEntry,
  elsewhere: readonly OtherFileRule[],
): readonly string[] {
  const { rule, problems, index } = entry;
  const position = `Rule ${index + 1} of ${document.entries.length} in this file.`;
  if (problems.length > 0) {
    return [
      '**Gatehouse: this rule can’t be read**',
      'Until it is fixed, it is treated as “ask”: it can only turn an allow into an ask.',
      position,
    ];
  }
  return [
    `**Gatehouse: ${EFFECTS[rule.action]}**`,
    describePermission(rule.permission),
    describePattern(rule),
    `${position} The order in the file doesn’t matter: the narrowest matching rule decides.`,
    ...describeOthers(document, entry, elsewhere),
  ];
}

const EFFECTS: Readonly<Record<Rule['action'], string>> = {
  allow: 'runs without asking',
  ask: 'asks every time',
  deny: 'is denied',
};

interface OtherRule {
  readonly compiled: CompiledRule;
  /** Where it is, in parentheses. */
  readonly origin: string;
}

/** Rules of this file, of the window's other settings files, and shipped ones. */
function describeOthers(
  document: RuleDocument,
  entry: RuleEntry,
  elsewhere: readonly OtherFileRule[],
): readonly string[] {
  const own = compile(entry.rule);
  const others: readonly OtherRule[] = [
    ...document.entries
      .filter(({ index, problems }) => index !== entry.index && problems.length === 0)
      .map(({ rule, node }) => ({
        compiled: compile(rule),
        origin: `line ${document.lineAt(node.offset)}`,
      })),
    ...elsewhere.map(({ compiled, where }) => ({ compiled, origin: where })),
    ...getShipped().map((compiled) => ({ compiled, origin: 'shipped' })),
  ].filter(({ compiled }) => compiled.rule.action !== entry.rule.action);
  const related = others.filter(({ compiled }) =>
    ['equal', 'narrower', 'wider'].includes(relate(own, compiled) ?? ''),
  );
  const below = related.filter(({ compiled }) => decidesInstead(own, compiled));
  const above = related.filter(({ compiled }) => decidesInstead(compiled, own));
  return [...listRules('Overrides', below), ...listRules('Overridden by', above)];
}

/** Of equal rules, the diagnostics say which one has no effect if both are in settings files. */
function decidesInstead(a: CompiledRule, b: CompiledRule): boolean {
  if (doesOverride(a, b)) return true;
  const shipped = [a, b].some(({ rule }) => rule.origin?.layer === 'default');
  return !shipped && relate(a, b) === 'equal' && wins({ compiled: a }, { compiled: b });
}

/** Rules that one line lists. */
const MOST = 5;

function listRules(title: string, rules: readonly OtherRule[]): readonly string[] {
  if (rules.length === 0) return [];
  const shown = rules.slice(0, MOST).map(({ compiled: { rule }, origin }) => {
    return `- ${toCodeSpan(`${rule.action} ${rule.permission} ${rule.pattern}`)} (${origin})`;
  });
  const more = rules.length - shown.length;
  return [[`${title}:`, ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')];
}
