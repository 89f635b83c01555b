import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestError } from '@agentclientprotocol/sdk';
import { HOST_REQUESTS } from '../../../../src/acp/gatehouse/methods.ts';
import type { SessionQueue } from '../../../../src/acp/gatehouse/queues.ts';
import { type Connected, connect, newSession, requests, until } from '../harness.ts';

const MIRROR = { _meta: { gatehouse: { v: 1, queue: true } } };

function send(host: Connected, sessionId: string, text: string, queueId: string) {
  return host.agent.request('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text }],
    _meta: { gatehouse: { queueId } },
  });
}

function call<Name extends keyof typeof HOST_REQUESTS>(
  host: Connected,
  name: Name,
  params: object,
) {
  return host.agent.request<unknown>(HOST_REQUESTS[name].method, params);
}

/** A session whose first prompt waits for a permission until `release`. */
async function busy(t: Parameters<typeof connect>[0], capabilities: object = MIRROR) {
  const gate = Promise.withResolvers<void>();
  const host = await connect(t, {
    script: [
      { calls: [{ tool: 'bash', input: { command: 'touch x' }, id: 'c' }] },
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
    ],
    client: {
      capabilities,
      permission: async () => {
        await gate.promise;
        return { outcome: { outcome: 'selected', optionId: 'reject' } };
      },
    },
  });
  const sessionId = await newSession(host);
  const first = send(host, sessionId, 'one', 'q1');
  await until(() => requests(host, 'session/request_permission').length > 0, 'the permission');
  return { host, sessionId, first, release: gate.resolve };
}

function published(host: Connected): readonly unknown[] {
  return requests(host, '_gatehouse/queue_changed').map(({ params }) => {
    const { running, entries } = params as SessionQueue;
    return [running, entries.map(({ text }) => text)];
  });
}

test('CS-105 queued prompts are listed, edited and removed by name, and answered; the host says which one runs', async (t) => {
  const { host, sessionId, first, release } = await busy(t);
  const second = send(host, sessionId, 'two', 'q2');
  const third = send(host, sessionId, 'three', 'q3');
  await until(() => published(host).length === 3, 'both wait');
  const listed = HOST_REQUESTS.queue.result(await call(host, 'queue', { sessionId }));
  assert.deepEqual(
    [listed.running, listed.entries.map(({ id, text, attachments }) => [id, text, attachments])],
    [
      'q1',
      [
        ['q2', 'two', 0],
        ['q3', 'three', 0],
      ],
    ],
  );
  const edit = { sessionId, id: 'q3', text: 'three, better' };
  assert.deepEqual(await call(host, 'editQueued', edit), { changed: true });
  assert.deepEqual(await call(host, 'removeQueued', { sessionId, id: 'q2' }), { changed: true });
  assert.deepEqual(await second, { stopReason: 'cancelled' });
  assert.deepEqual(await call(host, 'removeQueued', { sessionId, id: 'q1' }), { changed: false });
  release();
  assert.deepEqual(await first, { stopReason: 'end_turn' });
  assert.deepEqual(await third, { stopReason: 'end_turn' });
  assert.deepEqual(published(host), [
    ['q1', []],
    ['q1', ['two']],
    ['q1', ['two', 'three']],
    ['q1', ['two', 'three, better']],
    ['q1', ['three, better']],
    ['q3', []],
  ]);
  await host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  const said = host.updates.flatMap(({ update }) =>
    update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text'
      ? [update.content.text]
      : [],
  );
  assert.deepEqual(said, ['one', 'three, better']);
});

test('a client that removes a prompt gets what was attached to it, if it asks', async (t) => {
  const { host, sessionId, first, release } = await busy(t);
  const link = { type: 'resource_link', name: 'a.ts', uri: 'file:///w/a.ts' };
  const prompt = [{ type: 'text', text: 'See' }, link];
  const send = (queueId: string) =>
    host.agent.request('session/prompt', { sessionId, prompt, _meta: { gatehouse: { queueId } } });
  const sent = [send('q2'), send('q3')];
  await until(() => published(host).length === 3, 'both wait');
  const asked = { sessionId, id: 'q2', withAttachments: true };
  assert.deepEqual(await call(host, 'removeQueued', asked), { changed: true, attachments: [link] });
  assert.deepEqual(await call(host, 'removeQueued', asked), { changed: false });
  assert.deepEqual(await call(host, 'removeQueued', { sessionId, id: 'q3' }), { changed: true });
  release();
  await Promise.all([first, ...sent]);
});

test('the response of a turn arrives before the notification that the next one runs', async (t) => {
  const { host, sessionId, first, release } = await busy(t);
  const second = send(host, sessionId, 'two', 'q2');
  await until(() => published(host).length === 2, 'it waits');
  release();
  await Promise.all([first, second]);
  const lines = host.lines.filter(({ from }) => from === 'agent').map(({ message }) => message);
  const answer = lines.findIndex(({ result }) => Object(result).stopReason === 'end_turn');
  const news = lines.findLastIndex(({ method }) => method === '_gatehouse/queue_changed');
  assert.ok(answer >= 0 && answer < news, `${answer} ${news}`);
});

test('a client that does not mirror the queue gets no queue updates', async (t) => {
  const { host, sessionId, first, release } = await busy(t, {});
  const second = send(host, sessionId, 'two', 'q2');
  release();
  await Promise.all([first, second]);
  assert.deepEqual(published(host), []);
});

test('a client that cancels the request of a prompt that waits ends no other', async (t) => {
  const { host, sessionId, first, release } = await busy(t);
  const withdrawn = new AbortController();
  const prompt = [{ type: 'text' as const, text: 'two' }];
  const second = host.agent
    .request('session/prompt', { sessionId, prompt }, { cancellationSignal: withdrawn.signal })
    .catch((error: unknown) => error);
  const third = send(host, sessionId, 'three', 'q3');
  await until(() => published(host).length === 3, 'both wait');
  withdrawn.abort();
  await second;
  await until(() => published(host).length === 4, 'one left');
  release();
  assert.deepEqual(await first, { stopReason: 'end_turn' });
  assert.deepEqual(await third, { stopReason: 'end_turn' });
});

test('an unknown session and a name that cannot be read are clear errors', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  const code = (work: Promise<unknown>) =>
    work.then(
      () => 0,
      (error: unknown) => (error instanceof RequestError ? [error.code, error.data] : error),
    );
  assert.deepEqual(await code(call(host, 'queue', { sessionId: 'ses_none' })), [
    -32002,
    { uri: 'ses_none' },
  ]);
  assert.deepEqual(await code(call(host, 'removeQueued', { sessionId })), [
    -32602,
    { id: 'Must be a string.' },
  ]);
  const prompt = { sessionId, prompt: [], _meta: { gatehouse: { queueId: 7 } } };
  assert.deepEqual(await code(host.agent.request('session/prompt', prompt)), [
    -32602,
    { '_meta.gatehouse.queueId': 'Must be a string.' },
  ]);
});
