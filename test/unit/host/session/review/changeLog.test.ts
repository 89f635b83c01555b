import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChangeLog } from '../../../../../src/host/session/review/changeLog.ts';

test('what a revert changes back is not kept, because nothing can revert it', () => {
  const kept: string[] = [];
  const log = createChangeLog({
    table: {
      addChange: () => 1,
      removeChange: () => undefined,
      addEntryChange: (_, toolCallId) => kept.push(toolCallId),
      removeEntryChange: () => kept.pop(),
    },
    sessionId: 's1',
    unasked: new Map(),
    unreviewed: { add: () => () => undefined },
  });
  const change = { path: '/a', before: { type: 'none' }, after: { type: 'none' } } as const;
  const drops = ['c1', 'rev_1', 'und_1'].map((id) => log.noteEntry(id, change));
  assert.deepEqual(kept, ['c1', 'und_1']);
  drops[1]?.();
  assert.deepEqual(kept, ['c1', 'und_1']);
});
