import assert from 'node:assert/strict';
import { PassThrough, Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import * as acp from '@agentclientprotocol/sdk';
import { Asks } from '../../../../src/extension/asks/asks.ts';
import { Chat } from '../../../../src/extension/chat/chat.ts';
import { createHandlers } from '../../../../src/extension/clientMethods.ts';
import { connect } from '../../../../src/extension/host/acpClient.ts';
import type { ClientHandlers } from '../../../../src/extension/host/acpTypes.ts';
import { HostLink } from '../../../../src/extension/host/hostLink.ts';
import type { DocumentEditor } from '../../../../src/extension/review/documents.ts';
import { Proposals } from '../../../../src/extension/review/proposals.ts';
import { english } from '../english.ts';
import { FakeClock, settle } from '../fakeClock.ts';

const EMPTY_CONFIGURATION = {
  settings: { 'model.id': 'm' },
  rules: [],
  workspace: { roots: ['/work'], adHoc: [], trusted: true },
  editor: {},
};

test('the host is greeted with what this client can do, and has its settings before anything else', async () => {
  const { chat, calls } = start();
  await chat.send('hi');
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
      // The library fills in what was not advertised.
      ...{ terminal: false, auth: { terminal: false } },
      _meta: {
        gatehouse: {
          ...{ v: 1, configure: true, secret: true, saveRule: true, documents: true },
          terminal: true,
        },
      },
    },
  });
  assert.deepEqual(calls[1]?.[1], EMPTY_CONFIGURATION);
});

test('a turn streams into the chat and ends', async () => {
  const { chat, script } = start();
  script.push(async (client, sessionId) => {
    await say(client, sessionId, 'Hello');
    return 'end_turn';
  });
  await chat.send('hi');
  assert.deepEqual(
    chat.active.state.items.map((item) => [item.kind, 'text' in item && item.text]),
    [
      ['user', 'hi'],
      ['agent', 'Hello'],
    ],
  );
  assert.equal(chat.active.state.activity, 'idle');
});

test('a permission waits for the user, and the answer is the option that was chosen', async () => {
  const { chat, asks, script } = start();
  let outcome: unknown;
  script.push(async (client, sessionId) => {
    outcome = await client.request('session/request_permission', permission(sessionId));
    return 'end_turn';
  });
  const turn = chat.send('run it');
  const [pending] = await until(() => (asks.pending.length > 0 ? asks.pending : undefined));
  assert.ok(pending?.ask.kind === 'permission');
  assert.equal(pending.ask.subject, 'npm test');
  assert.equal(chat.active.state.asks.length, 1);
  asks.answer(pending.ask.id, { kind: 'option', optionId: 'reject', reason: 'not now' });
  await turn;
  assert.deepEqual(outcome, {
    outcome: { outcome: 'selected', optionId: 'reject' },
    _meta: { gatehouse: { reason: 'not now' } },
  });
  assert.deepEqual(chat.active.state.asks, []);
});

test('stopping answers what waits with "cancelled" and cancels the turn', async () => {
  const { chat, asks, script, calls } = start();
  let outcome: unknown;
  script.push(async (client, sessionId) => {
    outcome = await client.request('session/request_permission', permission(sessionId));
    return 'cancelled';
  });
  const turn = chat.send('run it');
  await until(() => asks.pending[0]);
  await chat.stop();
  await turn;
  assert.deepEqual(outcome, { outcome: { outcome: 'cancelled' } });
  assert.ok(calls.some(([method]) => method === 'session/cancel'));
  assert.deepEqual(chat.active.state.items.at(-1), { kind: 'note', id: 'own-2', text: 'Stopped.' });
});

test('a withdrawn request closes its surfaces', async () => {
  const { chat, asks, script } = start();
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
  await chat.send('run it');
  assert.deepEqual(asks.pending, []);
});

test('a turn waits for settings that are being written', async () => {
  const { chat, calls } = start();
  let written: () => void = () => undefined;
  chat.hold(
    new Promise<void>((resolve) => {
      written = resolve;
    }),
  );
  const turn = chat.send('hi');
  await until(() => (calls.length > 0 ? true : undefined));
  for (let pass = 0; pass < 50; pass += 1) await settle();
  assert.ok(!calls.some(([method]) => method === 'session/prompt'));
  written();
  await turn;
  assert.ok(calls.some(([method]) => method === 'session/prompt'));
});

