import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as acp from '@agentclientprotocol/sdk';
import type { ListedProvider } from '../../../../src/acp/gatehouse/configure.ts';
import { toOptionUpdate, useNext } from '../../../../src/extension/chat/sessionChoices.ts';
import { type OfferNextParts, offerNext } from '../../../../src/extension/models/offerNext.ts';
import { start, until } from '../inProcessHost.ts';

const PROVIDERS: readonly ListedProvider[] = [
  {
    ...{ id: 'vscode', label: 'VS Code', kind: 'editor', state: 'found' },
    models: [
      { ref: 'vscode:a', id: 'a', name: 'A' },
      { ref: 'vscode:b', id: 'b', name: 'B', account: 'acme' },
    ],
  },
  {
    ...{ id: 'ollama', label: 'Ollama', kind: 'local', state: 'found' },
    models: [
      { ref: 'ollama:talk', id: 'talk', tools: false },
      { ref: 'ollama:qwen', id: 'qwen' },
    ],
  },
];

const toOptions = (value: string) => [
  {
    ...({ id: 'model', name: 'Model', type: 'select' } as const),
    ...{ currentValue: value, options: [{ value, name: value }] },
  },
];

/** A turn of the model `ref` that fails as `kind`. */
async function fail(kind: string, ref: string) {
  const started = start();
  const { chats, chat, script } = started;
  const asked: object[] = [];
  const link = {
    connection: async () => ({
      call: async () => ({ pricesFrom: '', providers: PROVIDERS }),
      setConfigOption: async (change: { readonly value: string }) => {
        asked.push(change);
        return { configOptions: toOptions(change.value) };
      },
    }),
  } as unknown as OfferNextParts['link'];
  offerNext({ chats, link, log: (message) => assert.fail(message) });
  script.push(() => Promise.reject(new acp.RequestError(-32_603, 'No.', { kind })));
  chat.update(toOptionUpdate(toOptions(ref)));
  await chats.send(chat, 'Hi.');
  const card = () => {
    const last = chat.state.items.at(-1);
    return last?.kind === 'error' ? last : assert.fail('no card');
  };
  return { ...started, link, card, asked };
}

for (const [kind, ref, next] of [
  ['model-refused', 'vscode:a', { ref: 'vscode:b', name: 'B (acme)' }],
  ['model-gone', 'vscode:b', { ref: 'ollama:qwen', name: 'qwen (Ollama)' }],
  ['model-gone', 'vscode:unlisted', { ref: 'vscode:a', name: 'A (VS Code)' }],
  ['quota', 'vscode:a', { ref: 'ollama:qwen', name: 'qwen (Ollama)' }],
] as const) {
  test(`${kind} of ${ref} offers the next model, ${next.ref}`, async () => {
    const { card } = await fail(kind, ref);
    assert.deepEqual(await until(() => card().next), next);
  });
}

for (const kind of [
  'unauthorized',
  'rate-limited',
  'offline',
  'context-length',
  'content-filter',
]) {
  test(`${kind} offers no other model by name`, async () => {
    const { card } = await fail(kind, 'vscode:a');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(card().next, undefined);
  });
}

test('the offered model is used in this session only, and is asked at once', async () => {
  const { chats, chat, link, card, asked, calls } = await fail('model-gone', 'vscode:a');
  const { ref } = await until(() => card().next);
  await useNext({ chats, link: link as never }, chat, ref);
  assert.deepEqual(asked, [{ sessionId: chat.id, configId: 'model', value: 'vscode:b' }]);
  assert.equal(chat.state.choices?.[0]?.current?.value, 'vscode:b');
  assert.equal(calls.filter(([method]) => method === 'session/prompt').length, 2);
});
