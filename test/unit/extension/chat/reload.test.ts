import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promptText, say, start, until } from '../inProcessHost.ts';

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
  assert.equal(chat.lastText, 'two');
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
  assert.deepEqual([hidden.takeReturned(), hidden.takeReturned()], [['two'], []]);
});

test('a session that is opened for its request shows the request', () => {
  const { chats, asks } = start();
  const ask = { kind: 'question', id: 'a', message: 'Which?', fields: [], since: 0 } as const;
  const source = { order: 1, agent: 'build' };
  void asks.add({ sessionId: 'stored', ask, source }, new AbortController().signal);
  assert.deepEqual(chats.open('stored').state.asks, [ask]);
});
