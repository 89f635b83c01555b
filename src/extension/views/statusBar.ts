import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { Asks } from '../asks/asks.ts';
import type { Chats } from '../chat/chats.ts';
import type { SandboxStore } from '../host/sandboxStore.ts';
import type { Translate } from '../text/translate.ts';
import type { ChatView } from './chatView.ts';
import { showStatus, statusText, toBadge } from './statusText.ts';
import type { Unread } from './unread.ts';

export interface StatusParts {
  readonly chats: Chats;
  readonly asks: Asks;
  readonly unread: Unread;
  readonly sandbox: SandboxStore;
  readonly t: Translate;
}

/** Updates the status bar, the badge and the context keys for all sessions of the window. */
export function keepStatus(
  { chats, asks, unread, sandbox, t }: StatusParts,
  sidebar: ChatView,
): vscode.Disposable {
  const store = new DisposableStore();
  const item = store.add(
    vscode.window.createStatusBarItem('gatehouse.status', vscode.StatusBarAlignment.Left, 50),
  );
  const warning = new vscode.ThemeColor('statusBarItem.warningBackground');
  item.name = 'Gatehouse';
  let shown = '';
  const update = () => {
    const { running } = chats;
    const { current } = asks;
    const status = statusText({ running, current, sandbox: sandbox.status }, t);
    const badge = toBadge(asks.pending.length, unread.count, t);
    const key = JSON.stringify([status, badge]);
    if (key === shown) return;
    shown = key;
    showStatus(item, status, warning);
    sidebar.setBadge(badge);
    void vscode.commands.executeCommand('setContext', 'gatehouse.running', running);
    void vscode.commands.executeCommand('setContext', 'gatehouse.waiting', current !== undefined);
  };
  update();
  item.show();
  store.add(chats.onDidChange(update));
  store.add(asks.onDidChange(update));
  store.add(unread.onDidChange(update));
  store.add(sandbox.onDidChange(update));
  return store;
}
