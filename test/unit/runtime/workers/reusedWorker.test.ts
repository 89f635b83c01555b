import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReusedWorker } from '../../../../src/runtime/workers/reusedWorker.ts';

test('a thread that cannot be started is a fault of each job, and rejects none', async () => {
  const program = new URL('https://example.invalid/worker.mjs');
  const worker = new ReusedWorker({ program, resourceLimits: {} });
  for (let round = 0; round < 2; round++) {
    const result = await worker.run({}, { timeoutMs: 1000 });
    assert.equal(result.ok || result.fault.reason, 'failed');
  }
});
