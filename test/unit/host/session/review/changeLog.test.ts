import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChangeLog } from '../../../../../src/host/session/review/changeLog.ts';

test('what a revert changes back is not kept, because nothing can revert it, and each has its rank', () => {
  const kept: string[] = [];
  const log = createChangeLog({
    table: {
      addChange: () => 1,
      removeChange: () => undefined,
      addEntryChange: (_, toolCallId, __, as) => ({
        id: kept.push(`${toolCallId} ${as}`),
        droppedUnreviewed: as === 'reviewed',
      }),
      removeEntryChange: () => kept.pop(),
    },
    sessionId: 's1',
    unasked: new Map([['c2', new Set()]]),
    onDropped: () => kept.push('dropped'),
    unreviewed: { add: () => () => undefined },
  });
  const change = { path: '/a', before: { type: 'none' }, after: { type: 'none' } } as const;
  const drops = ['c1', 'rev_1', 'und_1', 'c2'].map((id) => log.noteEntry(id, change));
  assert.deepEqual(kept, ['c1 reviewed', 'dropped', 'und_1 undo', 'c2 unreviewed']);
  drops[1]?.();
  assert.deepEqual(kept, ['c1 reviewed', 'dropped', 'und_1 undo', 'c2 unreviewed']);
});
