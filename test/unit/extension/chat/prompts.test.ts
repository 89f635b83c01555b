import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import * as acp from '@agentclientprotocol/sdk';
import { fieldAt } from '../../../../src/base/json.ts';
import { promptText, say, start, until } from '../inProcessHost.ts';

type Started = ReturnType<typeof start>;

/** A turn that runs until it is released. */
function hold({ script }: Started, ends: () => acp.StopReason = () => 'end_turn') {
  const gate = Promise.withResolvers<void>();
  script.push(async () => {
    await gate.promise;
    return ends();
  });
  return gate.resolve;
}

function prompts({ calls }: Started): readonly string[] {
  return calls
    .filter(([method]) => method === 'session/prompt')
    .map(([, params]) => promptText(params));
}

function shown({ chat }: Started): readonly unknown[] {
  return chat.state.items.map((item) => [item.kind, 'text' in item && item.text]);
}

const queue = ({ chat }: Started) => chat.state.queue.map(({ text }) => text);

async function isRunning(started: Started): Promise<void> {
  await until(() => (prompts(started).length > 0 ? true : undefined));
}

test('messages sent during a turn are queued in the host, and shown when their turn starts', async () => {
  const started = start();
  const { chats, chat, script } = started;
  const release = hold(started);
  script.push(async (client, sessionId) => {
    await say(client, sessionId, 'Two, then.');
    return 'end_turn';
  });
  const first = chats.send(chat, 'one');
  await isRunning(started);
  const second = chats.send(chat, 'two');
  await until(() => (prompts(started).length === 2 ? true : undefined));
  assert.deepEqual(queue(started), ['two']);
  assert.deepEqual(shown(started), [['user', 'one']]);
  release();
  await Promise.all([first, second]);
  assert.deepEqual(shown(started), [
    ['user', 'one'],
    ['user', 'two'],
    ['agent', 'Two, then.'],
  ]);
  assert.deepEqual([queue(started), chat.state.activity], [[], 'idle']);
});

test('messages sent while the host starts are queued in order', async () => {
  const started = start();
  const { chats, chat } = started;
  const sent = ['one', 'two', 'three'].map((text) => chats.send(chat, text));
  assert.deepEqual(queue(started), ['two', 'three']);
  await Promise.all(sent);
  assert.deepEqual(prompts(started), ['one', 'two', 'three']);
  assert.deepEqual(
    shown(started),
    ['one', 'two', 'three'].map((text) => ['user', text]),
  );
});

test('a message that is removed from the queue never runs and reports nothing', async () => {
  const started = start();
  const { chats, chat } = started;
  const release = hold(started);
  const first = chats.send(chat, 'one');
  await isRunning(started);
  const second = chats.send(chat, 'two');
  await until(() => (prompts(started).length === 2 ? true : undefined));
  const [entry] = chat.state.queue;
  assert.equal(await chats.removeQueued(chat, entry?.id ?? ''), true);
  await second;
  assert.deepEqual(queue(started), []);
  assert.equal(await chats.removeQueued(chat, entry?.id ?? ''), false);
  assert.deepEqual(
    chat.takeReturned().map(({ text }) => text),
    ['two'],
  );
  release();
  await first;
  assert.deepEqual(shown(started), [['user', 'one']]);
});

test('what the user removes from the queue comes back to its place, or into the composer after the turn', async () => {
  const started = start();
  const { chats, chat } = started;
  const release = hold(started);
  const texts = ['one', 'two', 'three', 'four'];
  const sent = texts.map((text) => chats.send(chat, text));
  await until(() => (prompts(started).length === 4 ? true : undefined));
  const [two, three] = chat.state.queue;
  await chats.removed.remove(chat, two?.id ?? '');
  await chats.removed.remove(chat, three?.id ?? '');
  assert.deepEqual([queue(started), chat.state.removed?.text], [['four'], 'three']);
  chats.removed.restore(chat);
  await until(() => (isDeepStrictEqual(queue(started), ['three', 'four']) ? true : undefined));
  const moves = () => started.calls.filter(([method]) => method === '_gatehouse/move_queued');
  assert.equal(chat.state.removed?.text, 'two');
  await chats.removed.remove(chat, chat.state.queue[0]?.id ?? '');
  release();
  await Promise.all(sent);
  await until(() => (chat.busy ? undefined : true));
  assert.equal(moves().length, 1);
  assert.deepEqual(prompts(started).length, 5);
  assert.deepEqual(shown(started), [
    ['user', 'one'],
    ['user', 'four'],
  ]);
  chats.removed.restore(chat);
  assert.deepEqual(
    chat.takeReturned().map(({ text }) => text),
    ['three'],
  );
  assert.equal(chat.state.removed?.text, 'two');
  await chats.send(chat, 'five');
  assert.equal(chat.state.removed, null);
});

test('a message whose turn has started is not removed', async () => {
  const started = start();
  const { chats, chat } = started;
  await chats.send(chat, 'one');
  await chats.removed.remove(chat, 'gone');
  chats.removed.restore(chat);
  assert.deepEqual([chat.state.removed, chat.takeReturned()], [undefined, []]);
});

