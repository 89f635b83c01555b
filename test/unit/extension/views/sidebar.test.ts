import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { Emitter } from '../../../../src/base/event.ts';
import { webviewStrings } from '../../../../src/extension/text/webviewStrings.ts';
import { type ChatPage, ChatView } from '../../../../src/extension/views/chatView.ts';
import { AllPagesFocus } from '../../../../src/extension/views/pageFocus.ts';
import { SESSION_KEY, Sidebar } from '../../../../src/extension/views/sidebar.ts';
import type { ToWebview } from '../../../../src/webview/messages/messages.ts';
import { english } from '../english.ts';
import { emptyMemento } from '../extensionSide.ts';
import { start, until } from '../inProcessHost.ts';

/** A side bar that showed a session, in a window that opens. */
async function open(stored?: string) {
  const started = start();
  const { chats, link, clock } = started;
  const workspaceState = emptyMemento();
  if (stored !== undefined) await workspaceState.update(SESSION_KEY, stored);
  const view: ChatView = new ChatView(
    {
      ...{ clock, language: 'en', chats, chatFocus: new AllPagesFocus() },
      root: 'root' as unknown as vscode.Uri,
      joinPath: (_, name) => name as unknown as vscode.Uri,
      strings: () => webviewStrings(english),
      receive: (message, from) => message.type === 'ready' && sidebar.ready(from),
      focus: async () => undefined,
    },
    chats.blank(),
  );
  const sidebar = new Sidebar({
    ...{ workspaceState: workspaceState as vscode.Memento, chats, link, view },
    views: { showing: () => undefined },
  });
  const sent: ToWebview[] = [];
  const messages = new Emitter<unknown>();
  const page = {
    ...{ visible: true, onDidChangeVisibility: new Emitter().event },
    onDidDispose: new Emitter().event,
    webview: {
      ...{
        cspSource: 'https://page.test',
        onDidReceiveMessage: messages.event,
      },
      asWebviewUri: (uri: vscode.Uri) => uri,
      postMessage: async (message: ToWebview) => sent.push(message),
    },
  } as unknown as ChatPage;
  const count = (method: string) => started.calls.filter(([called]) => called === method).length;
  return {
    ...started,
    view,
    sidebar,
    page,
    sent,
    count,
    load: () => messages.fire({ type: 'ready' }),
  };
}

test('the host loads the session of the side bar while the page still loads', async () => {
  const { sidebar, page, view, sent, count, load } = await open('stored');
  sidebar.resolve(page);
  await until(() => (view.session.state.activity === 'idle' ? true : undefined));
  assert.deepEqual([view.session.id, count('session/load'), sent], ['stored', 1, []]);
  load();
  const [snapshot] = sent;
  assert.equal(sent.length, 1);
  assert.deepEqual(
    snapshot?.type === 'snapshot' &&
      snapshot.state.items.map((item) => ('text' in item ? item.text : '')),
    ['one, as recorded'],
  );
  assert.equal(count('session/load'), 1);
});

test('a new chat that replaced the session while the page loads stays', async () => {
  const { sidebar, page, view, chats, load } = await open('stored');
  sidebar.resolve(page);
  const blank = chats.blank();
  view.show(blank);
  load();
  assert.equal(view.session, blank);
});

test('without a stored session, opening the side bar starts the host and keeps the new chat', async () => {
  const { sidebar, page, view, count } = await open();
  sidebar.resolve(page);
  await until(() => (count('_gatehouse/configure') > 0 ? true : undefined));
  assert.equal(view.session.blank, true);
  assert.equal(count('session/load'), 0);
});
