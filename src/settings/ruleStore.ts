import {
  getNodeValue,
  type Node,
  type ParseError,
  type ParseOptions,
  parseTree,
  stripComments,
  visit,
} from 'jsonc-parser';
import { toRecord } from '../base/json.ts';
import {
  appendChildren,
  applyJsonEdits,
  endOfLine,
  type JsonEdit,
  prependChildren,
  readUnit,
  removeNode,
  type WriteChildren,
} from './jsonEdits.ts';

const KEY = 'gatehouse.permissions';

const BYTE_ORDER_MARK = '\ufeff';

/** As VS Code reads settings. */
const LENIENT: ParseOptions = { allowTrailingComma: true };

/** A rule as settings files have it. */
export interface SettingsRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
  /** Milliseconds since the epoch. */
  readonly added_at?: number;
}

/**
 * Appends a rule to the text of a settings file, and changes nothing else in it. `section` is `settings` in a
 * `.code-workspace` file. Throws if the rule would not count there.
 */
export function addRule(text: string, rule: SettingsRule, section: readonly string[] = []): string {
  return addRules(text, [rule], section);
}

/** Appends rules as `addRule` does, all at once. */
export function addRules(
  text: string,
  rules: readonly SettingsRule[],
  section: readonly string[] = [],
): string {
  if (rules.length === 0) return text;
  // A parser takes the mark for an error; editors don't.
  if (text.startsWith(BYTE_ORDER_MARK))
    return BYTE_ORDER_MARK + addRules(text.slice(BYTE_ORDER_MARK.length), rules, section);
  const errors: ParseError[] = [];
  const source = toSource(text);
  const root = parseTree(source, errors, LENIENT);
  if (root?.type !== 'object') {
    throw new Error(
      'The rule was not saved: the settings file does not contain a JSON object. Fix the file and try again.',
    );
  }
  const [error] = errors;
  const edits = toAdded(source, root, { rules, section, damaged: error !== undefined });
  const added = applyJsonEdits(source, edits);
  if (error === undefined) return added;
  // Behind an error, VS Code may read what is added as something else, or not at all.
  const expected = [...readRules(source, section), ...rules];
  const isAhead = edits.every(({ offset }) => offset < error.offset);
  if (isAhead && JSON.stringify(readRules(added, section)) === JSON.stringify(expected))
    return added;
  const line = source.slice(0, error.offset).split('\n').length;
  throw new Error(
    `The rule was not saved: the settings file has an error in line ${line}. Fix it and try again.`,
  );
}

/** The text of a file that may be empty, or have comments only. */
function toSource(text: string): string {
  if (parseTree(text, undefined, LENIENT) !== undefined) return text;
  if (text.trim() === '') return '{}\n';
  // Comments are white space to a parser; an error is not.
  const isEmpty = stripComments(text).trim() === '';
  return isEmpty ? `${text.trimEnd()}${endOfLine(text)}{}\n` : text;
}

interface Added {
  readonly rules: readonly SettingsRule[];
  readonly section: readonly string[];
  /** The text has an error, before which a new list comes. */
  readonly damaged: boolean;
}

/** Adds to the list that counts, which is made if there is none. */
function toAdded(
  text: string,
  root: Node,
  { rules, section, damaged }: Added,
): readonly JsonEdit[] {
  const write: WriteChildren = (indent) => {
    if (indent === undefined) return rules.map((rule) => JSON.stringify(rule)).join(', ');
    const lineBreak = `${endOfLine(text)}${indent}`;
    const texts = rules.map((rule) => JSON.stringify(rule, undefined, readUnit(text)));
    return texts.map((own) => own.replaceAll('\n', lineBreak)).join(`,${lineBreak}`);
  };
  const names = [...section, KEY];
  let owner = root;
  for (const [at, name] of names.entries()) {
    const value = findLastValue(owner, name);
    const list = at === names.length - 1;
    if (value === undefined)
      return (damaged ? prependChildren : appendChildren)(
        ...([text, owner, writeProperties(text, names.slice(at), write)] as const),
      );
    if (list && value.type === 'null') {
      const inline = `[${write(undefined)}]`;
      return [{ offset: value.offset, length: value.length, text: inline }];
    }
    if (value.type !== (list ? 'array' : 'object')) throw new Error(toRefusal(name, list));
    owner = value;
  }
  return appendChildren(text, owner, write);
}

