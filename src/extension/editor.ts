import * as vscode from 'vscode';
import { systemClock } from '../base/clock.ts';
import type { PickWindow } from './asks/safePick.ts';
import { createSteadyNotices } from './asks/steadyNotices.ts';
import type { TypingEvents } from './asks/typingWatch.ts';
import type { DiffEditor } from './review/callDiffs.ts';
import type { DocumentEditor } from './review/documents.ts';
import { findFileEncoding } from './review/editors/fileEncoding.ts';
import { toReviewParts } from './review/proposal/reviewUri.ts';
import { readSetting } from './setup/settings.ts';
import type { Translate } from './text/translate.ts';

// Adapters of the VS Code API. The parts of the extension receive them instead of importing
// `vscode`, so that tests can pass fakes.

export const translate: Translate = (message, ...values) => vscode.l10n.t(message, ...values);

export const pickWindow: PickWindow & Pick<typeof vscode.window, 'showInputBox'> = {
  createQuickPick: () => vscode.window.createQuickPick(),
  showInputBox: (options?: vscode.InputBoxOptions, token?: vscode.CancellationToken) =>
    vscode.window.showInputBox(options, token),
  backButton: vscode.QuickInputButtons.Back,
  clock: systemClock,
  // The window handles messages in order, so it answers after it drew the pick. A pick's own first event
  // would tell as much, but VS Code sends none on showing a multi-select or a pick without rows.
  whenDrawn(listener) {
    void vscode.commands.executeCommand('setContext', 'gatehouse.pickDrawn', true).then(listener);
  },
};

/** Shows notices whose buttons do something. */
export const notify = createSteadyNotices(
  (message, ...buttons) => vscode.window.showInformationMessage(message, ...buttons),
  systemClock,
);

/** Shows progress that the user can cancel, and passes the signal of that to the work. */
export function runCancellable(
  title: string,
  work: (signal: AbortSignal) => Promise<void>,
): Thenable<void> {
  const location = vscode.ProgressLocation.Notification;
  return vscode.window.withProgress({ location, title, cancellable: true }, (_, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    return work(controller.signal);
  });
}

export const documentEditor: DocumentEditor = {
  workspace: vscode.workspace,
  file: vscode.Uri.file,
  replacement(uri, start, end, text) {
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, new vscode.Range(start, end), text);
    return edit;
  },
  getEncoding: (path) => findFileEncoding(vscode.Uri.file(path)),
  saveAfter(wasDirty) {
    const policy = readSetting(vscode.workspace, 'edits.save');
    return policy === 'always' || (policy === 'ifClean' && !wasDirty);
  },
};

export const diffEditor: DiffEditor = {
  workspace: vscode.workspace,
  file: vscode.Uri.file,
  review: (address) => vscode.Uri.from(toReviewParts(address)),
  async diff(left, right, title) {
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  },
  async open(document) {
    await vscode.commands.executeCommand('vscode.openWith', document, 'default', { preview: true });
  },
  t: translate,
};

export const typingEvents: TypingEvents = {
  onDidChangeTextEditorSelection: vscode.window.onDidChangeTextEditorSelection,
  onDidChangeTextDocument: vscode.workspace.onDidChangeTextDocument,
  isActiveDocument: (document) => vscode.window.activeTextEditor?.document === document,
};
