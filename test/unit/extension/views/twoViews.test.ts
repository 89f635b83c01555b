import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { Emitter } from '../../../../src/base/event.ts';
import { webviewStrings } from '../../../../src/extension/text/webviewStrings.ts';
import type { ChatPage } from '../../../../src/extension/views/chatPage.ts';
import { ChatView } from '../../../../src/extension/views/chatView.ts';
import { ChatViews } from '../../../../src/extension/views/chatViews.ts';
import { AllPagesFocus } from '../../../../src/extension/views/pageFocus.ts';
import { type Receiver, receive } from '../../../../src/extension/views/receive.ts';
import type { ChatState } from '../../../../src/webview/messages/chatState.ts';
import type {
  ToExtension,
  ToWebview,
  UserAction,
} from '../../../../src/webview/messages/messages.ts';
import {
  type Kept,
  NOTHING_KEPT,
  type SessionHost,
  toSessionHost,
} from '../../../../src/webview/state/host.ts';
import { Store } from '../../../../src/webview/state/store.ts';
import { english } from '../english.ts';
import { settle } from '../fakeClock.ts';
import { permission, promptText, say, start, until } from '../inProcessHost.ts';

test('two views show two sessions of one host at the same time', async () => {
  const { left, right, script, chats, clock } = open();
  const gates = [gate(), gate()];
  for (const { opened } of gates) {
    script.push(async (client, sessionId) => {
      await say(client, sessionId, `working on ${sessionId}`);
      await opened;
      return 'end_turn';
    });
  }
  left.post({ type: 'send', text: 'one' });
  await until(() => answered(left.view.session.state));
  right.post({ type: 'send', text: 'two' });
  await until(() => answered(right.view.session.state));
  clock.tick(100);
  assert.deepEqual(texts(left), ['one', `working on ${left.view.session.id}`]);
  assert.deepEqual(texts(right), ['two', `working on ${right.view.session.id}`]);
  assert.notEqual(left.view.session.id, right.view.session.id);
  assert.deepEqual([left.state.activity, right.state.activity], ['running', 'running']);

  gates[0]?.open();
  await until(() => (left.view.session.busy ? undefined : true));
  clock.tick(100);
  assert.deepEqual([left.state.activity, right.state.activity], ['idle', 'running']);
  assert.equal(chats.running, true);
  gates[1]?.open();
  await until(() => (chats.running ? undefined : true));
});

test('a view is sent nothing about a session that it does not show', async () => {
  const { left, right, clock } = open();
  const before = right.received.length;
  left.post({ type: 'send', text: 'one' });
  await until(() => (left.view.session.state.items.length > 0 ? true : undefined));
  await until(() => (left.view.session.busy ? undefined : true));
  clock.tick(100);
  assert.ok(left.received.every(({ session }) => session === left.view.session.key));
  assert.deepEqual(right.received.slice(before), []);
});

test('Stop ends the turn of the view it was pressed in', async () => {
  const { left, right, script, calls, chats } = open();
  const open1 = gate();
  const open2 = gate();
  script.push(ended(open1, 'cancelled'), ended(open2, 'end_turn'));
  left.post({ type: 'send', text: 'one' });
  await until(() => prompts(calls).length === 1 || undefined);
  right.post({ type: 'send', text: 'two' });
  await until(() => prompts(calls).length === 2 || undefined);
  left.post({ type: 'stop' });
  const [, params] = await until(() => calls.find(([method]) => method === 'session/cancel'));
  assert.deepEqual(params, { sessionId: left.view.session.id });
  open1.open();
  await until(() => (left.view.session.busy ? undefined : true));
  assert.equal(right.view.session.state.activity, 'running');
  open2.open();
  await until(() => (chats.running ? undefined : true));
});

