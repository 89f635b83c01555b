import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HOST_REQUESTS } from '../../../../src/acp/gatehouse/methods.ts';
import type { SessionQueue } from '../../../../src/acp/gatehouse/queues.ts';
import type { ModelRequest, Reply, Script } from '../../../tour/server.ts';
import { type Connected, connect, newSession, requests, until } from '../harness.ts';

const QUEUES = { _meta: { gatehouse: { v: 1, queue: true, resumeQueue: true } } };
const BASH = { tool: 'bash', input: { command: 'touch x' }, id: 'c' };

function send(host: Connected, sessionId: string, text: string, queueId?: string) {
  return host.agent.request('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text }],
    ...(queueId !== undefined && { _meta: { gatehouse: { queueId } } }),
  });
}

function call<Name extends keyof typeof HOST_REQUESTS>(
  host: Connected,
  name: Name,
  params: object,
) {
  return host.agent.request<unknown>(HOST_REQUESTS[name].method, params);
}

const newest = (host: Connected): SessionQueue | undefined =>
  requests(host, '_gatehouse/queue_changed')
    .map(({ params }) => params as SessionQueue)
    .at(-1);

const waiting = (host: Connected) => newest(host)?.entries.map(({ id }) => id) ?? [];

/** A session whose first turn waits for a permission until `release`; seen are the model's requests. */
async function busy(t: TestContext, script: (request: ModelRequest) => Reply) {
  const gate = Promise.withResolvers<void>();
  const seen: ModelRequest[] = [];
  const all: Script = (request) => {
    seen.push(request);
    return seen.length === 1 ? { text: 'First. ', calls: [BASH] } : script(request);
  };
  const host = await connect(t, {
    script: all,
    client: {
      capabilities: QUEUES,
      permission: async () => {
        await gate.promise;
        return { outcome: { outcome: 'selected', optionId: 'reject' } };
      },
    },
  });
  const sessionId = await newSession(host);
  const first = send(host, sessionId, 'one', 'q1');
  await until(() => requests(host, 'session/request_permission').length > 0, 'the permission');
  return { host, sessionId, first, seen, release: gate.resolve };
}

