import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  parse,
  parseTree,
  visit,
} from 'jsonc-parser';
import { toRecord } from '../base/json.ts';

const KEY = 'gatehouse.permissions';

/** A rule as settings files have it. */
export interface SettingsRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
  /** Milliseconds since the epoch. */
  readonly added_at?: number;
}

/** Appends rules as `addRule` does, all at once. */
export function addRules(
  text: string,
  rules: readonly SettingsRule[],
  section: readonly string[] = [],
): string {
  const [first] = rules;
  if (first === undefined) return text;
  const added = addRule(text, first, section);
  const node = findRules(added, section).at(-1);
  if (node === undefined || rules.length === 1) return added;
  const line = added.slice(added.lastIndexOf('\n', node.offset) + 1, node.offset);
  const own = added.slice(node.offset, node.offset + node.length);
  const indent = line.trim() === '' ? line : undefined;
  const unit = /^\t/m.test(text) ? '\t' : 2;
  const eol = endOfLine(added);
  const texts = rules
    .slice(1)
    .map((rule) =>
      indent === undefined
        ? JSON.stringify(rule)
        : JSON.stringify(rule, undefined, unit).replaceAll('\n', `${eol}${indent}`),
    );
  const joined = [own, ...texts].join(indent === undefined ? ', ' : `,${eol}${indent}`);
  return added.slice(0, node.offset) + joined + added.slice(node.offset + node.length);
}

/**
 * Appends a rule to the text of a settings file and keeps comments and layout. `section` is
 * `settings` in a `.code-workspace` file. Throws if the file does not contain a JSON object.
 */
export function addRule(text: string, rule: SettingsRule, section: readonly string[] = []): string {
  const source = text.trim() === '' ? '{}\n' : text;
  if (parseTree(source, undefined, { allowTrailingComma: true })?.type !== 'object') {
    throw new Error(
      'The rule was not saved: the settings file does not contain a JSON object. Fix the file and try again.',
    );
  }
  const known: unknown = [...section, KEY].reduce<unknown>(
    (value, key) => toRecord(value)[key],
    parse(source, undefined, { allowTrailingComma: true }),
  );
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(source),
    tabSize: 2,
    eol: endOfLine(source),
  };
  const rules = Array.isArray(known) ? known : undefined;
  const edits = rules
    ? modify(source, [...section, KEY, rules.length], rule, {
        formattingOptions,
        isArrayInsertion: true,
      })
    : modify(source, [...section, KEY], [rule], { formattingOptions });
  return applyEdits(source, edits);
}

/**
 * Removes the newest rule that equals `rule`, wherever the file has it by now. Undefined if there is
 * none.
 */
export function removeRule(
  text: string,
  rule: SettingsRule,
  section: readonly string[] = [],
): string | undefined {
  const found = findRules(text, section);
  const index = found.findLastIndex((node) => isSame(getNodeValue(node), rule));
  if (index < 0) return undefined;
  const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: 2, eol: endOfLine(text) };
  return applyEdits(text, modify(text, [...section, KEY, index], undefined, { formattingOptions }));
}

/** An offset in the text of a settings file. `exact`: of the rule itself, not only of the rules. */
export interface RuleOffset {
  readonly offset: number;
  readonly exact: boolean;
}

/**
 * The newest rule that equals `rule`, or the invalid one at `index`, which reads as another rule; the
 * list of rules if it is gone; undefined without a list.
 */
export function findRuleOffset(
  text: string,
  rule: SettingsRule,
  { section = [], index }: { readonly section?: readonly string[]; readonly index?: number } = {},
): RuleOffset | undefined {
  const found = findRules(text, section);
  const node =
    found.findLast((each) => isSame(getNodeValue(each), rule)) ??
    found.find((each, at) => at === index && !isReadable(getNodeValue(each)));
  if (node !== undefined) return { offset: node.offset, exact: true };
  const offset = findRulesOffset(text, section);
  return offset === undefined ? undefined : { offset, exact: false };
}

/** The offset of the list of rules; undefined without one. */
export function findRulesOffset(text: string, section: readonly string[]): number | undefined {
  const tree = parseTree(text, undefined, { allowTrailingComma: true });
  return tree && findNodeAtLocation(tree, [...section, KEY])?.offset;
}

function isReadable(value: unknown): boolean {
  const { permission, pattern, action } = toRecord(value);
  const known = action === 'allow' || action === 'ask' || action === 'deny';
  return known && typeof permission === 'string' && typeof pattern === 'string';
}

/** The offset of a rule in a document whose root is a list of rules. */
export function findListedRule(text: string, rule: SettingsRule): number | undefined {
  const list = parseTree(text, undefined, { allowTrailingComma: true });
  return list?.children?.find((each) => isSame(getNodeValue(each), rule))?.offset;
}

/** The entries of the list of rules as they are, valid or not. */
export function readRules(text: string, section: readonly string[] = []): readonly unknown[] {
  return findRules(text, section).map((node): unknown => getNodeValue(node));
}

function findRules(text: string, section: readonly string[]): readonly Node[] {
  const tree = parseTree(text, undefined, { allowTrailingComma: true });
  const rules = tree && findNodeAtLocation(tree, [...section, KEY]);
  return rules?.type === 'array' ? (rules.children ?? []) : [];
}

/** Whether a stored value is this rule; other fields, such as comments of the user's own, may differ. */
export function isSame(value: unknown, rule: SettingsRule): boolean {
  const { permission, pattern, action } = toRecord(value);
  return permission === rule.permission && pattern === rule.pattern && action === rule.action;
}

/** Whether the rules in a settings text contain comments, which `config.update` would remove. */
export function hasCommentsInRules(text: string): boolean {
  const node = parseTree(text, undefined, { allowTrailingComma: true });
  const property = node?.children?.find((each) => each.children?.[0]?.value === KEY);
  if (property === undefined) return false;
  let found = false;
  visit(text, {
    onComment: (offset) => {
      if (offset > property.offset && offset < property.offset + property.length) found = true;
    },
  });
  return found;
}

function endOfLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
