import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { Emitter } from '../../../../src/base/event.ts';
import { webviewStrings } from '../../../../src/extension/text/webviewStrings.ts';
import type { ChatPage } from '../../../../src/extension/views/chatPage.ts';
import { ChatView } from '../../../../src/extension/views/chatView.ts';
import { AllPagesFocus } from '../../../../src/extension/views/pageFocus.ts';
import {
  OPENING,
  SENDING,
  SESSION_KEY,
  SHOWN_KEY,
  Sidebar,
} from '../../../../src/extension/views/sidebar.ts';
import type { ToWebview } from '../../../../src/webview/messages/messages.ts';
import type { ScreenNode } from '../../../../src/webview/messages/screen.ts';
import { english } from '../english.ts';
import { emptyMemento } from '../extensionSide.ts';
import { start, until } from '../inProcessHost.ts';

/** A side bar that showed a session, in a window that opens. */
async function open(stored?: string, shown?: boolean, kept?: readonly ScreenNode[]) {
  const started = start();
  const { chats, link, clock } = started;
  const workspaceState = emptyMemento();
  if (stored !== undefined) await workspaceState.update(SESSION_KEY, stored);
  if (shown !== undefined) await workspaceState.update(SHOWN_KEY, shown);
  const visibility = new Emitter<void>();
  const screens = { read: () => kept, keep: async () => undefined };
  let files = () => ({ script: 'run()', style: 'p {}', lastScreen: 'hand()' });
  const view: ChatView = new ChatView(
    {
      ...{ clock, language: 'en', chats, chatFocus: new AllPagesFocus(), screens },
      root: 'root' as unknown as vscode.Uri,
      files: () => files(),
      strings: () => webviewStrings(english),
      receive: (message, from) => message.type === 'ready' && sidebar.ready(from),
      focus: async () => undefined,
    },
    chats.blank(),
  );
  const sidebar = new Sidebar({
    ...{ workspaceState: workspaceState as vscode.Memento, chats, link, view, clock },
    views: { showing: () => undefined },
  });
  const sent: ToWebview[] = [];
  const messages = new Emitter<unknown>();
  const page = {
    ...{ visible: true, onDidChangeVisibility: visibility.event },
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
    /** VS Code has sent the page. */
    send: () => clock.tick(SENDING),
    wait: () => clock.tick(OPENING),
    workspaceState,
    hide() {
      Object.assign(page, { visible: false });
      visibility.fire();
    },
    breakFiles(error: Error) {
      files = () => {
        throw error;
      };
    },
  };
}

test('the host loads the session of the side bar while the page still loads', async () => {
  const { sidebar, page, view, sent, count, load, send } = await open('stored');
  sidebar.resolve(page);
  assert.match(page.webview.html, /run\(\)/, 'the page comes first');
  send();
  await until(() => (view.session.state.activity === 'idle' ? true : undefined));
  assert.deepEqual([view.session.id, count('session/load')], ['stored', 1]);
  assert.deepEqual(shownTexts(sent), [['one, as recorded']], 'before the page asks for it');
  load();
  assert.deepEqual(shownTexts(sent), [['one, as recorded'], ['one, as recorded']]);
  assert.equal(count('session/load'), 1);
});

test('a session that was loaded before VS Code opens the view is sent right after the page', async () => {
  const { sidebar, page, view, sent, wait } = await open('stored', true);
  sidebar.expect();
  wait();
  await until(() => (view.session.state.activity === 'idle' ? true : undefined));
  assert.deepEqual(sent, []);
  sidebar.resolve(page);
  assert.deepEqual(shownTexts(sent), [['one, as recorded']]);
});

test('a page that is not visible is sent nothing before it asks', async () => {
  const { sidebar, page, view, sent, load, send, hide } = await open('stored');
  sidebar.resolve(page);
  hide();
  send();
  await until(() => (view.session.state.activity === 'idle' ? true : undefined));
  assert.deepEqual(sent, []);
  load();
  assert.deepEqual(shownTexts(sent), [['one, as recorded']]);
});

test('a new chat that is asked for meanwhile takes the place of what was sent early', async () => {
  const { sidebar, page, view, chats, sent, load, send } = await open('stored');
  sidebar.resolve(page);
  send();
  await until(() => (view.session.state.activity === 'idle' ? true : undefined));
  view.show(chats.blank());
  assert.deepEqual(shownTexts(sent), [['one, as recorded'], []]);
  load();
  assert.deepEqual(shownTexts(sent), [['one, as recorded'], [], []]);
});

test('a page without a loaded session gets nothing before it asks', async () => {
  const { sidebar, page, sent, load } = await open();
  sidebar.resolve(page);
  assert.deepEqual(sent, []);
  load();
  assert.deepEqual(shownTexts(sent), [[]]);
});

test('a change before the page asks is in what it then gets', async () => {
  const { sidebar, page, view, sent, load, send } = await open('stored');
  sidebar.resolve(page);
  send();
  await until(() => (view.session.state.activity === 'idle' ? true : undefined));
  view.session.note('Changed.');
  assert.equal(sent.length, 1);
  load();
  assert.deepEqual(shownTexts(sent).at(-1), ['one, as recorded', 'Changed.']);
});

