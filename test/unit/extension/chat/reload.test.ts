import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as acp from '@agentclientprotocol/sdk';
import { permission, promptText, say, start, until } from '../inProcessHost.ts';

type Started = ReturnType<typeof start>;

const EXIT = { code: 7, signal: null, stderrTail: '' } as const;

function texts({ chat }: Started): readonly unknown[] {
  return chat.state.items.flatMap((item) =>
    item.kind !== 'error' && 'text' in item ? [item.text] : [],
  );
}

function count({ calls }: Started, method: string): number {
  return calls.filter(([called]) => called === method).length;
}

test('a message that has to load its session first stays in view', async () => {
  const started = start();
  const { chats, chat, script, die } = started;
  await chats.send(chat, 'one');
  die({ ...EXIT, restartIn: undefined });
  script.push(async (client, sessionId) => {
    await say(client, sessionId, 'Two, then.');
    return 'end_turn';
  });
  await chats.send(chat, 'two');
  assert.deepEqual(texts(started), ['one, as recorded', 'two', 'Two, then.']);
  assert.deepEqual(chat.lastPrompt, [{ type: 'text', text: 'two' }]);
});

test('a message that is sent while its session is loaded again stays in view', async () => {
  const started = start();
  const { chats, chat, calls, die, restart } = started;
  await chats.send(chat, 'one');
  die({ ...EXIT, restartIn: 250 });
  restart();
  await until(() => (count(started, 'session/load') > 0 ? true : undefined));
  await chats.send(chat, 'two');
  assert.deepEqual(texts(started), ['one, as recorded', 'two']);
  assert.equal(count(started, 'session/load'), 1);
  assert.equal(promptText(calls.at(-1)?.[1]), 'two');
});

test('a session that is opened twice at once is loaded once', async () => {
  const started = start();
  const { chats } = started;
  const session = chats.open('stored');
  await Promise.all([chats.load(session), chats.load(session), chats.send(session, 'two')]);
  assert.equal(count(started, 'session/load'), 1);
  assert.deepEqual(texts({ ...started, chat: session }), ['one, as recorded', 'two']);
  assert.equal(session.state.activity, 'idle');
});

test('text that returns to a session that no view shows waits there', async () => {
  const started = start();
  const { chats, die } = started;
  const hidden = chats.open('stored');
  started.script.push(() => new Promise(() => undefined));
  const first = chats.send(hidden, 'one');
  await until(() => (count(started, 'session/prompt') === 1 ? true : undefined));
  const second = chats.send(hidden, 'two');
  await until(() => (count(started, 'session/prompt') === 2 ? true : undefined));
  die({ ...EXIT, restartIn: 250 });
  await Promise.all([first, second]);
  assert.deepEqual(
    [hidden.takeReturned().map(({ text }) => text), hidden.takeReturned()],
    [['two'], []],
  );
});

test('a session that is opened for its request shows the request', () => {
  const { chats, asks } = start();
  const ask = { kind: 'question', id: 'a', message: 'Which?', fields: [], since: 0 } as const;
  const source = { order: 1, agent: 'build' };
  void asks.add({ sessionId: 'stored', ask, source }, new AbortController().signal);
  assert.deepEqual(chats.open('stored').state.asks, [ask]);
});

test('a turn that waits for the user goes on when its session is loaded', async () => {
  const started = start({ queue: true, unfinished: 'waiting' });
  const { chats, script, calls, asks } = started;
  script.push(async (client, sessionId) => {
    await client.request('session/request_permission', permission(sessionId));
    await say(client, sessionId, 'Allowed.');
    return 'end_turn';
  });
  const session = chats.open('stored');
  session.watch();
  await chats.load(session);
  await until(() => asks.pending[0]);
  assert.equal(session.state.activity, 'running');
  started.clock.tick(1000);
  asks.answer('ask_1', { kind: 'option', optionId: 'allow' });
  await until(() => (session.state.activity === 'idle' ? true : undefined));
  assert.deepEqual(texts({ ...started, chat: session }), ['one, as recorded', 'Allowed.']);
  assert.equal(count(started, 'session/prompt'), 0);
  assert.equal(calls.filter(([method]) => method === '_gatehouse/continue').length, 1);
});

test('a turn that broke off anywhere else offers Continue, which repeats no message', async () => {
  const started = start({ queue: true, unfinished: 'broken' });
  const { chats, script } = started;
  const session = chats.open('stored');
  await chats.load(session);
  const card = session.state.items.at(-1);
  assert.ok(card?.kind === 'error' && card.continues);
  assert.equal(count(started, '_gatehouse/continue'), 0);
  script.push(async (client, sessionId) => {
    await say(client, sessionId, 'And so on.');
    return 'end_turn';
  });
  await chats.retry(session);
  assert.deepEqual(texts({ ...started, chat: session }), ['one, as recorded', 'And so on.']);
  assert.equal(count(started, 'session/prompt'), 0);
  assert.equal(session.state.items.at(-1)?.kind, 'agent');
});

test('a turn that another window has is left to it', async () => {
  const started = start({ queue: true, unfinished: 'waiting' });
  const { chats, script } = started;
  script.push(async () => {
    throw new acp.RequestError(-32603, 'It runs elsewhere.', { kind: 'busy' });
  });
  const session = chats.open('stored');
  await chats.load(session);
  await until(() => (session.state.activity === 'idle' ? true : undefined));
  assert.deepEqual(texts({ ...started, chat: session }), ['one, as recorded']);
});

test('a turn that could not be continued is continued by Retry', async () => {
  const started = start({ queue: true, unfinished: 'waiting' });
  const { chats, script } = started;
  script.push(async () => {
    throw new acp.RequestError(-32603, 'No model.', { kind: 'no-model', retryable: true });
  });
  const session = chats.open('stored');
  await chats.load(session);
  await until(() => (session.state.items.at(-1)?.kind === 'error' ? true : undefined));
  await chats.retry(session);
  assert.equal(count(started, '_gatehouse/continue'), 2);
  assert.equal(count(started, 'session/prompt'), 0);
});

test('a message to a session whose turn waits is queued behind that turn', async () => {
  const started = start({ queue: true, unfinished: 'waiting' });
  const { chats, die, chat } = started;
  await chats.send(chat, 'one');
  die({ ...EXIT, restartIn: undefined });
  await chats.send(chat, 'two');
  const methods = started.calls.map(([method]) => method);
  assert.ok(methods.lastIndexOf('_gatehouse/continue') < methods.lastIndexOf('session/prompt'));
});

test('a remembered session that was deleted elsewhere becomes a new chat with a note', async () => {
  const started = start({ queue: true });
  const { chats } = started;
  const session = chats.open('gone');
  await chats.load(session);
  assert.deepEqual(
    session.state.items.map(({ kind }) => kind),
    ['note'],
  );
  assert.equal(session.id, undefined);
  assert.equal(session.state.activity, 'idle');
  assert.equal(chats.blank(session), session);
  await chats.send(session, 'one');
  assert.equal(count(started, 'session/new'), 1);
});
