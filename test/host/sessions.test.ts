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
    await oneTab();
    assert.equal(gatehouse.chats.withId(id)?.watched, true);
    await vscode.window.tabGroups.close([...chatTabs()]);
    await until('the closed chat', () => !gatehouse.chats.withId(id)?.watched || undefined);
    await vscode.commands.executeCommand('gatehouse.reopenSession');
    await until('the reopened chat', () => gatehouse.chats.withId(id)?.watched || undefined);
    await oneTab();
    await vscode.window.tabGroups.close([...chatTabs()]);
  });

  test('the session of the side bar moves to an editor, and a new chat is in its stead', async () => {
    const id = await createSession();
    const row = { kind: 'session', id, label: 'Two' };
    await vscode.commands.executeCommand('gatehouse.openSession', row);
    const session = gatehouse.chats.withId(id);
    assert.equal(session?.watched, true);
    await vscode.commands.executeCommand('gatehouse.openChatInEditor', row);
    await oneTab();
    await vscode.window.tabGroups.close([...chatTabs()]);
    await until('the closed chat', () => !session?.watched || undefined);
  });

  test('the view lists the sessions of the open folder, the newest group first', async () => {
    const id = await createSession();
    await vscode.commands.executeCommand('gatehouse.sessions.focus');
    await vscode.commands.executeCommand('gatehouse.refreshSessions');
    await until('the session', async () => (await group(id)) === 'Today' || undefined);
    const row = await find(id);
    assert.equal(row?.label, 'Untitled session');
    await vscode.commands.executeCommand('gatehouse.pinSession', row);
    assert.equal(await group(id), 'Pinned');
    assert.equal((await gatehouse.sessions.view.groups())[0]?.label, 'Pinned');
    await vscode.commands.executeCommand('gatehouse.archiveSession', row);
    assert.equal(await group(id), undefined);
    await vscode.commands.executeCommand('gatehouse.showArchivedSessions');
    assert.equal(await group(id), 'Archived');
    await vscode.commands.executeCommand('gatehouse.unarchiveSession', row);
    await vscode.commands.executeCommand('gatehouse.hideArchivedSessions');
    assert.equal(await group(id), 'Pinned');
    await vscode.commands.executeCommand('gatehouse.unpinSession', row);
    assert.equal(await group(id), 'Today');
  });

  test('a fork is a session of its own, which the chat shows', async () => {
    const id = await createSession();
    const before = gatehouse.chats.all.length;
    await vscode.commands.executeCommand('gatehouse.forkSession', {
      ...{ kind: 'session', id, label: 'Three' },
    });
    const fork = gatehouse.chats.all.find((each) => each.watched && each.id !== undefined);
    assert.ok(fork?.id);
    assert.notEqual(fork.id, id);
    assert.equal(gatehouse.chats.all.length, before + 1);
    assert.equal(await group(fork.id), 'Today');
  });

  test('Copy as Markdown copies a message, and Show Accessible Transcript opens the session as text', async () => {
    const id = await createSession();
    await vscode.commands.executeCommand('gatehouse.openSession', {
      ...{ kind: 'session', id, label: 'Four' },
    });
    const session = gatehouse.chats.withId(id);
    assert.ok(session);
    const text = '**Bold** words.';
    session.update({
      ...{ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
    });
    const message = session.state.items.find((item) => item.kind === 'agent');
    await vscode.commands.executeCommand('gatehouse.copyMessage', { messageId: message?.id });
    assert.equal(await vscode.env.clipboard.readText(), text);
    await vscode.commands.executeCommand('gatehouse.showTranscript');
    const shown = await until('the transcript', () => vscode.window.activeTextEditor?.document);
    assert.match(shown.getText(), /^Gatehouse:\n\*\*Bold\*\* words\.$/m);
  });

  async function find(id: string) {
    const groups = await gatehouse.sessions.view.groups();
    return groups.flatMap(({ items }) => items).find((item) => item.id === id);
  }

  /** The heading of the group that lists a session. */
  async function group(id: string): Promise<string | undefined> {
    const groups = await gatehouse.sessions.view.groups();
    return groups.find(({ items }) => items.some((item) => item.id === id))?.label;
  }
});

/** The editor reports its tabs a moment later. */
async function oneTab(): Promise<void> {
  await until('the tab', () => chatTabs().length > 0 || undefined);
  assert.equal(chatTabs().length, 1);
}

/** The tabs of chats in editors. */
function chatTabs(): readonly vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputWebview && input.viewType.endsWith('gatehouse.chatEditor'),
    );
}
