import * as vscode from 'vscode';
import { systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { Translate } from '../../text/translate.ts';
import type { ProposedFile } from '../proposal/proposedFile.ts';
import type { ReviewStore } from '../proposal/reviewStore.ts';
import { parseReviewUri } from '../proposal/reviewUri.ts';
import { findCursor, findHunkAt } from './hunkEditor.ts';
import type { Reviews } from './reviews.ts';
import { getCall, type Review } from './reviewTabs.ts';

export interface ReviewStatusParts {
  readonly store: ReviewStore;
  readonly reviews: Reviews;
  readonly t: Translate;
}

/** Milliseconds without a change until the status follows. */
const SETTLE = 50;

/** The pending review of the active editor. */
export function findActiveReview({
  store,
  reviews,
}: Pick<ReviewStatusParts, 'store' | 'reviews'>): Review | undefined {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  const call = tab && getCall(tab);
  const [file] = call ? store.files(call) : [];
  const shown = file ?? findCursor(store)?.file;
  return shown && reviews.withFile(shown);
}

/**
 * Keeps the context key `gatehouse.reviewing` (a pending review is in the active editor) and the
 * status bar's "2 of 5". VS Code itself puts the cursor of a new diff on its first change.
 */
export function watchReviewEditor(parts: ReviewStatusParts): vscode.Disposable {
  const { store, reviews, t } = parts;
  const item = vscode.window.createStatusBarItem(
    'gatehouse.review',
    vscode.StatusBarAlignment.Left,
    49,
  );
  item.name = t('Gatehouse Review');
  item.command = 'gatehouse.nextChange';
  let reviewing = false;
  const update = () => {
    const review = findActiveReview(parts);
    if (reviewing !== (review !== undefined)) {
      reviewing = review !== undefined;
      void vscode.commands.executeCommand('setContext', 'gatehouse.reviewing', reviewing);
    }
    // A document has no changes to go through.
    if (review === undefined || review.files.some(isDocument)) return item.hide();
    const text = toStatus(review, store, t);
    item.text = text.short;
    item.tooltip = text.long;
    item.accessibilityInformation = { label: text.long };
    item.show();
  };
  update();
  let timer: Disposable | undefined;
  const updateSoon = () => {
    timer?.dispose();
    timer = systemClock.after(SETTLE, update);
  };
  return vscode.Disposable.from(
    item,
    { dispose: () => timer?.dispose() },
    // Not for each key: the hunks of a large document take a while to find.
    store.onDidChange(updateSoon),
    reviews.onDidChange(update),
    vscode.window.onDidChangeActiveTextEditor(update),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (parseReviewUri(textEditor.document.uri) !== undefined) updateSoon();
    }),
    vscode.window.tabGroups.onDidChangeTabs(update),
    vscode.window.tabGroups.onDidChangeTabGroups(update),
  );
}

function isDocument({ change }: ProposedFile): boolean {
  return change.kind === 'document';
}

function toStatus({ files }: Review, store: ReviewStore, t: Translate) {
  const cursor = findCursor(store);
  const hunk = cursor && findHunkAt(cursor);
  const all = files.flatMap((file) => file.hunks.map((each) => ({ file, key: each.key, each })));
  const at = all.findIndex(({ file, key }) => file === cursor?.file && key === hunk?.key);
  const open = all.filter(({ each }) => each.state === 'pending').length;
  const position = at < 0 ? t('{0} changes', all.length) : t('{0} of {1}', at + 1, all.length);
  return {
    short: `$(diff) ${position}`,
    long: t('Gatehouse review: {0}, {1} pending', position, open),
  };
}
