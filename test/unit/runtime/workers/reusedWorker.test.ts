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

test('a job that waits for the processor does not use up a small limit', async () => {
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)';
  const serve = `parentPort.on('message', () => { ${wait}; parentPort.postMessage('done'); })`;
  const code = `import { parentPort } from 'node:worker_threads'; ${serve}; parentPort.postMessage('ready');`;
  const program = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const worker = new ReusedWorker({ program, resourceLimits: {} });
  // Far less than the thread sleeps, and more than it computes.
  const { ok } = await worker.run({}, { timeoutMs: 50 });
  assert.equal(ok, true);
});

test('a job that never ends is stopped when its computing time is over', async () => {
  const source = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => { for (;;); });
    parentPort.postMessage('ready');`;
  const program = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
  const worker = new ReusedWorker({ program, resourceLimits: {} });
  const result = await worker.run({}, { timeoutMs: 200 });
  assert.equal(result.ok || result.fault.reason, 'timeout');
  // The limit by the clock, which ends it otherwise, is 10 s.
  assert.ok(result.spentMs >= 150 && result.spentMs < 5000, `${result.spentMs} ms`);
});
