import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ColoringWorker,
  colorInWorker,
} from '../../../../src/webview/state/coloringWorker.ts';

class FakeWorker implements ColoringWorker {
  readonly jobs: string[] = [];
  ended = false;
  #answer: Parameters<ColoringWorker['post']>[1] = () => undefined;
  fail: () => void = () => undefined;
  post(...[job, answer, fail]: Parameters<ColoringWorker['post']>) {
    this.jobs.push(job.text);
    this.#answer = answer;
    this.fail = fail;
  }
  begin() {
    this.#answer('begun');
  }
  finish(html: string | undefined) {
    this.#answer({ html });
  }
  terminate() {
    this.ended = true;
  }
}

function startColoring() {
  const workers: FakeWorker[] = [];
  const highlight = colorInWorker(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  });
  return { workers, highlight };
}

/** Lets what was promised go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test('texts are colored one after the other, by one worker', async () => {
  const { workers, highlight } = startColoring();
  const both = [highlight('one', 'ts'), highlight('two', 'ts')];
  await settle();
  assert.deepEqual(workers[0]?.jobs, ['one']);
  workers[0]?.begin();
  workers[0]?.finish('1');
  await settle();
  assert.deepEqual(workers[0]?.jobs, ['one', 'two']);
  workers[0]?.finish(undefined);
  assert.deepEqual(await Promise.all(both), ['1', undefined]);
  assert.equal(workers.length, 1);
});

test('a worker is ended 2 s after a text began, and the next text gets another', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { workers, highlight } = startColoring();
  const [endless, next] = [highlight('endless', 'ts'), highlight('next', 'ts')];
  await settle();
  t.mock.timers.tick(60_000);
  assert.equal(workers[0]?.ended, false, 'it may take long to start');
  workers[0]?.begin();
  t.mock.timers.tick(1_999);
  assert.equal(workers[0]?.ended, false);
  t.mock.timers.tick(1);
  assert.equal(workers[0]?.ended, true);
  assert.equal(await endless, undefined);
  await settle();
  assert.deepEqual(workers[1]?.jobs, ['next']);
  workers[1]?.begin();
  workers[1]?.finish('colored');
  assert.equal(await next, 'colored');
  t.mock.timers.tick(60_000);
  assert.equal(workers[1]?.ended, false);
});

test('code stays plain if its worker fails', async () => {
  const { workers, highlight } = startColoring();
  const colored = highlight('one', 'ts');
  await settle();
  workers[0]?.fail();
  assert.equal(await colored, undefined);
});