test('a request is shown by the view of its session, and only that session answers it', async () => {
  const { left, right, script, asks, clock } = open();
  await greet(right);
  let outcome: unknown;
  script.push(async (client, sessionId) => {
    outcome = await client.request('session/request_permission', permission(sessionId));
    return 'end_turn';
  });
  left.post({ type: 'send', text: 'run it' });
  const pending = await until(() => asks.pending[0]);
  clock.tick(600);
  assert.deepEqual([left.state.asks.length, right.state.asks.length], [1, 0]);

  const answer = { kind: 'option', optionId: 'allow' } as const;
  right.post({ type: 'answer', askId: pending.ask.id, answer });
  right.post({ type: 'openAsk', askId: pending.ask.id });
  await settle();
  assert.equal(asks.pending.length, 1);
  left.post({ type: 'answer', askId: pending.ask.id, answer });
  await until(() => (left.view.session.busy ? undefined : true));
  assert.deepEqual(outcome, { outcome: { outcome: 'selected', optionId: 'allow' } });
  clock.tick(100);
  assert.deepEqual(left.state.asks, []);
});

test('a message goes to the session it was written in, even if the view shows another one by then', async () => {
  const { left, views, chats, calls } = open();
  await greet(left);
  const first = left.view.session;
  const late = left.host;
  views.use(left.view);
  views.newSession();
  assert.notEqual(left.view.session, first);
  late.post({ type: 'send', text: 'for the first' });
  await until(() => (first.busy ? undefined : true));
  const [last] = prompts(calls).slice(-1);
  assert.equal(promptText(last), 'for the first');
  assert.equal(last?.sessionId, first.id);
  assert.deepEqual(left.view.session.state.items, []);
  assert.equal(chats.get(left.view.session.key), left.view.session);
});

test('drafts stay in their page, and returned text goes to the view of its session', async () => {
  const { left, right } = open();
  left.host.keepDraft('half a sentence');
  assert.equal(left.host.draft(), 'half a sentence');
  assert.equal(right.host.draft(), '');
  right.view.session.returnMessage({ text: 'from the queue', attached: [] });
  right.view.takeReturned();
  assert.deepEqual(right.received.at(-1), {
    type: 'focusComposer',
    session: right.view.session.key,
    text: 'from the queue',
  });
  assert.ok(!left.received.some(({ type }) => type === 'focusComposer'));
});

test('text returned to a hidden session is kept until the session is shown again', async () => {
  const { left, right, views, chats, script } = open();
  const { opened, open: release } = gate();
  script.push(ended({ opened, open: release }, 'end_turn'));
  left.post({ type: 'send', text: 'one' });
  const first = left.view.session;
  left.post({ type: 'send', text: 'two' });
  const [entry] = await until(() => (first.state.queue.length > 0 ? first.state.queue : undefined));
  left.post({ type: 'unqueue', id: entry?.id ?? '' });
  views.use(left.view);
  left.view.show(chats.blank());
  await settle();
  assert.deepEqual(first.state.queue, []);
  const returned = (view: View) => view.received.filter(({ type }) => type === 'focusComposer');
  assert.deepEqual([returned(left), returned(right)], [[], []]);
  left.view.show(first);
  assert.deepEqual(returned(left), [{ type: 'focusComposer', session: first.key, text: 'two' }]);
  release();
  await until(() => (first.busy ? undefined : true));
});

test('a page that loads late gets all text returned before', () => {
  const { left } = open();
  const page = new FakePage();
  left.view.attach(page);
  for (const text of ['one', 'two']) {
    left.view.session.returnMessage({ text, attached: [] });
    left.view.takeReturned();
  }
  left.view.focusComposer();
  page.receive({ type: 'ready' });
  const texts = page.sent.flatMap((message) =>
    message.type === 'focusComposer' && message.text !== undefined ? [message.text] : [],
  );
  assert.deepEqual(texts, ['one', 'two']);
});

