import * as vscode from 'vscode';
import type { Asks, QueuedAsk } from '../asks/asks.ts';
import { readSetting } from '../setup/settings.ts';
import type { Translate } from '../text/translate.ts';

/** Shows a notification for each new request, depending on `gatehouse.notify.whenWaiting`. */
export function notifyWhenWaiting(
  asks: Asks,
  t: Translate,
  show: (pending: QueuedAsk) => void,
): vscode.Disposable {
  let known = new Set<string>();
  return asks.onDidChange(() => {
    const fresh = asks.pending.find(({ ask }) => !known.has(ask.id));
    known = new Set(asks.pending.map(({ ask }) => ask.id));
    const when = readSetting(vscode.workspace, 'notify.whenWaiting');
    if (fresh === undefined || when === 'off') return;
    if (when === 'windowNotFocused' && vscode.window.state.focused) return;
    void notify(fresh, t, show);
  });
}

async function notify(
  pending: QueuedAsk,
  t: Translate,
  show: (pending: QueuedAsk) => void,
): Promise<void> {
  const { ask } = pending;
  const what = ask.kind === 'permission' ? ask.title : ask.message;
  const button = t('Show');
  const chosen = await vscode.window.showInformationMessage(
    t('The agent needs your answer: {0}', what),
    button,
  );
  if (chosen === button) show(pending);
}
