import { applyEdits, parse } from 'jsonc-parser';
import {
  diagnoseRules,
  type RuleDiagnostic,
} from '../../../../src/language-server/rules/diagnostics.ts';
import type { RuleFix } from '../../../../src/language-server/rules/edits.ts';
import {
  type RuleDocument,
  readRuleDocument,
} from '../../../../src/language-server/rules/ruleDocument.ts';

export const URI = 'file:///w/.vscode/settings.json';

/** A settings file with this list of rules, or any other value in its place. */
export function toSettings(rules: unknown): string {
  return `{\n  // Mine.\n  "gatehouse.permissions": ${JSON.stringify(rules, undefined, 2)}\n}\n`;
}

export function readSettings(text: string): RuleDocument {
  const document = readRuleDocument(URI, text);
  if (document === undefined) throw new Error(`no rules: ${text}`);
  return document;
}

export function diagnose(text: string, tools?: readonly string[]): readonly RuleDiagnostic[] {
  return diagnoseRules(readSettings(text), tools);
}

/** The text after a fix, and its rules. */
export function apply(text: string, fix: RuleFix): { readonly text: string; rules: unknown } {
  const edits = fix.edits().map(({ text: content, ...span }) => ({ ...span, content }));
  const next = applyEdits(text, edits);
  return { text: next, rules: parse(next)['gatehouse.permissions'] };
}
