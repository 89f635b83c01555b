import {
  type CodeAction,
  CodeActionKind,
  type CodeLens,
  type CompletionItem,
  type Connection,
  type Hover,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { parseRuleWindow, RULE_WINDOW_METHOD } from '../../base/tools/ruleWindow.ts';
import type { TextEdit } from '../../declared/manifest/diagnostic.ts';
import type { RuleDiagnostic } from './diagnostics.ts';
import type { RuleFix } from './edits.ts';
import { refactorAt } from './fixes.ts';
import type { OpenRules } from './openRules.ts';
import { findOtherRules } from './otherFiles.ts';
import { completeRule } from './ruleCompletion.ts';
import { hoverRule } from './ruleHover.ts';
import { findLenses } from './ruleLenses.ts';

/** The answers about rules. Each is undefined for a document that has no rules. */
export interface RuleServer {
  complete(uri: string, position: Position): readonly CompletionItem[] | undefined;
  hover(uri: string, position: Position): Hover | undefined;
  actions(uri: string, range: Range): readonly CodeAction[] | undefined;
  lenses(uri: string): readonly CodeLens[];
}

/** Converts a problem of a rule to what the editor shows. */
export type ToDiagnostic<Shown> = (text: TextDocument, diagnostic: RuleDiagnostic) => Shown;

/** Takes what the editor says about its window, and publishes the diagnostics that depend on it. */
export function registerWindow(
  connection: Connection,
  rules: OpenRules,
  changed: () => void,
): void {
  connection.onNotification(RULE_WINDOW_METHOD, (window: unknown) => {
    rules.setWindow(parseRuleWindow(window));
    changed();
  });
}

export function serveRules(
  documents: { get(uri: string): TextDocument | undefined },
  rules: OpenRules,
  toDiagnostic: ToDiagnostic<NonNullable<CodeAction['diagnostics']>[number]>,
): RuleServer {
  const open = (uri: string) => {
    const [text, document] = [documents.get(uri), rules.get(uri)];
    return text === undefined || document === undefined ? undefined : { text, document };
  };
  return {
    complete(uri, position) {
      const found = open(uri);
      return found && completeRule(found.document, found.text, position, rules.window);
    },
    hover(uri, position) {
      const found = open(uri);
      if (found === undefined) return undefined;
      const others = findOtherRules(uri, rules.window);
      return hoverRule(found.document, found.text, position, others, rules.window.tools);
    },
    lenses(uri) {
      const found = open(uri);
      return found === undefined ? [] : findLenses(found.document, found.text, rules.window.uses);
    },
    actions(uri, range) {
      const found = open(uri);
      if (found === undefined) return undefined;
      const { text, document } = found;
      const [start, end] = [text.offsetAt(range.start), text.offsetAt(range.end)];
      const touched = (rules.diagnostics(uri) ?? []).filter(
        ({ offset, length }) => offset <= end && start <= offset + length,
      );
      const toAction = toActionIn(uri, text);
      const fixes = touched.flatMap((diagnostic) =>
        (diagnostic.fixes ?? []).map((fix) => ({
          ...toAction(fix, CodeActionKind.QuickFix),
          diagnostics: [toDiagnostic(text, diagnostic)],
        })),
      );
      const others = refactorAt(document, start);
      return [...fixes, ...others.map((each) => toAction(each, CodeActionKind.RefactorRewrite))];
    },
  };
}

function toActionIn(uri: string, text: TextDocument) {
  const toRange = ({ offset, length }: TextEdit): Range => ({
    start: text.positionAt(offset),
    end: text.positionAt(offset + length),
  });
  return ({ title, preferred, edits }: RuleFix, kind: string): CodeAction => ({
    title,
    kind,
    ...(preferred && { isPreferred: true }),
    edit: {
      changes: { [uri]: edits().map((edit) => ({ range: toRange(edit), newText: edit.text })) },
    },
  });
}
