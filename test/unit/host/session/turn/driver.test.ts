import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { RequestError, type SessionUpdate } from '@agentclientprotocol/sdk';
import type { Chunk } from '../../../../../src/base/stream/chunk.ts';
import { createClient } from '../../../../../src/host/client/client.ts';
import { openHostServices } from '../../../../../src/host/services/hostServices.ts';
import { Sessions } from '../../../../../src/host/session/sessions.ts';
import type { DriverTurn, OpenDriver } from '../../../../../src/host/session/turn/driver.ts';
import { temporary } from '../../harness.ts';

/** Sessions whose turns a stub runs: no model is set up, and none is needed. */
async function openSessions(t: TestContext, openDriver: OpenDriver) {
  const data = await temporary(t);
  const workspace = await temporary(t);
  const updates: SessionUpdate[] = [];
  const peer = {
    request: () => Promise.reject(new Error('nothing is asked of this client')),
    notify: async (method: string, params: unknown) => {
      if (method === 'session/update') updates.push(Object(params).update);
    },
  };
  const client = createClient(peer, { protocolVersion: 1, clientCapabilities: {} });
  const env = { GATEHOUSE_DATA: data, GATEHOUSE_CONFIG: path.join(data, 'settings.json') };
  const services = openHostServices({ client, env, warn: () => undefined });
  t.after(() => services.dispose());
  return { services, workspace, updates, sessions: new Sessions(services, openDriver) };
}

/** A driver that plays these chunks, and keeps what it was given. */
function stub(chunks: readonly Chunk[], turns: DriverTurn[] = []): OpenDriver {
  return async () => ({
    metadata: { hosted: 'stub' },
    contextTokens: 0,
    async *run(turn) {
      turns.push(turn);
      yield* chunks;
    },
  });
}

const SAYS: readonly Chunk[] = [
  { type: 'start' },
  { type: 'start-step' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Hello from elsewhere.' },
  { type: 'text-end', id: 't' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop' },
];
const prompt = [{ type: 'text', text: 'Go.' }] as const;

test('a whole session runs on a driver that is not the built-in loop', async (t) => {
  const turns: DriverTurn[] = [];
  const { services, sessions, workspace, updates } = await openSessions(t, stub(SAYS, turns));
  const { sessionId } = await sessions.create({ cwd: workspace, mcpServers: [] });
  assert.deepEqual(await sessions.prompt({ sessionId, prompt: [...prompt] }), {
    stopReason: 'end_turn',
  });
  assert.deepEqual(await sessions.prompt({ sessionId, prompt: [...prompt] }), {
    stopReason: 'end_turn',
  });
  assert.deepEqual(
    turns.map(({ messages }) => messages.map(({ role }) => role)),
    [['user'], ['user', 'assistant', 'user']],
  );
  const [, answer] = services.recorder.messages(sessionId);
  assert.deepEqual(
    [answer?.metadata['hosted'], answer?.metadata.agent, answer?.metadata.model],
    ['stub', 'gatehouse', undefined],
  );
  assert.ok(updates.some((each) => JSON.stringify(each).includes('Hello from elsewhere.')));

  await sessions.close(sessionId);
  updates.length = 0;
  await sessions.load({ sessionId, cwd: workspace, mcpServers: [] });
  assert.ok(updates.some((each) => JSON.stringify(each).includes('Hello from elsewhere.')));
});

test('a driver that reports an error fails the prompt with it', async (t) => {
  const fault = { kind: 'other', retryable: true } as const;
  const { sessions, workspace } = await openSessions(
    t,
    stub([
      { type: 'start' },
      { type: 'error', errorText: 'The other agent is gone.', fault },
      { type: 'finish', finishReason: 'error' },
    ]),
  );
  const { sessionId } = await sessions.create({ cwd: workspace, mcpServers: [] });
  const error = await sessions
    .prompt({ sessionId, prompt: [...prompt] })
    .catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(error.message, 'The other agent is gone.');
});

test('a cancelled turn ends as cancelled, whatever its driver does with the abort', async (t) => {
  const started = Promise.withResolvers<void>();
  const { sessions, workspace } = await openSessions(t, async () => ({
    metadata: {},
    contextTokens: 0,
    async *run({ signal }) {
      yield { type: 'start' } as const;
      started.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      yield { type: 'abort', reason: 'cancelled' } as const;
    },
  }));
  const { sessionId } = await sessions.create({ cwd: workspace, mcpServers: [] });
  const turn = sessions.prompt({ sessionId, prompt: [...prompt] });
  await started.promise;
  sessions.cancel(sessionId);
  assert.deepEqual(await turn, { stopReason: 'cancelled' });
});

test('a session that nobody can be asked in, and one that another started', async (t) => {
  const { services, sessions, workspace } = await openSessions(t, stub(SAYS));
  const terms = { additionalDirectories: [], approval: 'ask' } as const;
  const first = await sessions.start({ ...terms, cwd: workspace, canAsk: true });
  assert.equal(first.policy([]).headless, false);
  const second = await sessions.start({ ...terms, cwd: workspace, canAsk: false });
  assert.equal(second.policy([]).headless, true);
  assert.equal(services.recorder.session(first.id)?.parent, undefined);
});

test('a session that another one starts runs a subagent, and keeps its parent', async (t) => {
  const { services, sessions, workspace } = await openSessions(t, stub(SAYS));
  const folder = path.join(services.data.root, 'agents');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'sub.md'), '---\ndescription: Helps.\nmode: subagent\n---\n');
  const terms = { additionalDirectories: [], approval: 'ask', canAsk: false } as const;
  const parent = await sessions.start({ ...terms, cwd: workspace });
  const child = { ...terms, cwd: workspace, agent: 'sub' };
  await assert.rejects(sessions.start(child), /There is no agent "sub" that can be started here/);
  const { id } = await sessions.start({ ...child, parent: parent.id });
  assert.equal(services.recorder.session(id)?.parent, parent.id);
  await sessions.close(id);
  await sessions.load({ sessionId: id, cwd: workspace, mcpServers: [] });
  const reopened = sessions.get(id);
  assert.deepEqual([reopened.parent, reopened.definition.name], [parent.id, 'sub']);
  assert.equal(reopened.definition.description, 'Helps.');
});
