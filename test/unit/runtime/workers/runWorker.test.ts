import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWorker, type WorkerRun } from '../../../../src/runtime/workers/runWorker.ts';
import { until } from '../../../workbench/processes.ts';

/** Counts as long as the thread runs. */
const COUNT = 'for (;;) Atomics.add(workerData, 0, 1);';

test('the first message of a thread is the result', async () => {
  const data = { text: 'hello' };
  const run = toRun('console.log("not on our output"); parentPort.postMessage(workerData)', data);
  assert.deepEqual(await runWorker(run), { ok: true, message: data });
});

test('the time limit ends a thread that is busy', async (t) => {
  const counter = createCounter();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const running = runWorker({ ...toRun(COUNT, counter), timeoutMs: 10_000 });
  t.mock.timers.tick(9999);
  assert.equal(await Promise.race([running, turns()]), 'runs');
  t.mock.timers.tick(1);
  t.mock.timers.reset();
  const fault = { reason: 'timeout', message: 'The worker did not finish within 10000 ms.' };
  assert.deepEqual(await running, { ok: false, fault });
  await stopped(counter);
});

test('an abort ends a thread that is busy', async () => {
  const counter = createCounter();
  const abort = new AbortController();
  const running = runWorker({ ...toRun(COUNT, counter), signal: abort.signal });
  await until('the start', () => Atomics.load(counter, 0) > 0);
  abort.abort();
  assert.equal(reasonOf(await running), 'abort');
  await stopped(counter);
});

test('after an abort no thread is started', async () => {
  const counter = createCounter();
  const run = { ...toRun(COUNT, counter), signal: AbortSignal.abort() };
  assert.equal(reasonOf(await runWorker(run)), 'abort');
  await turns();
  assert.equal(Atomics.load(counter, 0), 0);
});

test('too much memory is a value', async () => {
  const code = 'const kept = []; for (;;) kept.push(new Array(10_000).fill(kept.length));';
  assert.equal(reasonOf(await runWorker(toRun(code))), 'memory');
});

for (const [name, code, expected] of [
  ['throws', 'throw new TypeError("broken")', /broken/],
  ['ends without a message', 'process.exit(3)', /without a message \(3\)/],
  ['overflows its stack', 'const deep = () => deep(); deep()', /call stack/i],
] as const) {
  test(`a thread that ${name} is a value`, async () => {
    const result = await runWorker(toRun(code));
    assert.equal(reasonOf(result), 'failed');
    assert.match(result.ok ? '' : result.fault.message, expected);
  });
}

test('a program that does not exist and data that cannot be cloned are values', async () => {
  const missing = { ...toRun(''), program: new URL('./none.mjs', import.meta.url) };
  assert.equal(reasonOf(await runWorker(missing)), 'failed');
  assert.equal(reasonOf(await runWorker(toRun('', () => undefined))), 'failed');
});

function toRun(code: string, data: unknown = null): WorkerRun {
  const source = `import { parentPort, workerData } from 'node:worker_threads';\n${code}`;
  return {
    program: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    data,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  };
}

function createCounter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

async function stopped(counter: Int32Array): Promise<void> {
  let before = -1;
  await until('the end of the thread', () => {
    const now = Atomics.load(counter, 0);
    const same = now === before;
    before = now;
    return same;
  });
}

/** Resolves after some turns of the event loop, in which an unwanted event could happen. */
async function turns(): Promise<'runs'> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((done) => setImmediate(done));
  return 'runs';
}

function reasonOf(result: Awaited<ReturnType<typeof runWorker>>): string | undefined {
  return result.ok ? undefined : result.fault.reason;
}
