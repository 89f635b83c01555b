import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { FRAME } from '../../../src/base/clock.ts';
import { Emitter } from '../../../src/base/event.ts';
import { REST, TypingWatch } from '../../../src/extension/asks/typingWatch.ts';
import { pickSession } from '../../../src/extension/chat/sessionPick.ts';
import { setApiKey, setModel } from '../../../src/extension/setup/modelSetup.ts';
import { setSearchKey } from '../../../src/extension/setup/searchKey.ts';
import { Terminals } from '../../../src/extension/terminal/terminals.ts';
import { ageText } from '../../../src/extension/text/ageText.ts';
import { FramePoster } from '../../../src/extension/views/framePoster.ts';
import { statusText } from '../../../src/extension/views/statusText.ts';
import type { StateChange } from '../../../src/webview/messages/chatState.ts';
import { english } from './english.ts';
import { FakeClock } from './fakeClock.ts';

test('a flood of chunks is one post a frame, with the text of one message joined', () => {
  const posts: (readonly StateChange[])[] = [];
  const clock = new FakeClock();
  const frames = new FramePoster((changes) => posts.push(changes), clock);
  for (const text of 'abc') frames.add({ type: 'append', id: 'm', text });
  frames.add({ type: 'mark', id: 'm', done: true });
  assert.deepEqual(posts, []);
  clock.tick(FRAME);
  assert.deepEqual(posts, [
    [
      { type: 'append', id: 'm', text: 'abc' },
      { type: 'mark', id: 'm', done: true },
    ],
  ]);
  assert.equal(clock.waiting, 0);
});

test('changes that a snapshot carries are not posted again', () => {
  const clock = new FakeClock();
  const frames = new FramePoster(() => assert.fail('It was posted.'), clock);
  frames.add({ type: 'append', id: 'm', text: 'a' });
  frames.clear();
  clock.tick(FRAME);
});

test('a pick may open a second after the last key', () => {
  const { watch, clock, document } = watchTyping();
  assert.equal(watch.restLeft, 0);
  document.fire({ document: 'active', contentChanges: [{}] });
  assert.equal(watch.restLeft, REST);
  clock.tick(REST);
  assert.equal(watch.restLeft, 0);
});

test('edits that the user does not type do not count', () => {
  const { watch, document } = watchTyping();
  document.fire({ document: 'other', contentChanges: [{}] });
  document.fire({ document: 'active', contentChanges: [] });
  assert.equal(watch.restLeft, 0);
});

test('a terminal that is used holds picks back until an editor or the chat has the focus', () => {
  const { watch, terminal, editor } = watchTyping();
  terminal.fire({});
  assert.equal(watch.inTerminal, true);
  editor.fire(undefined);
  assert.equal(watch.inTerminal, true);
  editor.fire({});
  assert.equal(watch.inTerminal, false);
  terminal.fire({});
  watch.typed();
  assert.equal(watch.inTerminal, false);
});

test('the status bar says what waits before it says what runs', () => {
  const row = (running: boolean, pending: number) => {
    const { text, command, warning } = statusText({ running, pending }, english);
    return [text, command, warning];
  };
  assert.deepEqual(row(false, 0), ['$(shield) Gatehouse', 'gatehouse.openChat', false]);
  assert.deepEqual(row(true, 0), ['$(sync~spin) Gatehouse', 'gatehouse.openChat', false]);
  assert.deepEqual(row(true, 2), ['$(shield) 2', 'gatehouse.focusPending', true]);
});

test('a pane opens only when asked for, and then shows what was printed before', () => {
  const { terminals, panes } = panesOf();
  terminals.receive({ terminalId: 't', event: 'opened', title: 'npm test' });
  terminals.receive({ terminalId: 't', event: 'output', data: 'one\n' });
  assert.equal(panes.length, 0);
  terminals.show('t');
  assert.equal(panes[0]?.name, 'Gatehouse: npm test');
  assert.deepEqual(panes[0]?.written, ['one\r\n']);
});