/** What can't be read may have been meant as a deny, so it is left to the user. */
function toRefusal(name: string, list: boolean): string {
  return `The rule was not saved: "${name}" in the settings file is no ${list ? 'list' : 'object'}, and may hold rules. Fix it and try again.`;
}

/** Writes properties, each in the one before, the innermost a list. */
function writeProperties(
  text: string,
  [name, ...inner]: readonly string[],
  write: WriteChildren,
): WriteChildren {
  const isList = inner.length === 0;
  const writeValue = isList ? write : writeProperties(text, inner, write);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  return (indent) => {
    const start = `${JSON.stringify(name)}: ${open}`;
    if (indent === undefined) return `${start}${writeValue(undefined)}${close}`;
    const below = `${indent}${readUnit(text)}`;
    const eol = endOfLine(text);
    return `${start}${eol}${below}${writeValue(below)}${eol}${indent}${close}`;
  };
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
  const node = findRules(text, section).findLast((each) => isSame(getNodeValue(each), rule));
  return node && applyJsonEdits(text, removeNode(text, node));
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

/** The offset of the list of rules that counts; undefined without one. */
export function findRulesOffset(text: string, section: readonly string[]): number | undefined {
  return findList(text, section)?.offset;
}

function isReadable(value: unknown): boolean {
  const { permission, pattern, action } = toRecord(value);
  const known = action === 'allow' || action === 'ask' || action === 'deny';
  return known && typeof permission === 'string' && typeof pattern === 'string';
}

/** The offset of a rule in a document whose root is a list of rules. */
export function findListedRule(text: string, rule: SettingsRule): number | undefined {
  const list = parseTree(text, undefined, LENIENT);
  return list?.children?.find((each) => isSame(getNodeValue(each), rule))?.offset;
}

/** The entries of the list of rules as they are, valid or not. */
export function readRules(text: string, section: readonly string[] = []): readonly unknown[] {
  return findRules(text, section).map((node): unknown => getNodeValue(node));
}

function findRules(text: string, section: readonly string[]): readonly Node[] {
  const list = findList(text, section);
  return list?.type === 'array' ? (list.children ?? []) : [];
}

/** The value of the setting that counts: the last one, as VS Code and the host read it. */
function findList(text: string, section: readonly string[]): Node | undefined {
  const root = parseTree(text, undefined, LENIENT);
  return [...section, KEY].reduce((node, name) => node && findLastValue(node, name), root);
}

function findLastValue(owner: Node, name: string): Node | undefined {
  if (owner.type !== 'object') return undefined;
  return owner.children?.findLast(({ children: [key] = [] }) => key?.value === name)?.children?.[1];
}

/** Whether a stored value is this rule; other fields, such as comments of the user's own, may differ. */
export function isSame(value: unknown, rule: SettingsRule): boolean {
  const { permission, pattern, action } = toRecord(value);
  return permission === rule.permission && pattern === rule.pattern && action === rule.action;
}

/**
 * Whether the setting in the text of a settings file has more than rules, which `config.update` would lose:
 * comments, or what is no list. That call also changes the first of several lists, of which the last counts.
 */
export function hasMoreThanRules(text: string): boolean {
  const root = parseTree(text, undefined, LENIENT);
  const all = (root?.children ?? []).filter(({ children: [key] = [] }) => key?.value === KEY);
  const [property] = all;
  if (property === undefined) return false;
  const value = property.children?.[1];
  if (all.length > 1 || (value?.type !== 'array' && value?.type !== 'null')) return true;
  let found = false;
  visit(text, {
    onComment: (offset) => {
      if (offset > property.offset && offset < property.offset + property.length) found = true;
    },
  });
  return found;
}
