import * as vscode from 'vscode';
import type { StartSuggestion } from '../../webview/messages/chatState.ts';
import { isTestCommand } from './testCommand.ts';

const t = vscode.l10n.t;

/** What the workspace suggests to ask: a failing test, errors, the open file, changes that aren't committed. */
export interface SuggestionSources {
  /** The last command of the user's terminals. */
  readonly terminal: { readonly last: string | undefined; readonly exitCode: number | undefined };
  changes(): boolean;
}

export function findSuggestions({
  terminal,
  changes,
}: SuggestionSources): readonly StartSuggestion[] {
  const { last, exitCode } = terminal;
  const document = vscode.window.activeTextEditor?.document;
  const open = document?.uri.scheme === 'file' ? document.uri : undefined;
  const file = open && vscode.workspace.asRelativePath(open);
  const errors = open === undefined ? 0 : countErrors(open);
  return [
    ...(last !== undefined && exitCode !== undefined && exitCode !== 0 && isTestCommand(last)
      ? [say(t('Fix the failing test'), t('`{0}` failed. Find out why and fix it.', last))]
      : []),
    ...(file !== undefined && errors > 0
      ? [say(t('Fix the errors in {0}', file), t('Fix the errors in `{0}`.', file))]
      : []),
    ...(changes()
      ? [say(t('Review my changes'), t('Review my uncommitted changes: what could go wrong?'))]
      : []),
    ...(file !== undefined
      ? [say(t('Explain {0}', file), t('Explain what `{0}` does and how it is used.', file))]
      : []),
    say(
      t('Explain this project'),
      t('Give me an overview of this project: its parts, and how to run and test it.'),
    ),
  ].slice(0, MOST);
}

const MOST = 3;

function say(label: string, text: string): StartSuggestion {
  return { label, text };
}

function countErrors(uri: vscode.Uri): number {
  const { Error: error } = vscode.DiagnosticSeverity;
  return vscode.languages.getDiagnostics(uri).filter(({ severity }) => severity === error).length;
}