test('a message that is sent while a turn runs waits for its end', async () => {
  const { chat, script, calls } = start();
  let release: () => void = () => undefined;
  script.push(async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return 'end_turn';
  });
  const turn = chat.send('one');
  await until(() => (chat.active.state.activity === 'running' ? true : undefined));
  await chat.send('two');
  assert.deepEqual(
    chat.active.state.queue.map(({ text }) => text),
    ['two'],
  );
  await until(() => calls.find(([method]) => method === 'session/prompt'));
  release();
  await turn;
  assert.deepEqual(
    calls.filter(([method]) => method === 'session/prompt').map(([, params]) => promptText(params)),
    ['one', 'two'],
  );
});

test('a prompt that fails leaves a card with what to do, and Retry sends it again', async () => {
  const { chat, script, calls } = start();
  script.push(async () => {
    throw new acp.RequestError(-32603, 'The key was refused.', { kind: 'unauthorized' });
  });
  await chat.send('hi');
  const card = chat.active.state.items.at(-1);
  assert.deepEqual(card, {
    kind: 'error',
    id: 'own-2',
    text: 'The key was refused.',
    retry: true,
    actions: ['setApiKey', 'setModel'],
  });
  await chat.retry();
  assert.equal(calls.filter(([method]) => method === 'session/prompt').length, 2);
  assert.deepEqual(
    chat.active.state.items.map(({ kind }) => kind),
    ['user'],
  );
});

test('a refusal reaches the host with its words', async () => {
  const { chat, script } = start();
  let message = '';
  script.push(async (client, sessionId) => {
    await client
      .request('fs/write_text_file', { sessionId, path: '/work/a.txt', content: 'x' })
      .catch((error: Error) => {
        message = error.message;
      });
    return 'end_turn';
  });
  await chat.send('write');
  assert.match(message, /not open in the editor/);
});

test('secrets, documents and panes are asked for by their own methods', async () => {
  const { chat, script, panes } = start();
  const answers: unknown[] = [];
  script.push(async (client) => {
    answers.push(await client.request('_gatehouse/secret', { id: 'model/openai-compatible' }));
    answers.push(await client.request('_gatehouse/documents', {}));
    answers.push(await client.request('_gatehouse/secret', {}).catch((error) => error.code));
    await client.notify('_gatehouse/terminal', { terminalId: 't', event: 'opened', title: 'x' });
    return 'end_turn';
  });
  await chat.send('hi');
  assert.deepEqual(answers, [{ value: 'k' }, { documents: [] }, -32602]);
  assert.deepEqual(panes, [{ terminalId: 't', event: 'opened', title: 'x' }]);
});

test('a host that dies in a turn is told once, and the session is loaded in the next host', async () => {
  const { chat, script, calls, die, restart, asks } = start();
  script.push(async (client, sessionId) => {
    await say(client, sessionId, 'working');
    void client.request('session/request_permission', permission(sessionId)).catch(() => undefined);
    await new Promise(() => undefined);
    return 'end_turn';
  });
  const turn = chat.send('one');
  await until(() => asks.pending[0]);
  die({ code: 7, signal: null, stderrTail: 'out of memory', restartIn: 250 });
  await turn;
  const cards = chat.active.state.items.filter(({ kind }) => kind === 'error');
  assert.equal(cards.length, 1);
  assert.match(JSON.stringify(cards[0]), /exit code 7.*out of memory/);
  assert.equal(chat.active.state.activity, 'restarting');
  assert.deepEqual(asks.pending, []);
  const [call] = chat.active.state.items.filter(({ kind }) => kind === 'tool');
  assert.equal(call?.kind === 'tool' && call.status, 'aborted');

  restart();
  await until(() => calls.find(([method]) => method === 'session/load'));
  await until(() => (chat.active.state.activity === 'idle' ? true : undefined));
  await until(() => (chat.active.state.items[0]?.id.startsWith('user-') ? true : undefined));
  assert.deepEqual(
    chat.active.state.items.map((item) => [item.kind, item.kind === 'user' && item.text]),
    [
      ['user', 'one, as recorded'],
      ['error', false],
    ],
  );
});

test('another session can be shown while a turn goes on, and shown again', async () => {
  const { chat, script } = start();
  let release: () => void = () => undefined;
  script.push(async (client, sessionId) => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    await say(client, sessionId, 'late');
    return 'end_turn';
  });
  const turn = chat.send('one');
  await until(() => (chat.active.state.activity === 'running' ? true : undefined));
  const first = chat.active;
  chat.newSession();
  assert.notEqual(chat.active, first);
  assert.deepEqual(chat.active.state.items, []);
  await settle();
  release();
  await turn;
  await chat.open(first.id ?? '');
  assert.equal(chat.active, first);
  assert.match(JSON.stringify(chat.active.state.items), /late/);
});

