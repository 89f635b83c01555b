import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toUpdates } from '../../../src/acp/toUpdates.ts';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import { createFold } from '../../../src/base/stream/fold.ts';
import { checkLines } from './validate.ts';

type Kind = SessionUpdate['sessionUpdate'];

interface Row {
  readonly chunk: Chunk;
  /** The updates sent to a client; none for marks and for what the prompt's response reports. */
  readonly sent: readonly Kind[];
  /** Whether the recorder stores something of it: a part, or a change of one. */
  readonly stored: boolean;
}

const CALL = { toolCallId: 'c', toolName: 'read' };
const OUTPUT = { type: 'output', data: 'x', metadata: { duration_ms: 1 } } as const;
const USAGE = { input: 1, output: 2, reasoning: 0, cache_read: 3, cache_write: 4 };
const RETRY = {
  ...{ attempt: 1, maxAttempts: 3, at: 0, reason: 'Overloaded.' },
  kind: 'server-error' as const,
};

/** Every chunk type: a new one does not compile until its result is declared here. */
const CHUNKS: { readonly [Type in Chunk['type']]: Row & { readonly chunk: { type: Type } } } = {
  start: { chunk: { type: 'start' }, sent: [], stored: false },
  'start-step': { chunk: { type: 'start-step' }, sent: [], stored: true },
  'finish-step': { chunk: { type: 'finish-step' }, sent: [], stored: false },
  finish: { chunk: { type: 'finish', finishReason: 'stop' }, sent: [], stored: false },
  abort: { chunk: { type: 'abort' }, sent: [], stored: false },
  error: { chunk: { type: 'error', errorText: 'e' }, sent: [], stored: true },
  'text-start': { chunk: { type: 'text-start', id: 't2' }, sent: [], stored: true },
  'text-delta': {
    chunk: { type: 'text-delta', id: 't', delta: 'a' },
    sent: ['agent_message_chunk'],
    stored: true,
  },
  'text-end': { chunk: { type: 'text-end', id: 't' }, sent: [], stored: false },
  'reasoning-start': { chunk: { type: 'reasoning-start', id: 'r2' }, sent: [], stored: true },
  'reasoning-delta': {
    chunk: { type: 'reasoning-delta', id: 'r', delta: 'a' },
    sent: ['agent_thought_chunk'],
    stored: true,
  },
  'reasoning-end': { chunk: { type: 'reasoning-end', id: 'r' }, sent: [], stored: false },
  'tool-input-start': {
    chunk: { type: 'tool-input-start', ...CALL, toolCallId: 'd' },
    sent: ['tool_call'],
    stored: true,
  },
  'tool-input-delta': {
    chunk: { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' },
    sent: [],
    stored: true,
  },
  'tool-input-available': change({ type: 'tool-input-available', ...CALL, input: {} }),
  'tool-input-error': change({ type: 'tool-input-error', ...CALL, input: '{', errorText: 'e' }),
  'tool-approval-request': change({
    type: 'tool-approval-request',
    toolCallId: 'c',
    approvalId: 'a',
  }),
  'tool-progress': change({ type: 'tool-progress', toolCallId: 'c', display: {} }),
  'tool-output-available': change({
    type: 'tool-output-available',
    toolCallId: 'c',
    output: OUTPUT,
  }),
  'tool-output-error': change({ type: 'tool-output-error', toolCallId: 'c', errorText: 'e' }),
  'tool-output-denied': change({ type: 'tool-output-denied', toolCallId: 'c' }),
  'tool-hosted': change({
    type: 'tool-hosted',
    ...CALL,
    update: { sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 't' },
  }),
  'data-plan': {
    chunk: { type: 'data-plan', id: 'plan', data: { items: [] } },
    sent: ['plan'],
    stored: true,
  },
  'data-compaction': {
    chunk: { type: 'data-compaction', id: 'c', data: { status: 'completed' } },
    sent: ['compaction_update'],
    stored: true,
  },
  'data-review': {
    chunk: {
      type: 'data-review',
      id: 'r',
      data: { id: 'r', text: 'The user kept it.', display: { title: 'Review a.ts' } },
    },
    sent: ['tool_call'],
    stored: true,
  },
  'data-mode': {
    chunk: { type: 'data-mode', data: { modeId: 'm' }, transient: true },
    sent: ['current_mode_update'],
    stored: false,
  },
  'data-commands': {
    chunk: { type: 'data-commands', data: { commands: [] }, transient: true },
    sent: ['available_commands_update'],
    stored: false,
  },
  'data-config': {
    chunk: { type: 'data-config', data: { options: [] }, transient: true },
    sent: ['config_option_update'],
    stored: false,
  },
  'data-usage': {
    chunk: { type: 'data-usage', data: USAGE, transient: true },
    sent: ['usage_update'],
    stored: false,
  },
  'data-context': {
    chunk: { type: 'data-context', data: { used: 1, size: 2 }, transient: true },
    sent: ['usage_update'],
    stored: false,
  },
  'data-retry': {
    chunk: { type: 'data-retry', data: RETRY, transient: true },
    sent: ['notice'],
    stored: false,
  },
  'data-acp-update': {
    chunk: {
      type: 'data-acp-update',
      data: { sessionUpdate: 'session_info_update', title: 'T' },
    },
    sent: ['session_info_update'],
    stored: true,
  },
};

const ALL = { terminals: true, notices: true, compaction: true, contextTokens: 100 };

for (const { chunk, sent, stored } of Object.values<Row>(CHUNKS)) {
  const kinds = sent.length === 0 ? 'nothing' : sent.join(' ');
  test(`${chunk.type} is sent as ${kinds} and ${stored ? 'stored' : 'not stored'}`, () => {
    const updates = toUpdates(chunk, ALL);
    assert.deepEqual(
      updates.map(({ sessionUpdate }) => sessionUpdate),
      sent,
    );
    const lines = updates.map((update) => ({
      from: 'agent' as const,
      message: { method: 'session/update', params: { sessionId: 's', update } },
    }));
    assert.deepEqual(checkLines(lines), []);
    assert.equal(apply(chunk), stored);
  });
}

test('a client is sent only the kinds it supports', () => {
  const none = { terminals: false, notices: false, compaction: false, contextTokens: 0 };
  const notice = { sessionUpdate: 'notice', severity: 'info', title: 'T' };
  const chunks: readonly Chunk[] = [
    CHUNKS['data-retry'].chunk,
    CHUNKS['data-compaction'].chunk,
    CHUNKS['data-usage'].chunk,
    { type: 'data-acp-update', data: notice },
    { type: 'data-acp-update', data: { sessionUpdate: 'compaction_update' } },
    { type: 'data-acp-update', data: { sessionUpdate: 'toString' } },
  ];
  for (const chunk of chunks) assert.deepEqual(toUpdates(chunk, none), []);
  assert.deepEqual(toUpdates({ type: 'data-acp-update', data: notice }, ALL), [notice]);
});

test('usage includes cache reads and writes', () => {
  const [update] = toUpdates(CHUNKS['data-usage'].chunk, ALL);
  assert.deepEqual(update, { sessionUpdate: 'usage_update', used: 10, size: 100 });
});

test('our own client is told of a context of unknown size, and of the cache', () => {
  const { chunk } = CHUNKS['data-usage'];
  const unknown = { ...ALL, contextTokens: 0 };
  assert.deepEqual(toUpdates(chunk, unknown), []);
  const [update] = toUpdates(chunk, { ...unknown, gatehouse: true });
  const { cache_read: cacheRead, cache_write: cacheWrite } = USAGE;
  assert.deepEqual(update, {
    ...{ sessionUpdate: 'usage_update', used: 10, size: 0 },
    _meta: { gatehouse: { cacheRead, cacheWrite } },
  });
});

function change<Given extends Chunk>(chunk: Given) {
  return { chunk, sent: ['tool_call_update'], stored: true } as const;
}

/** Whether the chunk changes a message that has a text, a reasoning and a call. */
function apply(chunk: Chunk): boolean {
  const fold = createFold();
  fold.apply({ type: 'text-start', id: 't' });
  fold.apply({ type: 'reasoning-start', id: 'r' });
  fold.apply({ type: 'tool-input-start', ...CALL });
  return fold.apply(chunk) !== undefined;
}