test('stopping returns the queued text once', async () => {
  const started = start();
  const { chats, chat } = started;
  const returned: string[] = [];
  chats.onDidReturnText(({ text }) => returned.push(text));
  const release = hold(started, () => 'cancelled');
  const first = chats.send(chat, 'one');
  await isRunning(started);
  const others = ['two', 'three'].map((text) => chats.send(chat, text));
  await until(() => (prompts(started).length === 3 ? true : undefined));
  await chats.stop(chat);
  release();
  await Promise.all([first, ...others]);
  assert.deepEqual(returned, ['two\n\nthree']);
  assert.deepEqual(shown(started), [
    ['user', 'one'],
    ['note', 'Stopped.'],
  ]);
  assert.deepEqual(queue(started), []);
});

test('a queued message that starts while Stop is on its way is not returned as well', async () => {
  const started = start();
  const { chats, chat } = started;
  const returned: string[] = [];
  chats.onDidReturnText(({ text }) => returned.push(text));
  const release = hold(started);
  const first = chats.send(chat, 'one');
  await isRunning(started);
  // Stop comes when the host has begun the second turn, and the chat doesn't know yet.
  const stopped = Promise.withResolvers<void>();
  started.script.push(async () => {
    stopped.resolve(chats.stop(chat));
    return 'cancelled';
  });
  const second = chats.send(chat, 'two');
  await until(() => (prompts(started).length === 2 ? true : undefined));
  release();
  await Promise.all([first, second, stopped.promise]);
  assert.deepEqual([started.script.length, returned], [0, []]);
});

test('stopping while the host starts returns the queued text once and sends nothing', async () => {
  const started = start();
  const { chats, chat } = started;
  const returned: string[] = [];
  chats.onDidReturnText(({ text }) => returned.push(text));
  const sent = ['one', 'two'].map((text) => chats.send(chat, text));
  await chats.stop(chat);
  await Promise.all(sent);
  assert.deepEqual([returned, prompts(started), queue(started)], [['two'], [], []]);
  assert.deepEqual(shown(started), [
    ['user', 'one'],
    ['note', 'Stopped.'],
  ]);
});

test('messages queued behind a failed turn return to the composer', async () => {
  const started = start();
  const { chats, chat } = started;
  const returned: string[] = [];
  chats.onDidReturnText(({ text }) => returned.push(text));
  const release = hold(started, () => {
    throw new acp.RequestError(-32603, 'The key was refused.', { kind: 'unauthorized' });
  });
  const first = chats.send(chat, 'one');
  await isRunning(started);
  const second = chats.send(chat, 'two');
  await until(() => (prompts(started).length === 2 ? true : undefined));
  release();
  await Promise.all([first, second]);
  assert.deepEqual(returned, ['two']);
  assert.deepEqual(shown(started), [
    ['user', 'one'],
    ['error', 'The key was refused.'],
  ]);
});

test('messages queued in a host that exits return to the composer', async () => {
  const started = start();
  const { chats, chat, die } = started;
  const returned: string[] = [];
  chats.onDidReturnText(({ text }) => returned.push(text));
  hold(started);
  const first = chats.send(chat, 'one');
  await isRunning(started);
  const second = chats.send(chat, 'two');
  await until(() => (prompts(started).length === 2 ? true : undefined));
  die({ code: 7, signal: null, stderrTail: '', restartIn: 250 });
  await Promise.all([first, second]);
  assert.deepEqual([returned, queue(started)], [['two'], []]);
});

test('a message can be taken out of the queue before the host has it', async () => {
  const started = start();
  const { chats, chat } = started;
  const sent = ['one', 'two'].map((text) => chats.send(chat, text));
  const [entry] = chat.state.queue;
  assert.equal(await chats.removeQueued(chat, entry?.id ?? ''), true);
  assert.deepEqual([queue(started), chat.takeReturned().map(({ text }) => text)], [[], ['two']]);
  await Promise.all(sent);
  assert.deepEqual(prompts(started), ['one']);
});

test('a message on its way to the host stays in the queue, whatever the host lists', async () => {
  const started = start();
  const { chats, chat } = started;
  const sent = ['one', 'two', 'three'].map((text) => chats.send(chat, text));
  const [two] = chat.state.queue;
  chat.id = 's';
  chats.updateQueue({
    sessionId: 's',
    entries: [{ id: two?.id ?? '', text: 'two, better', attachments: 0, since: 0 }],
  });
  assert.deepEqual(queue(started), ['two, better', 'three']);
  chat.id = undefined;
  await Promise.all(sent);
});

test('the host reports that the queue is paused, and what is steered', async () => {
  const started = start();
  const { chats, chat } = started;
  await chats.send(chat, 'one');
  const sessionId = chat.id ?? '';
  const entries = [{ id: 'q', text: 'two', attachments: 0, since: 0, steered: true }];
  chats.updateQueue({ sessionId, entries, paused: true });
  assert.equal(chat.state.queuePaused, true);
  assert.equal(chat.state.queue[0]?.steered, true);
  chats.updateQueue({ sessionId, entries: [] });
  assert.equal(chat.state.queuePaused, false);
});

