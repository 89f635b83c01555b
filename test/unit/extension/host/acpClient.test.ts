import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as acp from '@agentclientprotocol/sdk';
import { EMPTY_CONFIGURATION } from '../extensionSide.ts';
import { settle } from '../fakeClock.ts';
import { permission, say, start, until } from '../inProcessHost.ts';

test('the host gets the client capabilities and the settings first', async () => {
  const { chats, chat, calls } = start();
  await chats.send(chat, 'hi');
  assert.deepEqual(
    calls.map(([method]) => method),
    [
      'initialize',
      '_gatehouse/configure',
      // Once more before the turn: what was set a moment ago counts for it.
      '_gatehouse/configure',
      'session/new',
      'session/prompt',
    ],
  );
  const [, greeting] = calls[0] ?? [];
  assert.deepEqual(greeting, {
    protocolVersion: 1,
    clientInfo: { name: 'gatehouse-vscode', title: 'Gatehouse', version: '1.2.3' },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      elicitation: { form: {} },
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      // The SDK adds defaults for capabilities that were not advertised.
      ...{ terminal: false, auth: { terminal: false } },
      _meta: {
        gatehouse: {
          ...{ v: 1, configure: true, secret: true, saveRule: true, documents: true },
          ...{
            terminal: true,
            problems: true,
            languageModels: true,
            serverInput: true,
            editorTools: true,
            language: true,
            signIn: true,
            queue: true,
            sessions: true,
            toolChanges: true,
            resumeQueue: true,
            review: true,
            unreviewed: true,
            continue: true,
          },
          sandbox: true,
        },
      },
    },
  });
  assert.deepEqual(calls[1]?.[1], EMPTY_CONFIGURATION);
});

test('PR-021: an update for a session that nobody knows is ignored', async () => {
  const { chats, chat, script } = start();
  script.push(async (client, sessionId) => {
    await say(client, 'ses_unknown', 'Lost.');
    await say(client, sessionId, 'Here.');
    return 'end_turn';
  });
  await chats.send(chat, 'hi');
  assert.doesNotMatch(JSON.stringify(chats.all.map(({ state }) => state.items)), /Lost/);
  assert.match(JSON.stringify(chat.state.items), /Here/);
});

test('PR-025: two requests about one call each need their own answer', async () => {
  const { chats, chat, script, asks, clock } = start();
  const answers: unknown[] = [];
  script.push(async (client, sessionId) => {
    const ask = (askId: string) =>
      client.request('session/request_permission', {
        ...permission(sessionId),
        _meta: { gatehouse: { askId, command: 'npm test' } },
      });
    const note = ({ outcome }: acp.RequestPermissionResponse) => answers.push(outcome);
    await Promise.all([ask('ask_1').then(note), ask('ask_2').then(note)]);
    return 'end_turn';
  });
  const turn = chats.send(chat, 'hi');
  await until(() => chat.state.asks.length === 2 || undefined);
  clock.tick(1_000);
  asks.answer('ask_1', { kind: 'option', optionId: 'allow' });
  await until(() => answers.length === 1 || undefined);
  assert.deepEqual(
    chat.state.asks.map(({ id }) => id),
    ['ask_2'],
  );
  clock.tick(1_000);
  asks.answer('ask_2', { kind: 'option', optionId: 'reject' });
  await turn;
  assert.deepEqual(answers, [
    { outcome: 'selected', optionId: 'allow' },
    { outcome: 'selected', optionId: 'reject' },
  ]);
});

test('a turn streams into the chat and ends', async () => {
  const { chats, chat, script } = start();
  script.push(async (client, sessionId) => {
    await say(client, sessionId, 'Hello');
    return 'end_turn';
  });
  await chats.send(chat, 'hi');
  assert.deepEqual(
    chat.state.items.map((item) => [item.kind, 'text' in item && item.text]),
    [
      ['user', 'hi'],
      ['agent', 'Hello'],
    ],
  );
  assert.equal(chat.state.activity, 'idle');
});

test('a permission waits for the user, and the answer is the option that was chosen', async () => {
  const { chats, chat, asks, clock, script } = start();
  let outcome: unknown;
  script.push(async (client, sessionId) => {
    outcome = await client.request('session/request_permission', permission(sessionId));
    return 'end_turn';
  });
  const turn = chats.send(chat, 'run it');
  const [pending] = await until(() => (asks.pending.length > 0 ? asks.pending : undefined));
  assert.ok(pending?.ask.kind === 'permission');
  assert.deepEqual([pending.ask.id, pending.ask.subject], ['ask_1', 'npm test']);
  assert.equal(chat.state.asks.length, 1);
  clock.tick(600);
  asks.answer(pending.ask.id, { kind: 'option', optionId: 'reject', reason: 'not now' });
  await turn;
  assert.deepEqual(outcome, {
    outcome: { outcome: 'selected', optionId: 'reject' },
    _meta: { gatehouse: { reason: 'not now' } },
  });
  assert.deepEqual(chat.state.asks, []);
});

test('stopping answers pending requests with "cancelled" and cancels the turn', async () => {
  const { chats, chat, asks, script, calls } = start();
  let outcome: unknown;
  script.push(async (client, sessionId) => {
    outcome = await client.request('session/request_permission', permission(sessionId));
    return 'cancelled';
  });
  const turn = chats.send(chat, 'run it');
  await until(() => asks.pending[0]);
  await chats.stop(chat);
  await turn;
  assert.deepEqual(outcome, { outcome: { outcome: 'cancelled' } });
  assert.ok(calls.some(([method]) => method === 'session/cancel'));
  assert.deepEqual(chat.state.items.at(-1), { kind: 'note', id: 'own-2', text: 'Stopped.' });
});