test('a pane begins with the command, written so that nothing in it is hidden', () => {
  const { terminals, panes } = panesOf();
  const command = 'echo a\u001B[2K\nls';
  terminals.receive({ terminalId: 't', event: 'opened', title: 'Look', command });
  terminals.show('t');
  assert.deepEqual(panes[0]?.written, ['\u001B[2m$ echo a␣U+001B[2K\r\n  ls\u001B[0m\r\n']);
});

test('output reaches a pane at most once a frame', () => {
  const { terminals, panes, clock } = panesOf();
  terminals.receive({ terminalId: 't', event: 'opened', title: 'x' });
  terminals.show('t');
  for (const data of ['a', 'b', 'c']) terminals.receive({ terminalId: 't', event: 'output', data });
  clock.tick(FRAME);
  assert.deepEqual(panes[0]?.written.slice(1), ['abc']);
});

test('keys go to the host: lines whole, Ctrl+C as an interrupt, Ctrl+D as the end', () => {
  const { terminals, panes, sent } = panesOf();
  terminals.receive({ terminalId: 't', event: 'opened', title: 'x' });
  terminals.show('t');
  for (const keys of ['yex', '\u007F', 's', '\r', '\u0003', '\u0004']) panes[0]?.type(keys);
  assert.deepEqual(sent, [
    { terminalId: 't', data: 'yes\n' },
    { terminalId: 't', signal: 'SIGINT' },
    { terminalId: 't', signal: 'EOF' },
  ]);
});

test('a command that has ended says how, and takes no more keys', () => {
  const { terminals, panes, sent } = panesOf();
  terminals.receive({ terminalId: 't', event: 'closed', exitCode: 1 });
  terminals.show('t');
  assert.match(panes[0]?.written.join('') ?? '', /exit code 1/);
  panes[0]?.type('y\r');
  assert.deepEqual(sent, []);
});

test('a terminal the host never spoke of gets an empty pane', () => {
  const { terminals, panes } = panesOf();
  terminals.show('unknown');
  assert.deepEqual(panes[0]?.written, ['']);
});

test('a flood keeps the end of the output within its bound', () => {
  const { terminals, panes } = panesOf();
  for (let piece = 0; piece < 300; piece += 1) {
    terminals.receive({ terminalId: 't', event: 'output', data: 'x'.repeat(1000) });
  }
  terminals.receive({ terminalId: 't', event: 'output', data: 'the end' });
  terminals.show('t');
  const [text = ''] = panes[0]?.written ?? [];
  assert.equal(text.length, 200_000);
  assert.match(text, /the end$/);
});

test('ages are told in the largest unit', () => {
  const minute = 60_000;
  assert.deepEqual(
    [1, 3 * minute, 3 * 60 * minute, 50 * 60 * minute, Number.NaN].map((age) =>
      ageText(age, english),
    ),
    ['just now', '3 min ago', '3 h ago', '2 d ago', ''],
  );
});

test('sessions are offered newest first, and one without a title still has a name', async () => {
  let offered: readonly { label: string }[] = [];
  const showQuickPick = async (items: never) => {
    offered = items;
    return offered[1];
  };
  const sessions = [
    { sessionId: 'a', title: null, updatedAt: '2026-01-01T00:00:00Z', cwd: '/a' },
    { sessionId: 'b', title: 'New', updatedAt: '2026-02-01T00:00:00Z', cwd: '/b' },
  ];
  assert.equal(await pickSession({ showQuickPick } as never, sessions, 0, english), 'a');
  assert.deepEqual(
    offered.map(({ label }) => label),
    ['New', 'Untitled session'],
  );
});

test('the set-up keeps address and model in settings, and the key in the secret storage only', async () => {
  const answers = ['http://127.0.0.1:1/v1/', 'm2', 'k'];
  const { parts, written, stored, requests } = setup(answers, 401);
  await setModel(parts);
  assert.deepEqual(written, { 'model.baseUrl': 'http://127.0.0.1:1/v1/', 'model.id': 'm2' });
  assert.deepEqual(stored, { 'model/openai-compatible': 'k' });
  assert.deepEqual(requests, [
    'http://127.0.0.1:1/v1/models null',
    'http://127.0.0.1:1/v1/models Bearer k',
  ]);
});

