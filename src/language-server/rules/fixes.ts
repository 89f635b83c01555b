import type { Node } from 'jsonc-parser';
import type { RuleProblem } from '../../permissions/rules/parseRules.ts';
import { removeNode } from '../../settings/jsonEdits.ts';
import { getKind } from './checks/kinds.ts';
import { findNear, PERMISSIONS } from './checks/names.ts';
import { repairPattern } from './checks/patternProblems.ts';
import { addProperty, type RuleFix, replaceNode } from './edits.ts';
import { findEntry, type RuleDocument, type RuleEntry } from './ruleDocument.ts';

const ACTIONS = ['ask', 'deny', 'allow'] as const;

/** What repairs a problem that the gate has with a rule. None of it is applied without the user. */
export function repairProblem(
  text: string,
  entry: RuleEntry,
  { field }: RuleProblem,
): readonly RuleFix[] {
  const value = field === undefined ? undefined : entry.fields.get(field)?.value;
  if (value === undefined) return repairMissing(entry);
  switch (field) {
    case 'action':
      return repairAction(value);
    case 'permission':
      return replaceBy(value, (written) => findNear(written, PERMISSIONS));
    case 'pattern':
      return replaceBy(value, (written) => repairPattern(entry.rule.permission, written));
    default: {
      const property = value.parent;
      if (property === undefined) return [];
      return [{ title: `Remove "${field}"`, edits: () => removeNode(text, property) }];
    }
  }
}

/** Only the action: what a rule is about can't be guessed. */
function repairMissing({ node, fields }: RuleEntry): readonly RuleFix[] {
  const has = (name: string) => fields.has(name);
  if (node.type !== 'object' || has('action') || !has('permission') || !has('pattern')) return [];
  return ACTIONS.map((action) => ({
    title: `Add "action": "${action}"`,
    edits: () => addProperty(node, 'action', action),
  }));
}

function repairAction(value: Node): readonly RuleFix[] {
  const written = typeof value.value === 'string' ? value.value : '';
  const near = SYNONYMS[written.toLowerCase()] ?? findNear(written, ACTIONS);
  const first = ACTIONS.filter((action) => action === near);
  return [...first, ...ACTIONS.filter((action) => action !== near)].map((action) => ({
    title: `Replace with "${action}"`,
    ...(action === near && { preferred: true as const }),
    edits: () => [replaceNode(value, action)],
  }));
}

/** The words of other products. */
const SYNONYMS: Readonly<Record<string, (typeof ACTIONS)[number]>> = {
  permit: 'allow',
  accept: 'allow',
  approve: 'allow',
  block: 'deny',
  forbid: 'deny',
  reject: 'deny',
  refuse: 'deny',
  prompt: 'ask',
  confirm: 'ask',
};

function replaceBy(
  value: Node | undefined,
  repair: (written: string) => string | undefined,
): readonly RuleFix[] {
  if (value === undefined || typeof value.value !== 'string') return [];
  const better = repair(value.value);
  if (better === undefined) return [];
  const title = `Replace with ${JSON.stringify(better)}`;
  return [{ title, preferred: true, edits: () => [replaceNode(value, better)] }];
}

/** A rule that stands where the list belongs. */
export function repairNothing({ type, offset, length }: Node, text: string): readonly RuleFix[] {
  if (type !== 'object') return [];
  const edits = () => [{ offset, length, text: `[${text.slice(offset, offset + length)}]` }];
  return [{ title: 'Put the rule into a list', preferred: true, edits }];
}

/** Changes of the rule at an offset that are no repairs. */
export function refactorAt({ entries }: RuleDocument, offset: number): readonly RuleFix[] {
  const entry = findEntry(entries, offset);
  const pattern = entry?.fields.get('pattern')?.value;
  if (entry === undefined || pattern === undefined || entry.problems.length > 0) return [];
  const { rule } = entry;
  // A name alone is one file or folder below the workspace folder.
  if (getKind(rule.permission) !== 'path' || !/^(?!~$|\*+$)[^/\\{]+$/.test(rule.pattern)) return [];
  const wide = `**/${rule.pattern}`;
  const title = `Match in every folder: ${JSON.stringify(wide)}`;
  return [{ title, edits: () => [replaceNode(pattern, wide)] }];
}
