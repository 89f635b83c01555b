import type { Node } from 'jsonc-parser';
import type { Severity } from '../../declared/manifest/diagnostic.ts';
import type { RuleProblem } from '../../permissions/rules/parseRules.ts';
import { toRuleSpan } from '../../permissions/rules/rule.ts';
import { removeNode } from '../../settings/jsonEdits.ts';
import { findNameProblem, findNear } from './checks/names.ts';
import { findPatternProblem } from './checks/patternProblems.ts';
import { compile } from './checks/relations.ts';
import { createWinnerFinder, findUnneeded, type UnneededRule } from './checks/unneeded.ts';
import { type RuleFix, replaceNode } from './edits.ts';
import { repairNothing, repairProblem } from './fixes.ts';
import type { OtherFileRule } from './otherFiles.ts';
import type { RuleDocument, RuleEntry } from './ruleDocument.ts';

/** A problem of a rule at its field. */
export interface RuleDiagnostic {
  readonly offset: number;
  readonly length: number;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  /** The rule has no effect, so the editor fades it. */
  readonly unneeded?: true;
  readonly fixes?: readonly RuleFix[];
}

/** Diagnostics of one file. Editors show fewer. */
const MOST = 1000;

/**
 * The problems of a settings file's rules, errors first: what the gate can't read (spec decision 8), and
 * rules that can't have the effect that they seem to have. `tools`: ids of the window's declared and MCP
 * tools.
 */
export function diagnoseRules(
  document: RuleDocument,
  tools: readonly string[] = [],
  elsewhere: readonly OtherFileRule[] = [],
): readonly RuleDiagnostic[] {
  const broken = document.entries.flatMap((entry) => diagnoseBroken(document, entry));
  const sound = document.entries.filter(({ problems }) => problems.length === 0);
  const errors = [...diagnoseList(document), ...broken];
  const others = [
    ...document.entries.flatMap((entry) => diagnoseFields(document, entry)),
    ...sound.flatMap((entry) => diagnoseEffect(document, entry, tools)),
    ...diagnoseUnneeded(document, sound),
    ...diagnoseElsewhere(document, sound, elsewhere),
  ];
  return [
    ...errors,
    ...others.filter(isWarning),
    ...others.filter((each) => !isWarning(each)),
  ].slice(0, MOST);
}

function isWarning({ severity }: RuleDiagnostic): boolean {
  return severity === 'warning';
}

const HINT = 'Until it is fixed, it is treated as "ask": it can only turn an allow into an ask.';

function diagnoseList(document: RuleDocument): readonly RuleDiagnostic[] {
  const { list, problems, replaced } = document;
  const span = toSpan(list);
  const fixes = list === undefined ? [] : repairNothing(list, document.text);
  const wrong = problems.map(({ message }): RuleDiagnostic => {
    return { ...span, severity: 'error', message, hint: HINT, fixes };
  });
  const line = list === undefined ? 0 : document.lineAt(list.offset);
  const message = `These rules have no effect: "gatehouse.permissions" in line ${line} replaces them.`;
  const lost = replaced.map((node): RuleDiagnostic => {
    return { ...toSpan(node), severity: 'error', message };
  });
  return [...wrong, ...lost];
}

function diagnoseBroken(document: RuleDocument, entry: RuleEntry): readonly RuleDiagnostic[] {
  return entry.problems.map((problem) => {
    const { message } = problem;
    const fixes = repairProblem(document.text, entry, problem);
    return { ...findSpan(entry, problem), severity: 'error', message, hint: HINT, fixes };
  });
}

/** The invalid field, else its rule. */
function findSpan({ fields, node }: RuleEntry, { field }: RuleProblem) {
  const found = field === undefined ? undefined : fields.get(field);
  return toSpan(found?.value ?? found?.key ?? node);
}

function toSpan(node: Node | undefined): { readonly offset: number; readonly length: number } {
  return { offset: node?.offset ?? 0, length: node?.length ?? 1 };
}

const FIELDS = ['permission', 'pattern', 'action', 'added_at'];

/** Fields that the host ignores. */
function diagnoseFields({ text }: RuleDocument, { fields }: RuleEntry): readonly RuleDiagnostic[] {
  const free = FIELDS.filter((name) => !fields.has(name));
  return [...fields].flatMap(([name, { key }]): RuleDiagnostic[] => {
    if (FIELDS.includes(name)) return [];
    const near = name.length > 2 ? findNear(name, free) : undefined;
    const message =
      name === 'source'
        ? '"source" has no effect here: the file decides whose rule it is.'
        : `Unknown field ${JSON.stringify(name.slice(0, 40))}, which is ignored.${near === undefined ? '' : ` Did you mean "${near}"?`}`;
    const property = key.parent;
    const remove = property && {
      title: 'Remove the field',
      edits: () => removeNode(text, property),
    };
    const rename = near !== undefined && {
      title: `Rename to "${near}"`,
      preferred: true as const,
      edits: () => [replaceNode(key, near)],
    };
    const fixes = [...(rename ? [rename] : []), ...(remove ? [remove] : [])];
    return [{ ...toSpan(key), severity: 'warning', message, fixes }];
  });
}