test('a new chat that replaced the session while the page loads stays', async () => {
  const { sidebar, page, view, chats, load, send } = await open('stored');
  sidebar.resolve(page);
  const blank = chats.blank();
  view.show(blank);
  send();
  load();
  assert.equal(view.session, blank);
});

test('without a stored session, opening the side bar starts the host and keeps the new chat', async () => {
  const { sidebar, page, view, count, send } = await open();
  sidebar.resolve(page);
  send();
  await until(() => (count('_gatehouse/configure') > 0 ? true : undefined));
  assert.equal(view.session.blank, true);
  assert.equal(count('session/load'), 0);
});

test('the host does not start before VS Code has the page of a chat that was shown last', async () => {
  const { sidebar, page, link, send } = await open('stored', true);
  sidebar.expect();
  send();
  assert.equal(link.started, false);
  sidebar.resolve(page);
  assert.equal(link.started, false);
  send();
  assert.equal(link.started, true);
});

test('the host starts if VS Code is slow to open a chat that was shown last', async () => {
  const { sidebar, page, view, count, wait, send, load, sent } = await open('stored', true);
  sidebar.expect();
  wait();
  await until(() => (view.session.state.activity === 'idle' ? true : undefined));
  sidebar.resolve(page);
  send();
  load();
  assert.deepEqual([view.session.id, count('session/load')], ['stored', 1]);
  assert.deepEqual(shownTexts(sent).at(-1), ['one, as recorded']);
});

for (const shown of [undefined, false])
  test(`the host does not start before the chat is opened (shown: ${shown})`, async () => {
    const { sidebar, view, link, wait } = await open('stored', shown);
    sidebar.expect();
    wait();
    assert.deepEqual([link.started, view.session.blank], [false, true]);
  });

test('a new chat that the user asks for before VS Code opens the view stays', async () => {
  const { sidebar, page, view, chats, send, load } = await open('stored', true);
  sidebar.expect();
  const blank = chats.blank();
  view.show(blank);
  send();
  sidebar.resolve(page);
  send();
  load();
  assert.equal(view.session, blank);
});

test('whether the side bar shows the chat is kept for the next start', async () => {
  const { sidebar, page, workspaceState, hide } = await open();
  sidebar.resolve(page);
  assert.equal(workspaceState.get(SHOWN_KEY), true);
  hide();
  assert.equal(workspaceState.get(SHOWN_KEY), false);
});

test('a chat whose files cannot be read says so', async () => {
  const { sidebar, page, breakFiles } = await open();
  breakFiles(new Error('No <such> file.'));
  sidebar.resolve(page);
  assert.match(page.webview.html, /<p role="alert">No &#60;such&#62; file\.<\/p>/);
  assert.doesNotMatch(page.webview.html, /<script/);
});

/** Of each snapshot the texts. */
function shownTexts(sent: readonly ToWebview[]): readonly (readonly string[])[] {
  return sent.map((message) =>
    message.type === 'snapshot'
      ? message.state.items.map((item) => ('text' in item ? item.text : ''))
      : [`(${message.type})`],
  );
}

const LAST: readonly ScreenNode[] = [
  { tag: 'div', attributes: { class: 'chat' }, children: ['The last screen.'] },
];

test('the first page of a window shows the last screen of its session, and no later one does', async () => {
  const { sidebar, page, view, load, send, hide, sent } = await open('stored', undefined, LAST);
  sidebar.resolve(page);
  const { html } = page.webview;
  assert.match(html, /<div class="kept"[^>]*><div inert><div class="chat">The last screen\./);
  assert.ok(html.includes(`data-session="${view.session.key}"`), 'the page knows whose it is');
  send();
  await until(() => (view.session.state.activity === 'idle' ? true : undefined));
  load();
  assert.equal(page.webview.html, html, 'the page is not loaded again while it is seen');
  assert.equal(sent.at(-1)?.session, view.session.key);
  // VS Code loads the same HTML again when the view is next opened.
  hide();
  assert.doesNotMatch(page.webview.html, /The last screen/);
  assert.match(page.webview.html, /run\(\)/);
  const plain = page.webview.html;
  hide();
  assert.equal(page.webview.html, plain);
});

test('a new chat shows no last screen, and a session that was loaded early does', async () => {
  const blank = await open(undefined, undefined, LAST);
  blank.sidebar.resolve(blank.page);
  assert.doesNotMatch(blank.page.webview.html, /The last screen/);

  const loaded = await open('stored', true, LAST);
  loaded.sidebar.expect();
  loaded.wait();
  await until(() => (loaded.view.session.state.activity === 'idle' ? true : undefined));
  loaded.sidebar.resolve(loaded.page);
  assert.match(loaded.page.webview.html, /The last screen/);
  assert.deepEqual(shownTexts(loaded.sent), [['one, as recorded']], 'it follows at once');
});
