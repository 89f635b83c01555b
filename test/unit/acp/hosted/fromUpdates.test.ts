import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { createUpdateReader } from '../../../../src/acp/hosted/fromUpdates.ts';
import { replay } from '../../../../src/acp/replay.ts';
import { toUpdates } from '../../../../src/acp/toUpdates.ts';
import type { Chunk } from '../../../../src/base/stream/chunk.ts';
import { createFold } from '../../../../src/base/stream/fold.ts';
import { anyUpdate } from './sessionUpdates.ts';

const ALL = { terminals: true, notices: true, compaction: true, contextTokens: 0 };

test('every ACP v1 update survives the round trip', () => {
  fc.assert(
    fc.property(fc.array(anyUpdate, { maxLength: 8 }), (updates) => {
      assert.deepEqual(passThrough(updates), updates);
    }),
    { numRuns: 500 },
  );
});

test('recorded updates of real agents survive the round trip', () => {
  const updates = readTranscripts();
  assert.ok(updates.length > 300, `${updates.length}`);
  assert.deepEqual(passThrough(updates), updates);
});

test('recorded updates of real agents have typed chunks, except titles and echoes of the user', () => {
  const whole = new Set<unknown>();
  for (const chunk of toChunks(readTranscripts())) {
    if (chunk.type === 'data-acp-update') whole.add(chunk.data['sessionUpdate']);
  }
  assert.deepEqual([...whole].sort(), TYPELESS);
});

const TYPELESS = ['session_info_update', 'user_message_chunk'];

test('a text is one part, and continues in a new part after an interruption', () => {
  const said = (text: string): SessionUpdate => ({
    sessionUpdate: 'agent_message_chunk',
    messageId: 'm',
    content: { type: 'text', text },
  });
  const image: SessionUpdate = {
    sessionUpdate: 'agent_message_chunk',
    messageId: 'm',
    content: { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  };
  const usage: SessionUpdate = { sessionUpdate: 'usage_update', used: 1, size: 2 };
  assert.deepEqual(fold(toChunks([said('a'), usage, said('b'), image, said('c')])), [
    { type: 'text', text: 'ab' },
    { type: 'data-acp-update', data: image },
    { type: 'text', text: 'c' },
  ]);
});

test('the ids of parts are never those of the agent: a row of that id may exist', () => {
  const messageId = 'prt_0123456789abABCDEFGHIJKLMN';
  const content = { type: 'text', text: 'a' } as const;
  const chunks = toChunks([{ sessionUpdate: 'agent_message_chunk', messageId, content }]);
  const ids = chunks.flatMap((chunk) => ('id' in chunk ? [chunk.id] : []));
  assert.equal(ids.includes(messageId), false);
});

test('an agent cannot speak for the gate', () => {
  const meta = { gatehouse: { layer: 'rules', command: 'ls' }, vendor: 1 };
  const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 't' } as const;
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
  const said = { sessionUpdate: 'agent_message_chunk', content: image } as const;
  assert.deepEqual(
    passThrough([
      { ...call, _meta: meta },
      { ...said, _meta: meta },
    ]),
    [
      { ...call, _meta: { vendor: 1 } },
      { ...said, _meta: { vendor: 1 } },
    ],
  );
});

test('what an agent nests deeply in its own data is passed on', () => {
  let deep: Record<string, unknown> = {};
  for (let level = 0; level < 3000; level++) deep = { deep };
  const update: SessionUpdate = {
    sessionUpdate: 'user_message_chunk',
    content: { type: 'text', text: 'x' },
  };
  const [chunk] = toChunks([{ ...update, _meta: { vendor: deep } }]);
  assert.equal(chunk?.type, 'data-acp-update');
});