test('a withdrawn request closes its surfaces', async () => {
  const { chats, chat, asks, script } = start();
  script.push(async (client, sessionId) => {
    const closing = new AbortController();
    const asked = client.request('session/request_permission', permission(sessionId), {
      cancellationSignal: closing.signal,
      stopWaitingOnCancel: true,
    });
    asked.catch(() => undefined);
    await until(() => asks.pending[0]);
    closing.abort();
    await until(() => (asks.pending.length === 0 ? true : undefined));
    return 'end_turn';
  });
  await chats.send(chat, 'run it');
  assert.deepEqual(asks.pending, []);
});

test('a turn waits for settings that are being written', async () => {
  const { chats, chat, calls } = start();
  let written: () => void = () => undefined;
  chats.hold(
    new Promise<void>((resolve) => {
      written = resolve;
    }),
  );
  const turn = chats.send(chat, 'hi');
  await until(() => (calls.length > 0 ? true : undefined));
  for (let pass = 0; pass < 50; pass += 1) await settle();
  assert.ok(!calls.some(([method]) => method === 'session/prompt'));
  written();
  await turn;
  assert.ok(calls.some(([method]) => method === 'session/prompt'));
});

test('a failed prompt shows a card with actions, and Retry sends it again', async () => {
  const { chats, chat, script, calls } = start();
  script.push(async () => {
    throw new acp.RequestError(-32603, 'The key was refused.', { kind: 'unauthorized' });
  });
  await chats.send(chat, 'hi');
  const card = chat.state.items.at(-1);
  assert.deepEqual(card, {
    kind: 'error',
    id: 'own-2',
    text: 'The key was refused.',
    retry: true,
    commands: ['setApiKey', 'setModel'],
    helps: 'setApiKey',
    cause: 'unauthorized',
  });
  await chats.retry(chat);
  assert.equal(calls.filter(([method]) => method === 'session/prompt').length, 2);
  assert.deepEqual(
    chat.state.items.map(({ kind }) => kind),
    ['user'],
  );
});

test('a refusal reaches the host with its message', async () => {
  const { chats, chat, script } = start();
  let message = '';
  script.push(async (client, sessionId) => {
    await client
      .request('fs/write_text_file', { sessionId, path: '/work/a.txt', content: 'x' })
      .catch((error: Error) => {
        message = error.message;
      });
    return 'end_turn';
  });
  await chats.send(chat, 'write');
  assert.match(message, /not open in the editor/);
});

test('secrets, documents and panes are asked for by their own methods', async () => {
  const { chats, chat, script, panes } = start();
  const answers: unknown[] = [];
  script.push(async (client) => {
    answers.push(await client.request('_gatehouse/secret', { id: 'model/openai-compatible' }));
    answers.push(await client.request('_gatehouse/documents', {}));
    answers.push(await client.request('_gatehouse/secret', {}).catch((error) => error.code));
    await client.notify('_gatehouse/terminal', { terminalId: 't', event: 'opened', title: 'x' });
    return 'end_turn';
  });
  await chats.send(chat, 'hi');
  assert.deepEqual(answers, [{ value: 'k' }, { documents: [] }, -32602]);
  assert.deepEqual(panes, [{ terminalId: 't', event: 'opened', title: 'x' }]);
});

test('a host exit during a turn is reported once, and the next host loads the session', async () => {
  const { chats, chat, script, calls, die, restart, asks } = start();
  script.push(async (client, sessionId) => {
    await say(client, sessionId, 'working');
    void client.request('session/request_permission', permission(sessionId)).catch(() => undefined);
    await new Promise(() => undefined);
    return 'end_turn';
  });
  const turn = chats.send(chat, 'one');
  await until(() => asks.pending[0]);
  die({ code: 7, signal: null, stderrTail: 'out of memory', restartIn: 250 });
  await turn;
  const cards = chat.state.items.filter(({ kind }) => kind === 'error');
  assert.equal(cards.length, 1);
  assert.match(JSON.stringify(cards[0]), /exit code 7.*out of memory/);
  assert.equal(chat.state.activity, 'restarting');
  assert.deepEqual(asks.pending, []);
  const [call] = chat.state.items.filter(({ kind }) => kind === 'tool');
  assert.equal(call?.kind === 'tool' && call.status, 'aborted');

  restart();
  await until(() => calls.find(([method]) => method === 'session/load'));
  await until(() => (chat.state.activity === 'idle' ? true : undefined));
  await until(() => (chat.state.items[0]?.id.startsWith('user-') ? true : undefined));
  assert.deepEqual(
    chat.state.items.map((item) => [item.kind, item.kind === 'user' && item.text]),
    [
      ['user', 'one, as recorded'],
      ['error', false],
    ],
  );
});

test('an idle session that no view shows is loaded again when it is opened', async () => {
  const { chats, chat, calls, die, restart } = start();
  await chats.send(chat, 'one');
  const other = chats.blank();
  await chats.send(other, 'two');
  die({ code: 7, signal: null, stderrTail: '', restartIn: 250 });
  restart();
  const loaded = () => calls.filter(([method]) => method === 'session/load').length;
  await until(() => (chat.stale ? undefined : true));
  assert.equal(loaded(), 1, 'only the session that a view shows');
  assert.equal(chats.open(other.id ?? ''), other);
  await chats.load(other);
  assert.equal(loaded(), 2);
});