test('a retry sends the message that the failed turn has taken, not the one that it began with', async () => {
  const started = start();
  const { chats, chat, script } = started;
  const content = [
    { type: 'text', text: 'two' },
    { type: 'resource_link', uri: 'file:///work/a.ts', name: 'a.ts' },
  ] as const;
  script.push(async (client, sessionId) => {
    for (const block of content) {
      const update = {
        sessionUpdate: 'user_message_chunk',
        messageId: 'm2',
        content: block,
      } as const;
      await client.notify('session/update', { sessionId, update });
    }
    throw new Error('The endpoint is gone.');
  });
  await chats.send(chat, 'one');
  await chats.retry(chat);
  const [, params] = started.calls.findLast(([method]) => method === 'session/prompt') ?? [];
  assert.deepEqual(fieldAt(params, 'prompt'), content);
});

test('an entry that another client queued is removed in the host, and goes with it', async () => {
  const started = start();
  const { chats, chat, calls, die } = started;
  await chats.send(chat, 'one');
  const list = () =>
    chats.updateQueue({
      sessionId: chat.id ?? '',
      entries: [{ id: 'foreign', text: 'theirs', attachments: 0, since: 0 }],
    });
  list();
  assert.equal(await chats.removeQueued(chat, 'foreign'), false, 'the host says what was removed');
  assert.equal(calls.at(-1)?.[0], '_gatehouse/remove_queued');
  list();
  die({ code: 7, signal: null, stderrTail: '', restartIn: 250 });
  assert.deepEqual(queue(started), []);
});

const LINK = { type: 'resource_link', name: 'a.ts', uri: 'file:///w/a.ts' } as const;

/** A session whose turn runs, and a message with a file behind it that another client queued. */
async function startWithForeign() {
  const started = start();
  const { chats, chat, link } = started;
  const release = hold(started);
  const first = chats.send(chat, 'one');
  await isRunning(started);
  const foreign = (await link.connection()).prompt({
    sessionId: chat.id ?? '',
    prompt: [{ type: 'text', text: 'theirs' }, LINK],
    _meta: { gatehouse: { queueId: 'foreign' } },
  });
  await until(() => (queue(started).length === 1 ? true : undefined));
  assert.deepEqual(
    chat.state.queue.map(({ id, attachments }) => [id, attachments]),
    [['foreign', 1]],
  );
  return { ...started, end: () => release(), ended: Promise.all([first, foreign]) };
}

test('a message that another client queued is edited with what is attached to it', async () => {
  const { chats, chat, end, ended } = await startWithForeign();
  assert.equal(await chats.removeQueued(chat, 'foreign'), true);
  const [returned] = chat.takeReturned();
  assert.deepEqual(
    [returned?.text, returned?.attached.map(({ chip: { kind, label } }) => [kind, label])],
    ['theirs', [['file', 'a.ts']]],
  );
  end();
  await ended;
});

test('Undo queues a removed message of another client with what was attached to it', async () => {
  const started = await startWithForeign();
  const { chats, chat, calls, end, ended } = started;
  await chats.removed.remove(chat, 'foreign');
  assert.deepEqual(
    [queue(started), chat.state.removed?.text, chat.state.removed?.attachments],
    [[], 'theirs', 1],
  );
  chats.removed.restore(chat);
  await until(() => (prompts(started).length === 3 ? true : undefined));
  const [, params] = calls.findLast(([method]) => method === 'session/prompt') ?? [];
  assert.deepEqual(fieldAt(params, 'prompt'), [{ type: 'text', text: 'theirs' }, LINK]);
  end();
  await ended;
});

test('stopping returns the message of another client with what is attached to it', async () => {
  const { chats, chat, end, ended } = await startWithForeign();
  const returned: unknown[] = [];
  chats.onDidReturnText(({ text, attached }) =>
    returned.push([text, attached.map(({ content }) => content)]),
  );
  const stopped = chats.stop(chat);
  end();
  await Promise.all([stopped, ended]);
  assert.deepEqual(returned, [['theirs', [LINK]]]);
});

test('with a host that does not list its queue, a message is shown once it is sent', async () => {
  const started = start({});
  const { chats, chat } = started;
  // Such a host sends no notifications; the fake one does, and they are ignored.
  chats.updateQueue = () => undefined;
  const release = hold(started);
  const first = chats.send(chat, 'one');
  await isRunning(started);
  const second = chats.send(chat, 'two');
  await until(() => (prompts(started).length === 2 ? true : undefined));
  assert.deepEqual(queue(started), []);
  release();
  await Promise.all([first, second]);
  assert.deepEqual(shown(started), [
    ['user', 'one'],
    ['user', 'two'],
  ]);
  assert.equal(chat.state.activity, 'idle');
});
