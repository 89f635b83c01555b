import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { type ReviewStore, SAVE_DELAY } from '../proposal/reviewStore.ts';
import { parseReviewUri } from '../proposal/reviewUri.ts';
import type { ReviewTabs } from './reviewTabs.ts';

/**
 * Takes the text that the user types into a proposal from the document's changes, and makes the
 * document clean shortly after, so that closing it never asks. Saving skips formatters and other save
 * participants, which would change the user's text; it works only for the active editor, so a
 * document that is not active is saved when it is active again.
 */
export function watchProposalDocuments(
  store: ReviewStore,
  tabs: Pick<ReviewTabs, 'isClosing'>,
): vscode.Disposable {
  let timer: Disposable | undefined;
  const schedule = () => {
    timer?.dispose();
    timer = systemClock.after(SAVE_DELAY, () => void saveActive());
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const address = parseReviewUri(document.uri);
      if (address?.side !== 'proposed' || contentChanges.length === 0) return;
      if (tabs.isClosing(document.uri)) return;
      store.get(address.call, address.path)?.edit(() => document.getText());
      schedule();
    }),
    vscode.window.onDidChangeActiveTextEditor(schedule),
    { dispose: () => timer?.dispose() },
  );
}

async function saveActive(): Promise<void> {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const uri =
    input instanceof vscode.TabInputTextDiff
      ? input.modified
      : vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined || parseReviewUri(uri)?.side !== 'proposed') return;
  const document = vscode.workspace.textDocuments.find(
    (each) => each.uri.toString() === uri.toString(),
  );
  if (!document?.isDirty) return;
  await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
}