test('what was added before the page loaded stays in it when the view shows another session', () => {
  const { left, views, chats } = open();
  const page = new FakePage();
  left.view.attach(page);
  const first = left.view.session;
  const attached = [{ id: '1', kind: 'file', label: 'a.ts' }] as const;
  left.view.addToMessage(attached, 'Fix this.');
  left.view.appendText(' Now.');
  left.view.attached('r1', { fault: 'It is gone.' });
  left.view.revealAsk('of the first');
  views.use(left.view);
  left.view.show(chats.open('another'));
  assert.notEqual(left.view.session, first);
  page.receive({ type: 'ready' });
  const { key: session } = left.view.session;
  assert.deepEqual(page.sent.slice(1), [
    { type: 'focusComposer', session, text: 'Fix this.', attached },
    { type: 'appendText', session, text: ' Now.' },
    { type: 'attached', session, request: 'r1', result: { fault: 'It is gone.' } },
  ]);
});

test('a reason from the composer that no request takes goes back into it', () => {
  const { left } = open();
  const answer = { kind: 'option', optionId: 'deny', reason: 'Use the other file.' } as const;
  left.post({ type: 'answer', askId: 'gone', answer });
  const before = left.received.length;
  left.post({ type: 'answer', askId: 'gone', answer, composed: true });
  assert.deepEqual(left.received.slice(before), [
    {
      type: 'focusComposer',
      session: left.view.session.key,
      text: 'Use the other file.',
      attached: [],
    },
  ]);
  assert.equal(left.received.filter(({ type }) => type === 'focusComposer').length, 1);
});

test('commands act on the most recently used view; a new chat takes no session from another view', async () => {
  const { left, right, views } = open();
  right.post({ type: 'typed' });
  assert.equal(views.current, right.view);
  left.post({ type: 'typed' });
  assert.equal(views.current, left.view);

  const blank = right.view.session;
  await greet(left);
  views.newSession();
  assert.notEqual(left.view.session, blank);
  assert.equal(right.view.session, blank);
});

test('a view that gets the focus is current before anything is done in it', () => {
  const { left, right, views } = open();
  right.focus();
  assert.equal(views.current, right.view);
  left.focus();
  assert.equal(views.current, left.view);
});

test('opening a session reveals the view that already shows it', async () => {
  const { left, right, views } = open();
  await greet(right);
  views.use(left.view);
  const before = left.view.session;
  const view = await views.open(right.view.session.id ?? '');
  assert.equal(view, right.view);
  assert.equal(views.current, right.view);
  assert.equal(left.view.session, before);
});

test('the page that replaces a hidden one gets a complete snapshot', async () => {
  const { left, right } = open();
  await greet(left);
  await greet(right);
  const page = new FakePage();
  left.view.attach(page);
  left.view.revealAsk('ask-1');
  assert.deepEqual(
    page.sent.splice(0).map(({ type }) => type),
    ['snapshot'],
    'sent early',
  );
  page.receive({ type: 'ready' });
  const { key, state } = left.view.session;
  assert.deepEqual(
    page.sent.map(({ type, session }) => [type, session]),
    [
      ['snapshot', key],
      ['revealAsk', key],
    ],
  );
  assert.deepEqual(page.sent[0]?.type === 'snapshot' && page.sent[0].state, state);
});

test('the id of the shown session is stored, and cleared by a new chat', async () => {
  const { left, views, remembered } = open();
  await greet(left);
  const { id } = left.view.session;
  views.use(left.view);
  views.newSession();
  assert.deepEqual(remembered, [id, undefined]);
});

test('the list behind a slash has the commands of the agent before the first message is sent', async () => {
  const { left, calls } = open();
  const created = () => calls.filter(([method]) => method === 'session/new').length;
  left.post({ type: 'lookUp', query: '', request: 1 });
  await settle();
  assert.equal(created(), 0);
  left.post({ type: 'lookUp', query: '', request: 2, commands: true });
  left.post({ type: 'lookUp', query: 'c', request: 3, commands: true });
  await until(() => left.view.session.id);
  left.post({ type: 'lookUp', query: 'co', request: 4, commands: true });
  await greet(left);
  assert.equal(created(), 1);
});

type Started = ReturnType<typeof start>;

