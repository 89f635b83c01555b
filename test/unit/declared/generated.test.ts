import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explore } from '../../fuzz/manifests/explore.ts';

for (const dialect of ['agentcli', 'runloop', 'compozy'] as const) {
  test(`${dialect}: check, loader, accept and call agree on generated manifests, and none hangs`, async () => {
    const { misses, cases, calls } = await explore(dialect, { runs: 12, seed: 20261123 });
    assert.deepEqual(misses, []);
    assert.deepEqual([cases, calls > 0], [12, true]);
  });
}
