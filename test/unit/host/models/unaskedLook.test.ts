import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toExtensions } from '../../../../src/acp/gatehouse/capabilities.ts';
import { connect } from '../harness.ts';

/** A host with a key of OpenAI in its environment and a stored one of Anthropic; the hosts that it contacts. */
async function start(t: TestContext) {
  const contacted = new Set<string>();
  t.mock.method(globalThis, 'fetch', async (url: string | URL) => {
    contacted.add(new URL(url).hostname);
    return Response.json({ data: [] });
  });
  const { agent } = await connect(t, {
    env: { GATEHOUSE_MODEL_BASE_URL: undefined, GATEHOUSE_MODEL_ID: '', OPENAI_API_KEY: 'env-key' },
    client: {
      capabilities: toExtensions({ secret: true }),
      other: async (_method, params) => {
        const { id } = params as { readonly id?: string };
        return { value: id === 'model/anthropic' ? 'stored-key' : null };
      },
    },
  });
  return { contacted, list: (query: object) => agent.request('_gatehouse/models', query) };
}

test('a chat that opens contacts no provider with a key that only the environment has', async (t) => {
  const { contacted, list } = await start(t);
  await list({ refresh: true, unasked: true });
  assert.deepEqual([...contacted].sort(), ['127.0.0.1', 'api.anthropic.com']);
});

test('once the user asks for the list, such a provider is asked as well', async (t) => {
  const { contacted, list } = await start(t);
  await list({ refresh: true, unasked: true });
  await list({});
  assert.ok(contacted.has('api.openai.com'), 'what was left out is no answer that is kept');
});
