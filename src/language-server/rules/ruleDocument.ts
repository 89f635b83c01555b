import { getNodeValue, type Node, type ParseOptions, parseTree } from 'jsonc-parser';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { isRulesPath } from '../../base/rulesPath.ts';
import { parseRules, type RuleProblem } from '../../permissions/rules/parseRules.ts';
import type { Rule } from '../../permissions/rules/rule.ts';

/** The rules of an open settings file, as the gate reads them. */
export interface RuleDocument {
  readonly text: string;
  readonly entries: readonly RuleEntry[];
  /** Problems that are not in one entry: the list is not an array, or can't be read. */
  readonly problems: readonly RuleProblem[];
  /** The value of `gatehouse.permissions` that counts. Undefined: the file is nested too deeply. */
  readonly list: Node | undefined;
  /** Earlier values of the same setting, which the last one replaces. */
  readonly replaced: readonly Node[];
  /** The line of an offset, from 1. */
  lineAt(offset: number): number;
}

/** One entry of the list. */
export interface RuleEntry {
  readonly index: number;
  readonly node: Node;
  /** Broken if the entry is invalid; then it has no effect but to turn an allow into an ask. */
  readonly rule: Rule;
  readonly problems: readonly RuleProblem[];
  /** The fields by name; of a repeated name the last one, which counts. */
  readonly fields: ReadonlyMap<string, RuleField>;
}

export interface RuleField {
  readonly key: Node;
  readonly value: Node | undefined;
}

/** Undefined if the document is not a settings file or has no rules. */
export function readRuleDocument(uri: string, text: string): RuleDocument | undefined {
  if (!isRulesPath(uri) || !text.includes('permissions')) return undefined;
  try {
    return parseDocument(text);
  } catch (error) {
    // The parser and the reading of values are recursive.
    if (!(error instanceof RangeError)) throw error;
    const message = 'This file is nested too deeply, so its rules can’t be read.';
    const problems = [{ index: -1, message }];
    return { text, entries: [], problems, list: undefined, replaced: [], lineAt: () => 1 };
  }
}

/** The entry at an offset of the text. */
export function findEntry(entries: readonly RuleEntry[], offset: number): RuleEntry | undefined {
  return entries.find(({ node }) => node.offset <= offset && offset <= node.offset + node.length);
}

const LENIENT: ParseOptions = { allowTrailingComma: true };

function parseDocument(text: string): RuleDocument | undefined {
  const root = parseTree(text, undefined, LENIENT);
  const lists = root === undefined ? [] : findLists(root);
  const list = lists.at(-1);
  if (list === undefined) return undefined;
  const parsed = parseRules(withoutSources(getNodeValue(list)), 'project');
  const byIndex = Map.groupBy(parsed.problems, ({ index }) => index);
  const nodes = list.type === 'array' ? (list.children ?? []) : [];
  const entries = nodes.flatMap((node, index): RuleEntry[] => {
    const rule = parsed.rules[index];
    if (rule === undefined) return [];
    const problems = byIndex.get(index) ?? [];
    return [{ index, node, rule, problems, fields: readFields(node) }];
  });
  const problems = byIndex.get(-1) ?? [];
  return { text, entries, problems, list, replaced: lists.slice(0, -1), lineAt: countLines(text) };
}

/** A file can't set the scope of its rules, so the host ignores the field. */
function withoutSources(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return entry;
    const { source: _, ...fields } = { source: undefined, ...entry };
    return fields;
  });
}

/** The values of the setting, in the order of the file. A `.code-workspace` file nests them. */
function findLists(root: Node): readonly Node[] {
  const own = findValues(root, 'gatehouse.permissions');
  if (own.length > 0) return own;
  return findValues(root, 'settings').flatMap((each) => findValues(each, 'gatehouse.permissions'));
}

function findValues(node: Node, name: string): readonly Node[] {
  if (node.type !== 'object') return [];
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key?.value === name && value !== undefined ? [value] : [],
  );
}

function readFields(node: Node): ReadonlyMap<string, RuleField> {
  if (node.type !== 'object') return new Map();
  return new Map(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key === undefined ? [] : [[String(key.value), { key, value }] as const],
    ),
  );
}

function countLines(text: string): RuleDocument['lineAt'] {
  const uri = 'file:///settings.json';
  const document = TextDocument.create(uri, 'jsonc', 0, text);
  return (offset) => document.positionAt(offset).line + 1;
}
