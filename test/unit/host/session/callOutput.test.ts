import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredMessage, StoredToolPart } from '../../../../src/base/stream/stored.ts';
import { findOutput } from '../../../../src/host/session/callOutput.ts';

function find(part: Partial<StoredToolPart>) {
  const tool: StoredToolPart = {
    ...{ id: 'p', type: 'tool-bash', toolCallId: 'c', toolName: 'bash', state: 'output-available' },
    ...part,
  };
  const message: StoredMessage = {
    ...{ id: 'm', sessionId: 's', role: 'assistant', metadata: {}, createdAt: 0 },
    parts: [tool],
  };
  return findOutput([message], 'c');
}

test('the output of a call is what the model got, and the file with all of it', () => {
  const metadata = { duration_ms: 1, truncated: true, output_path: '/o' } as const;
  const output = { type: 'output', data: { head: 'begin' }, metadata } as const;
  assert.deepEqual(find({ output }), { text: 'begin', path: '/o' });
  assert.equal(findOutput([], 'c'), undefined);
});

test('a failed call has its error, a list what its card shows, another agent what it sent', () => {
  const error = { type: 'error', error_text: 'no', metadata: { duration_ms: 1 } } as const;
  assert.deepEqual(find({ output: error }), { text: 'no' });
  const list = { type: 'output', data: { entries: ['a'] }, metadata: { duration_ms: 1 } } as const;
  const display = { content: [{ type: 'text', text: 'a' }] } as const;
  assert.deepEqual(find({ output: list, display }), { text: 'a' });
  const content = [{ type: 'content', content: { type: 'text', text: 'theirs' } }];
  assert.deepEqual(find({ hosted: { content } }), { text: 'theirs' });
});
