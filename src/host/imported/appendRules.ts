import { applyEdits, findNodeAtLocation, modify, type Node, parse, parseTree } from 'jsonc-parser';
import { toRecord } from '../../base/json.ts';

const KEY = 'gatehouse.permissions';

/** A rule as settings files have it. */
export interface SettingsRule {
  readonly permission: string;
  readonly pattern: string;
  readonly action: 'allow' | 'ask' | 'deny';
  /** Milliseconds since the epoch. */
  readonly added_at?: number;
}

/**
 * Appends rules to the text of a settings file and keeps comments and layout. `section` is `settings` in a
 * `.code-workspace` file. Throws if the file does not contain a JSON object.
 */
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

/** The same for one rule. */
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

function findRules(text: string, section: readonly string[]): readonly Node[] {
  const tree = parseTree(text, undefined, { allowTrailingComma: true });
  const rules = tree && findNodeAtLocation(tree, [...section, KEY]);
  return rules?.type === 'array' ? (rules.children ?? []) : [];
}

function endOfLine(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