/** Two views with separate pages that share sessions and host. */
function open() {
  const started = start();
  const { chats, asks } = started;
  const remembered: (string | undefined)[] = [];
  const receiver: Receiver = {
    ...{
      chats,
      asks,
      presenter: { open: () => undefined, leave: () => undefined },
      calls: { retryNow: () => undefined, changeQueue: () => undefined },
      typing: { typed: () => undefined },
    },
    views: { use: (view) => views.use(view) },
    subagents: { show: () => undefined },
    send: (session, text) => chats.send(session, text),
    attach: async () => undefined,
    ready: () => undefined,
    openRule: () => undefined,
    showRequest: () => undefined,
    open: () => undefined,
  };
  const left = openView(started, receiver, (id) => remembered.push(id));
  const views = new ChatViews(chats, left.view);
  chats.onDidReturnText(({ session }) => views.showing(session)?.takeReturned());
  const right = openView(started, receiver, () => undefined);
  views.add(right.view);
  return { ...started, left, right, views, remembered };
}

function openView(
  { chats, clock }: Started,
  receiver: Receiver,
  remember: (id: string | undefined) => void,
) {
  const view = new ChatView(
    {
      ...{ clock, language: 'en', chats, remember, chatFocus: new AllPagesFocus() },
      root: 'root' as unknown as vscode.Uri,
      files: () => ({ script: '', style: '', lastScreen: '' }),
      screens: { read: () => undefined, keep: async () => undefined },
      strings: () => webviewStrings(english),
      receive: (message, from) => receive(receiver, message, from),
      focus: async () => undefined,
    },
    chats.blank(),
  );
  const page = new FakePage();
  view.attach(page);
  page.receive({ type: 'ready' });
  return {
    view,
    received: page.sent,
    get host(): SessionHost {
      return page.host;
    },
    get state(): ChatState {
      assert.ok(page.store.shown);
      return page.store.shown.state;
    },
    post: (action: UserAction) => page.host.post(action),
    focus: () => page.receive({ type: 'focus', focused: true, empty: true }),
  };
}

/** A webview with the page's own store and host behind it. */
class FakePage implements ChatPage {
  readonly sent: ToWebview[] = [];
  readonly store = new Store();
  readonly visible = true;
  readonly onDidChangeVisibility = new Emitter<void>().event;
  readonly onDidDispose = new Emitter<void>().event;
  readonly #messages = new Emitter<unknown>();
  #kept: Kept = NOTHING_KEPT;
  readonly webview = {
    cspSource: 'https://page.test',
    asWebviewUri: (uri: vscode.Uri) => uri,
    onDidReceiveMessage: this.#messages.event,
    postMessage: async (message: ToWebview) => this.#show(message),
  } as unknown as vscode.Webview;

  get host(): SessionHost {
    const host = {
      post: (message: ToExtension) => this.receive(message),
      kept: () => this.#kept,
      keep: (kept: Kept) => {
        this.#kept = kept;
      },
    };
    return toSessionHost(host, this.store.shown?.session ?? '');
  }

  receive(message: ToExtension): void {
    this.#messages.fire(message);
  }

  #show(message: ToWebview): boolean {
    this.sent.push(message);
    if (message.type === 'snapshot') this.store.snapshot(message);
    if (message.type === 'changes') this.store.apply(message.session, message.changes);
    return true;
  }
}

type View = ReturnType<typeof openView>;

/** Runs a turn in the view, so that its session exists in the host. */
async function greet({ view, post }: View): Promise<void> {
  post({ type: 'send', text: 'hello' });
  await until(() => (view.session.busy ? undefined : true));
}

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

function ended({ opened }: ReturnType<typeof gate>, reason: 'cancelled' | 'end_turn') {
  return async () => {
    await opened;
    return reason;
  };
}

function prompts(calls: Started['calls']) {
  return calls.flatMap(([method, params]) =>
    method === 'session/prompt' ? [params as { sessionId: string }] : [],
  );
}

function texts({ state }: View): readonly unknown[] {
  return state.items.map((item) => 'text' in item && item.text);
}

function answered({ items }: ChatState): true | undefined {
  return items.some(({ kind }) => kind === 'agent') || undefined;
}
