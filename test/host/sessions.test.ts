import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Gatehouse } from '../../src/extension/gatehouse.ts';
import { until } from '../workbench/processes.ts';

suite('sessions', () => {
  let gatehouse: Gatehouse;

  suiteSetup(async () => {
    const extension = vscode.extensions.getExtension<Gatehouse>('gatehouse.gatehouse');
    assert.ok(extension);
    gatehouse = await extension.activate();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  suiteTeardown(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  /** Starts a session that the host stores. */
  async function createSession(): Promise<string> {
    const { chats } = gatehouse;
    return chats.ensure(chats.blank());
  }

  test('a session opens in an editor, once, and is reopened after it was closed', async () => {
    const id = await createSession();
    const row = { kind: 'session', id, label: 'One' };
    await vscode.commands.executeCommand('gatehouse.openChatInEditor', row);
    await vscode.commands.executeCommand('gatehouse.openChatInEditor', row);
    assert.equal(chatTabs().length, 1);
    assert.equal(gatehouse.chats.withId(id)?.watched, true);
    await vscode.window.tabGroups.close([...chatTabs()]);
    await until('the closed chat', () => !gatehouse.chats.withId(id)?.watched || undefined);
    await vscode.commands.executeCommand('gatehouse.reopenSession');
    await until('the reopened chat', () => gatehouse.chats.withId(id)?.watched || undefined);
    assert.equal(chatTabs().length, 1);
    await vscode.window.tabGroups.close([...chatTabs()]);
  });

  test('the session of the side bar moves to an editor, and a new chat is in its stead', async () => {
    const id = await createSession();
    const row = { kind: 'session', id, label: 'Two' };
    await vscode.commands.executeCommand('gatehouse.openSession', row);
    const session = gatehouse.chats.withId(id);
    assert.equal(session?.watched, true);
    await vscode.commands.executeCommand('gatehouse.openChatInEditor', row);
    assert.equal(chatTabs().length, 1);
    await vscode.window.tabGroups.close([...chatTabs()]);
    await until('the closed chat', () => !session?.watched || undefined);
  });

  test('the view lists the sessions of the open folder, the newest group first', async () => {
    const id = await createSession();
    await vscode.commands.executeCommand('gatehouse.sessions.focus');
    await vscode.commands.executeCommand('gatehouse.refreshSessions');
    const { groups } = gatehouse.sessions.view;
    const today = await until('the session', async () => {
      const found = (await groups()).find(({ items }) => items.some((item) => item.id === id));
      return found;
    });
    assert.equal(today.label, 'Today');
    assert.equal(today.items.find((item) => item.id === id)?.label, 'Untitled session');
  });
});

/** The tabs of chats in editors. */
function chatTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputWebview && input.viewType.endsWith('gatehouse.chatEditor'),
    );
}