/** Who said what, in the order of the transcript. */
function transcript(host: Connected, from = 0): readonly string[] {
  return host.updates.slice(from).flatMap(({ update }) => {
    if (update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text')
      return [`user: ${update.content.text}`];
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
      return [`agent: ${update.content.text}`];
    return update.sessionUpdate === 'tool_call' ? ['call'] : [];
  });
}

function roles(request: ModelRequest | undefined): readonly string[] {
  const messages = request?.body['messages'];
  return Array.isArray(messages) ? messages.map(({ role }) => String(role)) : [];
}

test('a queued prompt that is steered becomes a user message between two steps, live and reloaded', async (t) => {
  const { host, sessionId, first, seen, release } = await busy(t, () => ({ text: 'Done.' }));
  const second = send(host, sessionId, 'only a.ts', 'q2');
  await until(() => waiting(host).length === 1, 'it waits');
  assert.deepEqual(await call(host, 'steer', { sessionId, queueId: 'q2' }), { changed: true });
  assert.equal(newest(host)?.entries[0]?.steered, true);
  release();
  assert.deepEqual(await second, { stopReason: 'end_turn' });
  assert.deepEqual(await first, { stopReason: 'end_turn' });
  assert.equal(seen.length, 2, 'one turn, so two requests');
  assert.deepEqual(roles(seen[1]), ['system', 'user', 'assistant', 'tool', 'user']);
  assert.match(JSON.stringify(seen[1]?.body), /only a\.ts/);
  const live = transcript(host);
  assert.deepEqual(live.slice(-2), ['user: only a.ts', 'agent: Done.']);
  const from = host.updates.length;
  await host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  const reloaded = ['user: one', 'agent: First. ', 'call', 'user: only a.ts', 'agent: Done.'];
  assert.deepEqual(transcript(host, from), reloaded);
  await send(host, sessionId, 'next');
  assert.deepEqual(roles(seen[2]), [
    ...['system', 'user', 'assistant', 'tool', 'user'],
    ...['assistant', 'user'],
  ]);
});

test('a steered prompt runs next if no step follows in the turn', async (t) => {
  const end = Promise.withResolvers<void>();
  const { host, sessionId, first, seen, release } = await busy(t, () =>
    seen.length === 2 ? { text: '.', until: end.promise } : { text: 'Mine.' },
  );
  release();
  await until(() => seen.length === 2, 'the last step streams');
  const second = send(host, sessionId, 'two', 'q2');
  await until(() => waiting(host).length === 1, 'it waits');
  await call(host, 'steer', { sessionId, queueId: 'q2' });
  end.resolve();
  assert.deepEqual(await first, { stopReason: 'end_turn' });
  assert.deepEqual(await second, { stopReason: 'end_turn' });
  assert.equal(seen.length, 3);
  assert.match(transcript(host).at(-1) ?? '', /Mine/);
});

test('queued prompts are moved, and a command cannot be steered', async (t) => {
  const { host, sessionId, first, release } = await busy(t, () => ({ text: 'Done.' }));
  const others = ['q2', 'q3', 'q4'].map((id) => send(host, sessionId, `text ${id}`, id));
  await until(() => waiting(host).length === 3, 'they wait');
  const command = send(host, sessionId, '/compact', 'q5');
  await until(() => waiting(host).length === 4, 'it waits');
  await call(host, 'moveQueued', { sessionId, id: 'q4', before: 'q2' });
  await call(host, 'moveQueued', { sessionId, id: 'q2' });
  assert.deepEqual(waiting(host), ['q4', 'q3', 'q5', 'q2']);
  const gone = { sessionId, id: 'q3', before: 'no' };
  assert.deepEqual(await call(host, 'moveQueued', gone), { changed: false });
  const steer = { sessionId, queueId: 'q5' };
  assert.deepEqual(await call(host, 'steer', steer), { changed: false });
  release();
  await Promise.all([first, ...others, command]);
});

test('the same prompt sent twice under one name is one entry, with one answer (spec CS-101)', async (t) => {
  const { host, sessionId, first, seen, release } = await busy(t, () => ({ text: 'Done.' }));
  const twice = [send(host, sessionId, 'two', 'q2'), send(host, sessionId, 'two', 'q2')];
  const running = send(host, sessionId, 'one', 'q1');
  await call(host, 'queue', { sessionId });
  assert.deepEqual(waiting(host), ['q2']);
  release();
  const ended = { stopReason: 'end_turn' };
  assert.deepEqual(await Promise.all([first, running, ...twice]), [ended, ended, ended, ended]);
  assert.equal(seen.length, 3);
});

test('a turn that fails pauses the queue, a retry or Resume goes on, and cancel empties it (spec CS-101)', async (t) => {
  let broken = true;
  const { host, sessionId, first, seen, release } = await busy(t, () =>
    broken ? { fault: { at: 'head', status: 401 } } : { text: 'Done.' },
  );
  const failed = first.catch((error: unknown) => Object(Object(error).data).kind);
  const second = send(host, sessionId, 'two', 'q2');
  await until(() => waiting(host).length === 1, 'it waits');
  release();
  assert.equal(await failed, 'unauthorized');
  await until(() => newest(host)?.paused === true, 'the queue is paused');
  assert.deepEqual(waiting(host), ['q2']);
  // Sent meanwhile, it waits behind the others.
  const third = send(host, sessionId, 'three', 'q3');
  await until(() => waiting(host).length === 2, 'it waits too');
  assert.equal(seen.length, 2, 'nothing ran');
  const again = await send(host, sessionId, 'one').catch(() => 'failed');
  assert.equal(again, 'failed');
  assert.equal(newest(host)?.paused, true);
  broken = false;
  assert.deepEqual(await call(host, 'resumeQueue', { sessionId }), { changed: true });
  assert.deepEqual(await Promise.all([second, third]), [
    { stopReason: 'end_turn' },
    { stopReason: 'end_turn' },
  ]);
  assert.equal(newest(host)?.paused, undefined);
  assert.deepEqual(await call(host, 'resumeQueue', { sessionId }), { changed: false });
});

test('a retry that succeeds lets the paused queue run, and cancel ends what is paused', async (t) => {
  let broken = true;
  const { host, sessionId, first, release } = await busy(t, () =>
    broken ? { fault: { at: 'head', status: 401 } } : { text: 'Done.' },
  );
  const failed = first.catch(() => 'failed');
  const second = send(host, sessionId, 'two', 'q2');
  await until(() => waiting(host).length === 1, 'it waits');
  release();
  await failed;
  broken = false;
  assert.deepEqual(await send(host, sessionId, 'one'), { stopReason: 'end_turn' });
  assert.deepEqual(await second, { stopReason: 'end_turn' });
  broken = true;
  const last = send(host, sessionId, 'four', 'q4').catch(() => 'failed');
  const behind = send(host, sessionId, 'five', 'q5');
  assert.equal(await last, 'failed');
  await until(() => newest(host)?.paused === true, 'the queue is paused');
  await host.agent.notify('session/cancel', { sessionId });
  assert.deepEqual(await behind, { stopReason: 'cancelled' });
});
