import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { HOST_OPTIONS } from '../../../../src/extension/host/hostSpawn.ts';

/** Ends with the first collection of the whole heap, which a process that does nothing never makes. */
const PROGRAM = `
  import { PerformanceObserver } from 'node:perf_hooks';
  import { boundHeap } from ${JSON.stringify(path.resolve('src/host/services/heap.ts'))};
  const observer = new PerformanceObserver((list) => {
    if (!list.getEntries().some(({ detail }) => detail.kind === 4)) return;
    console.log('collected');
    process.exit();
  });
  observer.observe({ entryTypes: ['gc'] });
  setInterval(() => undefined, 1000);
  boundHeap();`;

test('the heap of a host is collected soon after its start, so that its limit follows what lives in it', async () => {
  const run = promisify(execFile);
  const args = [...HOST_OPTIONS, '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await run(process.execPath, args, { timeout: 60_000 });
  assert.equal(stdout, 'collected\n');
});

/** Makes new objects of 500 MB in turns of the event loop, of which some live for a while. */
const BUSY = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { boundHeap } from ${JSON.stringify(path.resolve('src/host/services/heap.ts'))};
  const heap = boundHeap();
  const kept = [];
  for (let round = 0; round < 200; round++) {
    kept.push(Array.from({ length: 20_000 }, (_, at) => ({ at, text: String(at) })));
    if (kept.length > 20) kept.shift();
    await new Promise(setImmediate);
  }
  heap.dispose();
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  console.log(space.space_size / 1024 / 1024);`;

test('a host that is started without options takes at most 32 MB for new objects', async () => {
  const run = promisify(execFile);
  const args = ['--input-type=module', '--eval', BUSY];
  const { stdout } = await run(process.execPath, args, { timeout: 60_000 });
  assert.ok(Number(stdout) > 0 && Number(stdout) <= 32, stdout);
});
