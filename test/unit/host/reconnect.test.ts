import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestError } from '@agentclientprotocol/sdk';
import {
  type Connected,
  calls,
  connect,
  lastStatus,
  newSession,
  prompt,
  said,
  until,
} from './harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;
const TOUCH = { tool: 'bash', input: { command: 'touch hi' }, id: 'b1' };

test('VC-89: a turn goes on without its connection; the next one gets chunk 0 and then live', async (t) => {
  const text = Array.from({ length: 200 }, (_, at) => `${at} `).join('');
  const first = await connect(t, { script: [{ text, chunkSize: 4, delayMs: 10 }] });
  const sessionId = await newSession(first);
  prompt(first, sessionId).catch(() => undefined);
  await until(() => said(first).length > 40, 'the answer began');
  first.drop();
  const atDrop = said(first);
  const second = await first.reconnect();
  await load(second, sessionId);
  const replayed = said(second);
  assert.ok(replayed.startsWith(atDrop), 'from chunk 0, and what came while nobody was connected');
  assert.notEqual(replayed, text, 'the turn is over already');
  await until(() => said(second).length >= text.length, 'the rest came live');
  assert.equal(said(second), text);
  assert.deepEqual(await prompt(second, sessionId, 'Next.'), { stopReason: 'end_turn' });
});

test('VC-89: a turn that ended while nobody was connected is on record whole, and is not run again', async (t) => {
  const text = 'word '.repeat(60);
  let requests = 0;
  const first = await connect(t, {
    script: () => {
      requests += 1;
      return { text, chunkSize: 5, delayMs: 5 };
    },
  });
  const sessionId = await newSession(first);
  prompt(first, sessionId).catch(() => undefined);
  await until(() => said(first).length > 10, 'the answer began');
  first.drop();
  const second = await first.reconnect();
  // A turn's answer: it is queued behind the one that goes on.
  await second.agent.request('session/resume', where(second, sessionId));
  await prompt(second, sessionId, 'Again.');
  await second.agent.request('session/load', where(second, sessionId));
  assert.equal(requests, 2);
  assert.ok(said(second).includes(text + text));
});

test('a request that waited for the user is asked again on the next connection, once it knows the session', async (t) => {
  const asked: string[] = [];
  const first = await connect(t, {
    script: [{ calls: [TOUCH] }, { text: 'Ok.' }],
    client: {
      permission: () => {
        asked.push('first');
        return new Promise(() => undefined);
      },
    },
  });
  const sessionId = await newSession(first);
  prompt(first, sessionId).catch(() => undefined);
  await until(() => asked.length === 1, 'the first client was asked');
  first.drop();
  const second = await first.reconnect({
    permission: () => {
      asked.push('second');
      assert.ok(calls(second).length > 0, 'the client knows the call');
      return ALLOW;
    },
  });
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(asked, ['first']);
  await load(second, sessionId);
  await until(() => said(second) === 'Ok.', 'the turn went on');
  assert.deepEqual(asked, ['first', 'second']);
  assert.deepEqual(Object.values(lastStatus(second)), ['completed']);
});

test('a client that takes over without a drop is asked, and the older one is told that it no longer is', async (t) => {
  const withdrawn = Promise.withResolvers<void>();
  const first = await connect(t, {
    script: [{ calls: [TOUCH] }, { text: 'Ok.' }],
    client: {
      permission: (_params, signal) => {
        signal.addEventListener('abort', () => withdrawn.resolve());
        return new Promise(() => undefined);
      },
    },
  });
  const sessionId = await newSession(first);
  const turn = prompt(first, sessionId);
  await until(() => calls(first).length > 0, 'the call was shown');
  const second = await first.reconnect({ permission: () => ALLOW });
  await load(second, sessionId);
  await withdrawn.promise;
  assert.deepEqual(await turn, { stopReason: 'end_turn' });
  assert.equal(said(second), 'Ok.');
});

test('a second connection with other capabilities is refused, and says why', async (t) => {
  const first = await connect(t);
  const other = first.reconnect({ capabilities: { fs: { readTextFile: true } } });
  const error = await other.catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.match(error.message, /other capabilities/);
});

function where({ workspace }: Connected, sessionId: string) {
  return { sessionId, cwd: workspace, mcpServers: [] };
}

function load(host: Connected, sessionId: string) {
  return host.agent.request('session/load', where(host, sessionId));
}
