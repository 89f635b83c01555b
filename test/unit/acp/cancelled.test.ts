import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCancelled } from '../../../src/acp/toolUpdates.ts';

const VIEW = { terminals: true, notices: true, compaction: true };

test('a cancelled call keeps what was shown of it besides text, and says how it ended', () => {
  const diff = { type: 'diff', path: '/w/a.ts', oldText: 'old\n', newText: 'new\n' } as const;
  const content = [{ type: 'text', text: 'Half an output' } as const, diff];
  const update = toCancelled('c1', { title: 'Edit a.ts', content }, VIEW);
  assert.equal(update.sessionUpdate, 'tool_call_update');
  const { title, status, content: shown, _meta } = Object(update);
  assert.deepEqual([title, status], ['Edit a.ts', 'failed']);
  assert.deepEqual(
    shown.map((each: { type: string; content?: unknown }) => each.content ?? each.type),
    ['diff', { type: 'text', text: 'Cancelled.' }],
  );
  assert.equal(_meta.gatehouse.ended, 'aborted');
});