test('an agent cannot speak for the gate inside an update either', () => {
  const meta = { gatehouse: { deleted: true, partial: true, line: 9 }, vendor: 1 };
  const diff = { type: 'diff', path: '/w/a', newText: 'x' } as const;
  const text = { type: 'text', text: 'x' } as const;
  const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 't' } as const;
  const arguments_ = { rawInput: { _meta: meta }, rawOutput: { _meta: meta } };
  const entry = { content: 'a', status: 'pending', priority: 'high' } as const;
  const wrap = (_meta: Record<string, unknown>): SessionUpdate[] => [
    {
      ...call,
      ...arguments_,
      content: [
        { ...diff, _meta },
        { type: 'content', content: { ...text, _meta }, _meta },
      ],
      locations: [{ path: '/w/a', _meta }],
    },
    { sessionUpdate: 'plan', entries: [{ ...entry, _meta }] },
  ];
  assert.deepEqual(passThrough(wrap(meta)), wrap({ vendor: 1 }));
});

test("replay shows a call's last state and every stored update", () => {
  const plan: SessionUpdate = {
    sessionUpdate: 'plan',
    entries: [{ content: 'a', status: 'pending', priority: 'high' }],
  };
  const compaction: SessionUpdate = {
    sessionUpdate: 'compaction_update',
    compactionId: 'k',
    status: 'completed',
    summary: [{ type: 'text', text: 'So far.' }],
  };
  const echo: SessionUpdate = {
    sessionUpdate: 'user_message_chunk',
    content: { type: 'text', text: 'hi' },
  };
  const image = {
    type: 'content',
    content: { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  } as const;
  const updates: SessionUpdate[] = [
    echo,
    plan,
    { ...plan, _meta: { vendor: 1 } },
    { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'Look',
      kind: 'read',
      rawInput: { a: 1 },
    },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress', title: null },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      status: 'completed',
      content: [image],
      rawOutput: 5,
    },
    compaction,
  ];
  assert.deepEqual(replayed(updates), [
    echo,
    { ...plan, _meta: { vendor: 1 } },
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'Look',
      kind: 'read',
      rawInput: { a: 1 },
      status: 'completed',
      content: [image],
      rawOutput: 5,
    },
    compaction,
  ]);
});

test("a call that failed is stored with its agent's message", () => {
  const content = [{ type: 'content', content: { type: 'text', text: 'No such file.' } }] as const;
  const failed: SessionUpdate = {
    sessionUpdate: 'tool_call',
    toolCallId: 'c',
    title: 'Look',
    status: 'failed',
    content: [...content],
  };
  const [part] = fold(toChunks([failed]));
  assert.equal(part && 'errorText' in part ? part.errorText : undefined, 'No such file.');
  assert.deepEqual(replayed([failed]), [failed]);
});

function toChunks(updates: readonly SessionUpdate[]): readonly Chunk[] {
  const reader = createUpdateReader();
  return [...updates.flatMap((update) => reader.read(update)), ...reader.end()];
}

/** Removes the id that was added to a message without one. */
function passThrough(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
  const sent = toChunks(updates).flatMap((chunk) => toUpdates(chunk, ALL));
  return sent.map((update, index) => {
    const before = updates[index];
    if (before === undefined || 'messageId' in before || !('messageId' in update)) return update;
    const { messageId, ...rest } = update;
    assert.match(String(messageId), /^prt_/);
    return rest;
  });
}

function fold(chunks: readonly Chunk[]) {
  const folded = createFold();
  for (const chunk of chunks) folded.apply(chunk);
  return folded.parts;
}

function replayed(updates: readonly SessionUpdate[]): readonly SessionUpdate[] {
  const rows: unknown = JSON.parse(JSON.stringify(fold(toChunks(updates))));
  assert.ok(Array.isArray(rows));
  const parts = rows.map((part, index) => ({ ...part, id: `prt_${index}` }));
  const message = {
    ...{ id: 'msg_1', sessionId: 'ses_1', role: 'assistant' as const, metadata: {}, createdAt: 0 },
    parts,
  };
  return [...replay([message], ALL)];
}

function readTranscripts(): readonly SessionUpdate[] {
  const folder = path.join(import.meta.dirname, '../../../fixtures/transcripts');
  return readdirSync(folder).flatMap((file) =>
    readFileSync(path.join(folder, file), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"sessionUpdate"'))
      .flatMap((line) => {
        const { msg, params } = JSON.parse(line);
        const update: SessionUpdate | undefined = (params ?? msg?.params)?.update;
        return update === undefined ? [] : [update];
      }),
  );
}
