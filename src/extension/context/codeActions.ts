import * as vscode from 'vscode';
import type { Translate } from '../text/translate.ts';
import { toTextBlock } from './blocks.ts';
import type { ContextCandidate } from './lookUp.ts';
import { describeProblems } from './problems.ts';
import { toSelection } from './sources.ts';

/** What the actions on a problem pass to their commands. */
export interface ProblemTarget {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  readonly problems: readonly vscode.Diagnostic[];
}

/** Offers *Fix* and *Explain* on the problems of a file, unless the user turned them off. */
export function offerCodeActions(t: Translate, enabled: () => boolean): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { scheme: 'file' },
    {
      provideCodeActions({ uri }, _range, { diagnostics }) {
        const [first, ...others] = diagnostics;
        if (first === undefined || !enabled()) return [];
        const range = others.reduce((all, each) => all.union(each.range), first.range);
        const target: ProblemTarget = { uri, range, problems: diagnostics };
        return [
          toAction(t('Fix with Gatehouse'), 'gatehouse.fixProblem', target),
          toAction(t('Explain with Gatehouse'), 'gatehouse.explainProblem', target),
        ];
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}

function toAction(title: string, command: string, target: ProblemTarget): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.command = { title, command, arguments: [target] };
  action.diagnostics = [...target.problems];
  return action;
}

/** The lines with the problems, and the problems. Nothing for the argument of another command. */
export async function readProblems(
  target: unknown,
  t: Translate,
): Promise<readonly ContextCandidate[]> {
  if (!isTarget(target)) return [];
  const document = await vscode.workspace.openTextDocument(target.uri);
  const label = t('Problems');
  const path = vscode.workspace.asRelativePath(target.uri);
  const text = describeProblems([[path, target.problems]]);
  const problems: ContextCandidate = {
    ...{ kind: 'problems', label },
    read: async () => toTextBlock(label, text),
  };
  return [toSelection(document, target.range), problems];
}

function isTarget(value: unknown): value is ProblemTarget {
  if (typeof value !== 'object' || value === null) return false;
  const { uri, range, problems } = value as Partial<ProblemTarget>;
  return uri instanceof vscode.Uri && range instanceof vscode.Range && Array.isArray(problems);
}
