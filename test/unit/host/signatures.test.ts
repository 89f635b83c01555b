import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { events, type Seen, serve } from '../agent/providers/loopback.ts';
import { connect, newSession, prompt, temporary } from './harness.ts';

/** https://docs.claude.com/en/docs/build-with-claude/streaming */
const ANSWER = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' },
      ...{ content: [], stop_reason: null, stop_sequence: null },
      usage: { input_tokens: 25, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  {
    ...{ type: 'content_block_delta', index: 0 },
    delta: { type: 'thinking_delta', thinking: 'Let me see.' },
  },
  {
    ...{ type: 'content_block_delta', index: 0 },
    delta: { type: 'signature_delta', signature: 'EqQB' },
  },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  {
    ...{ type: 'content_block_delta', index: 1 },
    delta: { type: 'text_delta', text: 'Seen.' },
  },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 9 },
  },
  { type: 'message_stop' },
];

test('the signature of a thought is stored, and goes back with it after the host has ended', async (t) => {
  const seen: Seen[] = [];
  const { url } = await serve(t, (one) => {
    seen.push(one);
    return events(ANSWER, { named: true });
  });
  const data = await temporary(t);
  const settings = {
    'gatehouse.model.provider': 'anthropic',
    'gatehouse.model.id': 'claude-sonnet-4-5',
    'gatehouse.model.baseUrl': `${url}/v1`,
  };
  await writeFile(path.join(data, 'settings.json'), JSON.stringify(settings));
  const env = {
    ...{ GATEHOUSE_MODEL_BASE_URL: undefined, GATEHOUSE_MODEL_ID: undefined },
    GATEHOUSE_MODEL_API_KEY: 'sk-loopback',
  };
  const first = await connect(t, { data, env });
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  await first.stop();

  const second = await connect(t, { data, env, workspace: first.workspace });
  const load = { sessionId, cwd: first.workspace, mcpServers: [] };
  await second.agent.request('session/load', load);
  await prompt(second, sessionId);
  const asked = seen.findLast(({ method }) => method === 'POST')?.body['messages'];
  const thought = /"type":"thinking","thinking":"Let me see.","signature":"EqQB"/;
  assert.match(JSON.stringify(asked), thought);
});