type Script = (client: acp.AgentContext, sessionId: string) => Promise<acp.StopReason>;
type Exit = Parameters<HostLink['hostExited']>[0];

/** The extension's side, and an agent app in this process at the other end of two byte streams. */
function start() {
  const calls: [string, unknown][] = [];
  const script: Script[] = [];
  const panes: unknown[] = [];
  const asks = new Asks();
  const clock = new FakeClock();
  let ends: (() => void)[] = [];
  const launch = () => {
    const toHost = new PassThrough();
    const fromHost = new PassThrough();
    const input = Readable.toWeb(toHost) as ReadableStream<Uint8Array>;
    agentApp(calls, script).connect(acp.ndJsonStream(Writable.toWeb(fromHost), input));
    ends = [() => fromHost.end()];
    link.hostStarted({ stdin: toHost, stdout: fromHost, pid: 1 });
  };
  const handlers: ClientHandlers = createHandlers({
    chat: () => chat,
    ...{ asks, clock, documents: NO_DOCUMENTS },
    proposals: new Proposals(NO_DIFFS),
    secret: async () => 'k',
    saveRule: async () => '/settings.json',
    terminal: (params) => panes.push(params),
    proposed: () => undefined,
    located: () => undefined,
  });
  let running = false;
  const link: HostLink = new HostLink({
    start: () => {
      if (running) return;
      running = true;
      launch();
    },
    ...{ connect, handlers, version: '1.2.3', configuration: () => EMPTY_CONFIGURATION },
  });
  const chat: Chat = new Chat({
    ...{ link, asks, clock, t: english, label: (path: string) => path },
    place: () => ({ cwd: '/work', additionalDirectories: [] }),
    shared: () => ({
      header: { model: 'm', tour: false },
      place: { trusted: true, folder: true, brokenRules: 0 },
      options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
    }),
    remember: () => undefined,
    log: () => undefined,
  });
  const die = (exit: Exit) => {
    running = false;
    for (const end of ends) end();
    link.hostExited(exit);
  };
  const restart = () => {
    running = true;
    launch();
  };
  return { chat, asks, calls, script, panes, die, restart };
}

function agentApp(calls: [string, unknown][], script: Script[]) {
  const note = (method: string, params: unknown) => calls.push([method, params]);
  return acp
    .agent({ name: 'fake' })
    .onRequest('initialize', ({ params }) => {
      note('initialize', params);
      return { protocolVersion: 1, agentCapabilities: { loadSession: true } };
    })
    .onRequest(
      '_gatehouse/configure',
      (params: unknown) => params,
      ({ params }) => {
        note('_gatehouse/configure', params);
        return { problems: [] };
      },
    )
    .onRequest('session/new', ({ params }) => {
      note('session/new', params);
      return { sessionId: `s${calls.length}` };
    })
    .onRequest('session/load', async ({ params, client }) => {
      note('session/load', params);
      await client.notify('session/update', {
        sessionId: params.sessionId,
        update: {
          sessionUpdate: 'user_message_chunk',
          content: { type: 'text', text: 'one, as recorded' },
        },
      });
      return {};
    })
    .onRequest('session/prompt', async ({ params, client }) => {
      note('session/prompt', params);
      const turn = script.shift();
      return { stopReason: (await turn?.(client, params.sessionId)) ?? 'end_turn' };
    })
    .onNotification('session/cancel', ({ params }) => void note('session/cancel', params));
}

const NO_DOCUMENTS = { workspace: { textDocuments: [] } } as unknown as DocumentEditor;
const NO_DIFFS = { close: async () => undefined } as never;

function say(client: acp.AgentContext, sessionId: string, text: string): Promise<void> {
  return client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  });
}

function permission(sessionId: string): acp.RequestPermissionRequest {
  return {
    sessionId,
    toolCall: { toolCallId: 'c', title: 'Run', kind: 'execute', rawInput: { command: 'npm test' } },
    options: [
      { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
    ],
  };
}

function promptText(params: unknown): string {
  const { prompt } = params as acp.PromptRequest;
  return prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Waits for other ends of streams in this process; gives up instead of hanging. */
async function until<Value>(look: () => Value | undefined): Promise<Value> {
  const end = performance.now() + 120_000;
  while (performance.now() < end) {
    const found = look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('It did not come to pass.');
}
