import * as vscode from 'vscode';
import { DisposableStore } from '../../base/disposable.ts';
import type { Asks } from '../asks/asks.ts';
import type { Chats } from '../chat/chats.ts';
import type { Translate } from '../text/translate.ts';
import type { ChatView } from './chatView.ts';
import { showStatus, statusText } from './statusText.ts';

export interface StatusParts {
  readonly chats: Chats;
  readonly asks: Asks;
  readonly t: Translate;
}

/** Updates the status bar, the badge and the context keys for all sessions of the window. */
export function keepStatus({ chats, asks, t }: StatusParts, sidebar: ChatView): vscode.Disposable {
  const store = new DisposableStore();
  const item = store.add(
    vscode.window.createStatusBarItem('gatehouse.status', vscode.StatusBarAlignment.Left, 50),
  );
  const warning = new vscode.ThemeColor('statusBarItem.warningBackground');
  item.name = 'Gatehouse';
  let shown = '';
  const update = () => {
    const facts = { running: chats.running, pending: asks.pending.length };
    const key = `${facts.running} ${facts.pending}`;
    if (key === shown) return;
    shown = key;
    const status = statusText(facts, t);
    showStatus(item, status, warning);
    sidebar.badge(facts.pending, status.tooltip);
    void vscode.commands.executeCommand('setContext', 'gatehouse.running', facts.running);
    void vscode.commands.executeCommand('setContext', 'gatehouse.waiting', facts.pending > 0);
  };
  update();
  item.show();
  store.add(chats.onDidChange(update));
  store.add(asks.onDidChange(update));
  return store;
}
