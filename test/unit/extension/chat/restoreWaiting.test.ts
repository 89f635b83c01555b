import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../../src/base/event.ts';
import type { ChatSession } from '../../../../src/extension/chat/chatSession.ts';
import { restoreWaiting } from '../../../../src/extension/chat/restoreWaiting.ts';
import type { AcpConnection } from '../../../../src/extension/host/connection.ts';

function open(answer: () => Promise<unknown>) {
  const connected = new Emitter<AcpConnection>();
  const done: string[] = [];
  const logged: string[] = [];
  const stop = restoreWaiting({
    link: { onDidConnect: connected.event },
    chats: {
      open: (id) => ({ id }) as ChatSession,
      load: async ({ id }) => {
        done.push(`loads ${id}`);
        await new Promise((resolve) => setImmediate(resolve));
        done.push(`loaded ${id}`);
      },
    },
    cwd: () => '/work',
    log: (message) => logged.push(message),
  });
  const call = async (name: string, params: unknown) => {
    done.push(`${name} ${JSON.stringify(params)}`);
    return answer();
  };
  const connect = async () => {
    connected.fire({ call } as unknown as AcpConnection);
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { done, logged, connect, stop };
}

test('each host that starts is asked for the sessions that wait, which are loaded one by one, the oldest first', async () => {
  const { done, logged, connect, stop } = open(async () => ({ sessionIds: ['b', 'a'] }));
  await connect();
  const once = ['waitingSessions {"cwd":"/work"}', 'loads a', 'loaded a', 'loads b', 'loaded b'];
  assert.deepEqual(done, once);
  await connect();
  assert.deepEqual(done, [...once, ...once]);
  stop.dispose();
  await connect();
  assert.deepEqual(done, [...once, ...once]);
  assert.deepEqual(logged, []);
});

test('a host that cannot tell is logged', async () => {
  const { done, logged, connect } = open(async () => {
    throw new Error('Unknown method.');
  });
  await connect();
  assert.equal(done.length, 1);
  assert.deepEqual(logged, ['Could not open the sessions that wait for the user: Unknown method.']);
});
