import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NextStep } from '../../../src/agent/turn.ts';
import type { HistoryMessage } from '../../../src/base/stream/historyMessage.ts';
import { createView, playTurn } from '../../tour/playTurn.ts';
import type { Reply } from '../../tour/server.ts';

const READS: Reply = { calls: [{ tool: 'read', id: 'c1', input: { path: 'a' } }] };
const user = (text: string): HistoryMessage => ({
  role: 'user',
  metadata: {},
  parts: [{ type: 'text', text }],
});

test("a hook sees each request before it is sent, with the turn's messages so far", async (context) => {
  const seen: (readonly [number, readonly string[]])[] = [];
  const { view } = await createView(context, [READS, { text: 'ok' }], {
    hooks: {
      beforeStep: ({ number, messages }: NextStep) => {
        seen.push([number, messages.map(({ role, parts }) => `${role} ${parts.length}`)]);
        return undefined;
      },
    },
  });
  await playTurn(view);
  // Of its own, the turn has the mark of the first step and the call, and the mark between the steps.
  assert.deepEqual(
    seen.map(([number]) => number),
    [1, 2],
  );
  assert.equal(seen[0]?.[1][0], 'user 1');
  assert.equal(seen[1]?.[1].length, 2);
  assert.match(seen[1]?.[1][1] ?? '', /^assistant [1-9]/);
});

test('without a change the turn is the same as without hooks', async (context) => {
  const script: Reply[] = [READS, { text: 'ok' }];
  const plain = await createView(context, script);
  const hooked = await createView(context, script, { hooks: { beforeStep: () => undefined } });
  assert.deepEqual(await playTurn(hooked.view), await playTurn(plain.view));
  const bodies = (server: typeof plain.server) => server.requests.map(({ body }) => body);
  assert.deepEqual(bodies(hooked.server), bodies(plain.server));
});

test('steering: messages sent during the turn follow the results in this and later requests', async (context) => {
  const again: Reply = { calls: [{ tool: 'read', id: 'c2', input: { path: 'b' } }] };
  const { view, server } = await createView(context, [READS, again, { text: 'ok' }], {
    hooks: {
      beforeStep: ({ number }) => (number === 2 ? { userMessages: [user('Only a.')] } : undefined),
    },
  });
  await playTurn(view);
  assert.deepEqual(roles(server.requests[1]?.body), [
    ...['system', 'user', 'assistant', 'tool'],
    'user',
  ]);
  assert.match(JSON.stringify(server.requests[1]?.body['messages']), /Only a\./);
  assert.deepEqual(roles(server.requests[2]?.body), [
    ...['system', 'user', 'assistant', 'tool'],
    ...['user', 'assistant', 'tool'],
  ]);
});

test('compaction: a new history replaces all messages so far, and the turn continues after it', async (context) => {
  const again: Reply = { calls: [{ tool: 'read', id: 'c2', input: { path: 'b' } }] };
  const { view, server } = await createView(context, [READS, again, { text: 'ok' }], {
    hooks: {
      beforeStep: ({ number }) =>
        number === 2 ? { history: [user('In short: a was read.')] } : undefined,
    },
  });
  await playTurn(view);
  assert.deepEqual(roles(server.requests[1]?.body), ['system', 'user']);
  assert.doesNotMatch(JSON.stringify(server.requests[1]?.body['messages']), /hello/);
  assert.deepEqual(roles(server.requests[2]?.body), ['system', 'user', 'assistant', 'tool']);
  assert.match(JSON.stringify(server.requests[2]?.body['messages']), /In short/);
});

test('added tools are offered from that request on, and can be called', async (context) => {
  const added = { id: 'lend', kind: 'other', description: 'Lends.', parameters: {} } as const;
  const script: Reply[] = [
    READS,
    { calls: [{ tool: 'lend', id: 'c2', input: {} }] },
    { text: 'ok' },
  ];
  const called: string[] = [];
  const { view, server } = await createView(context, script, {
    call: async ({ tool }) => {
      called.push(tool);
      return { type: 'output', data: null, metadata: { duration_ms: 1 } };
    },
    hooks: {
      beforeStep: ({ number, tools: [known] }) => {
        if (number !== 2 || known === undefined) return undefined;
        return { tools: [added, { ...known, description: 'Another with a taken id.' }] };
      },
    },
  });
  const chunks = await playTurn(view);
  const offered = server.requests.map(({ conversation }) => conversation.tools);
  assert.deepEqual(offered, [['read'], ['read', 'lend'], ['read', 'lend']]);
  assert.deepEqual(called, ['read', 'lend']);
  assert.equal(JSON.stringify(server.requests[1]?.body).includes('taken id'), false);
  assert.equal(chunks.at(-1)?.type, 'finish');
});

test('a hook that throws fails the turn with an error that can be seen', async (context) => {
  const { view, server } = await createView(context, [{ text: 'ok' }], {
    hooks: { beforeStep: () => Promise.reject(new Error('no summary')) },
  });
  const chunks = await playTurn(view);
  assert.equal(server.requests.length, 0);
  assert.match(JSON.stringify(chunks), /The turn failed unexpectedly: no summary/);
  assert.deepEqual(chunks.at(-1), { type: 'finish', finishReason: 'error' });
});

test('an abort while a hook works ends the turn before the request', async (context) => {
  const abort = new AbortController();
  const { view, server } = await createView(context, [{ text: 'ok' }], {
    signal: abort.signal,
    hooks: {
      beforeStep: () => {
        abort.abort(new Error('enough'));
        return undefined;
      },
    },
  });
  const chunks = await playTurn(view);
  assert.equal(server.requests.length, 0);
  assert.equal(chunks.at(-1)?.type, 'abort');
});

function roles(body: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const messages: readonly { readonly role: string }[] = Object(body?.['messages'] ?? []);
  return messages.map(({ role }) => role);
}