test('leaving the set-up halfway changes no setting', async () => {
  const { parts, written } = setup(['http://127.0.0.1:1/v1', undefined]);
  await setModel(parts);
  assert.deepEqual(written, {});
});

test('a key that the endpoint refuses is said', async () => {
  const { parts, warnings } = setup(['wrong'], 401);
  await setApiKey(parts);
  assert.match(warnings.join(), /401/);
});

test('a search key is kept in the secret storage, and an empty one removes it', async () => {
  const calls: string[] = [];
  const keys = ['k', ''];
  const window = {
    showQuickPick: async (rows: readonly { label: string }[]) => rows[0],
    showInputBox: async () => keys.shift(),
    showInformationMessage: async () => undefined,
  };
  const secrets = {
    get: async () => undefined,
    set: async (id: string, value: string) => void calls.push(`set ${id} ${value}`),
    clear: async (id: string) => void calls.push(`clear ${id}`),
  };
  await setSearchKey(window as never, secrets, english);
  await setSearchKey(window as never, secrets, english);
  assert.deepEqual(calls, ['set search/brave k', 'clear search/brave']);
});

function watchTyping() {
  const clock = new FakeClock();
  const document = new Emitter<unknown>();
  const selection = new Emitter<unknown>();
  const editor = new Emitter<unknown>();
  const terminal = new Emitter<unknown>();
  const events = {
    onDidChangeTextDocument: document.event,
    onDidChangeTextEditorSelection: selection.event,
    onDidChangeActiveTextEditor: editor.event,
    onDidChangeTerminalState: terminal.event,
    onDidStartTerminalShellExecution: terminal.event,
    isActiveDocument: (each: unknown) => each === 'active',
  };
  return { clock, document, editor, terminal, watch: new TypingWatch(events as never, clock) };
}

interface Pane {
  readonly name: string;
  readonly written: string[];
  type(keys: string): void;
}

function panesOf() {
  const clock = new FakeClock();
  const sent: unknown[] = [];
  const panes: Pane[] = [];
  const createTerminal = ({ name, pty }: vscode.ExtensionTerminalOptions) => {
    const written: string[] = [];
    pty.onDidWrite((text) => written.push(text));
    pty.open(undefined);
    panes.push({ name, written, type: (keys) => pty.handleInput?.(keys) });
    return { show: () => undefined, dispose: () => undefined };
  };
  const terminals = new Terminals({
    window: { createTerminal } as never,
    ...{ clock, t: english },
    send: (input) => sent.push(input),
    onInput: () => undefined,
  });
  return { terminals, panes, sent, clock };
}

function setup(answers: (string | undefined)[], status = 200) {
  const written: Record<string, string> = {};
  const stored: Record<string, string> = {};
  const requests: string[] = [];
  const warnings: string[] = [];
  const next = async () => answers.shift();
  const parts = {
    window: {
      showInputBox: next,
      showQuickPick: next,
      showInformationMessage: async () => undefined,
      showWarningMessage: async (message: string) => void warnings.push(message),
    } as never,
    secrets: {
      get: async (id: string) => stored[id],
      set: async (id: string, value: string) => {
        stored[id] = value;
      },
      clear: async () => undefined,
    },
    fetch: async (url: unknown, init?: RequestInit) => {
      requests.push(`${url} ${new Headers(init?.headers).get('authorization')}`);
      return Response.json({ data: [{ id: 'm1' }, { id: 'm2' }] }, { status });
    },
    t: english,
    read: () => 'http://127.0.0.1:1/v1',
    write: async (values: Readonly<Record<string, string>>) => {
      Object.assign(written, values);
    },
  };
  return { parts, written, stored, requests, warnings };
}
