import * as vscode from 'vscode';
import type { Translate } from '../text/translate.ts';
import type { UnreviewedStore } from './unreviewedStore.ts';

/** The number of unreviewed files in the status bar; it opens their diff. */
export function showUnreviewedStatus(store: UnreviewedStore, t: Translate): vscode.Disposable {
  const item = vscode.window.createStatusBarItem(
    'gatehouse.unreviewed',
    vscode.StatusBarAlignment.Left,
    48,
  );
  item.name = t('Gatehouse: Unreviewed Changes');
  item.command = 'gatehouse.reviewWritten';
  const update = () => {
    const count = new Set(store.all.map(({ path }) => path)).size;
    if (count === 0) return item.hide();
    const label =
      count === 1
        ? t('1 file has unreviewed changes')
        : t('{0} files have unreviewed changes', count);
    item.text = `$(request-changes) ${count}`;
    item.tooltip = t('Gatehouse: {0}', label);
    item.accessibilityInformation = { label: item.tooltip };
    item.show();
  };
  update();
  return vscode.Disposable.from(item, store.onDidChange(update));
}