/** A rule that the gate can read but that matches nothing. */
function diagnoseEffect(
  { text }: RuleDocument,
  entry: RuleEntry,
  tools: readonly string[],
): readonly RuleDiagnostic[] {
  const permission = entry.fields.get('permission')?.value;
  const pattern = entry.fields.get('pattern')?.value;
  if (permission === undefined || pattern === undefined) return [];
  const name = findNameProblem(entry.rule.permission, tools);
  if (name !== undefined) {
    const { message, near } = name;
    const fixes = near === undefined ? [] : [toReplacement(permission, near)];
    return [{ ...toSpan(permission), severity: 'warning', message, fixes }];
  }
  const problem = findPatternProblem(entry.rule);
  if (problem === undefined) return [];
  const { message, instead = [] } = problem;
  const [only, ...more] = instead;
  const fixes =
    only === undefined
      ? []
      : more.length === 0
        ? [toReplacement(pattern, only)]
        : [toSeveral(text, entry, pattern, instead)];
  return [{ ...toSpan(pattern), severity: 'warning', message, fixes }];
}

function toReplacement(node: Node, value: string): RuleFix {
  const title = `Replace with ${JSON.stringify(value)}`;
  return { title, preferred: true, edits: () => [replaceNode(node, value)] };
}

/** The same rule again for each pattern. */
function toSeveral(
  text: string,
  { node }: RuleEntry,
  pattern: Node,
  patterns: readonly string[],
): RuleFix {
  const written = (each: string) =>
    text.slice(node.offset, pattern.offset) +
    JSON.stringify(each) +
    text.slice(pattern.offset + pattern.length, node.offset + node.length);
  const edits = () => [
    { offset: node.offset, length: node.length, text: patterns.map(written).join(', ') },
  ];
  return { title: `Split into ${patterns.length} rules`, preferred: true, edits };
}

function diagnoseUnneeded(
  { text, entries, lineAt }: RuleDocument,
  sound: readonly RuleEntry[],
): readonly RuleDiagnostic[] {
  const rules = sound.map(({ index, rule }) => ({ index, compiled: compile(rule) }));
  return findUnneeded(rules).flatMap((unneeded): RuleDiagnostic[] => {
    const [entry, by] = [entries[unneeded.index], entries[unneeded.by]];
    if (entry === undefined || by === undefined) return [];
    const { node } = entry;
    const isDuplicate = unneeded.why === 'duplicate';
    return [
      {
        ...toSpan(node),
        severity: isDuplicate ? 'information' : 'warning',
        message: toMessage(unneeded, by, lineAt(by.node.offset)),
        unneeded: true,
        fixes: [
          { title: 'Remove this rule', preferred: true, edits: () => removeNode(text, node) },
        ],
      },
    ];
  });
}

/** The rules that lose against one of another settings file. */
function diagnoseElsewhere(
  { text }: RuleDocument,
  sound: readonly RuleEntry[],
  elsewhere: readonly OtherFileRule[],
): readonly RuleDiagnostic[] {
  if (elsewhere.length === 0) return [];
  const findWinner = createWinnerFinder(elsewhere);
  return sound.flatMap(({ rule, node }) => {
    const winner = findWinner(compile(rule));
    return winner === undefined ? [] : [describeLoser(text, node, winner)];
  });
}

function describeLoser(
  text: string,
  node: Node,
  { compiled, where, hereOnly }: OtherFileRule,
): RuleDiagnostic {
  const reach = hereOnly ? ' in this workspace' : '';
  const message = `This rule has no effect${reach}: a rule in ${where} decides "${compiled.rule.action}" for ${toRuleSpan(compiled.rule)}.`;
  if (hereOnly) return { ...toSpan(node), severity: 'information', message };
  const remove = { title: 'Remove this rule', edits: () => removeNode(text, node) };
  return { ...toSpan(node), severity: 'warning', message, unneeded: true, fixes: [remove] };
}

function toMessage({ why }: UnneededRule, { rule }: RuleEntry, line: number): string {
  if (why === 'duplicate') return `This rule has no effect: line ${line} is the same rule.`;
  return `This rule has no effect: line ${line} decides "${rule.action}" for ${toRuleSpan(rule)}.`;
}
