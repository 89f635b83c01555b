import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createQueue, type QueueState } from '../../../../src/host/session/queue.ts';

/** A queue whose jobs end when the test says so. */
function start({ pauses = false } = {}) {
  const turns: { job: string; signal: AbortSignal; end(): void; fail(): void }[] = [];
  const states: QueueState<string>[] = [];
  const queue = createQueue<string, string>({
    run: (job, signal) =>
      new Promise((resolve, reject) => {
        const end = () => resolve(`did ${job}`);
        turns.push({ job, signal, end, fail: () => reject(new Error(job)) });
        signal.addEventListener('abort', () => resolve(`aborted ${job}`));
      }),
    onCancelled: (job) => `cancelled ${job}`,
    pauses: () => pauses,
    onFailed: (job) => new Error(`not sent: ${job}`),
    onChanged: (state) => states.push(state),
    clock: { now: () => 7, after: () => ({ dispose: () => undefined }) },
  });
  return { queue, turns, states };
}

const entry = (id: string, job: string) => ({ id, job, since: 7 });

/** After everything that one turn of the event loop brings. */
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('what waits is listed until it runs, and each change is published', async () => {
  const { queue, turns, states } = start();
  const first = queue.add('one', 'q1');
  const second = queue.add('two', 'q2');
  assert.deepEqual(queue.state, { running: 'q1', waiting: [entry('q2', 'two')] });
  turns[0]?.end();
  assert.equal(await first, 'did one');
  await settled();
  turns[1]?.end();
  assert.equal(await second, 'did two');
  await queue.idle();
  assert.deepEqual(states, [
    { running: 'q1', waiting: [] },
    { running: 'q1', waiting: [entry('q2', 'two')] },
    { running: 'q2', waiting: [] },
  ]);
  assert.deepEqual(queue.state, { waiting: [] });
  assert.equal(queue.running, false);
});

test('an entry that need not wait is published only when its sender gave it a name', async () => {
  const { queue, turns, states } = start();
  void queue.add('one');
  turns[0]?.end();
  await queue.idle();
  assert.deepEqual(states, []);
});

test('a removed entry ends as cancelled and never runs', async () => {
  const { queue, turns } = start();
  const first = queue.add('one', 'q1');
  const second = queue.add('two', 'q2');
  const third = queue.add('three', 'q3');
  assert.equal(queue.remove('q2'), true);
  assert.equal(queue.remove('q2'), false);
  assert.equal(queue.remove('q1'), false);
  assert.equal(await second, 'cancelled two');
  turns[0]?.end();
  await first;
  await settled();
  turns[1]?.end();
  assert.equal(await third, 'did three');
  assert.deepEqual(
    turns.map(({ job }) => job),
    ['one', 'three'],
  );
});

test('an entry runs as it was edited', async () => {
  const { queue, turns } = start();
  void queue.add('one', 'q1');
  const second = queue.add('two', 'q2');
  assert.equal(
    queue.edit('q2', (job) => `${job}!`),
    true,
  );
  assert.equal(
    queue.edit('q1', () => 'other'),
    false,
  );
  turns[0]?.end();
  await settled();
  turns[1]?.end();
  assert.equal(await second, 'did two!');
});

test('a name that is taken is not taken twice', () => {
  const { queue } = start();
  void queue.add('one', 'q1');
  void queue.add('two', 'q1');
  void queue.add('three');
  const [two, three] = queue.state.waiting.map(({ id }) => id);
  assert.match(`${two} ${three}`, /^que_\w+ que_\w+$/);
  assert.notEqual(two, three);
});

test('what is sent again after a lost connection does not run again: run, taken, cancelled or edited (CS-101)', async () => {
  const { queue, turns } = start();
  const first = queue.add('one', 'q1');
  const edited = queue.add('two', 'q2');
  const taken = queue.add('three', 'q3');
  queue.edit('q2', () => 'two!');
  assert.equal(queue.state.waiting.length, 2);
  const editedAgain = queue.add('two', 'q2');
  assert.deepEqual(
    queue.state.waiting.map(({ job }) => job),
    ['two!', 'three'],
  );
  queue.steer('q3');
  queue.take(['q3']);
  turns[0]?.end();
  await settled();
  queue.cancel('stop');
  const ends = await Promise.all([first, edited, taken]);
  assert.deepEqual(ends, ['did one', 'aborted two!', 'cancelled three']);
  assert.equal(await editedAgain, 'aborted two!');
  const again = [queue.add('one', 'q1'), queue.add('two', 'q2'), queue.add('three', 'q3')];
  assert.deepEqual(await Promise.all(again), ends);
  assert.equal(turns.length, 2);
});

test('another message under the name of one that has run is run, as is one that failed', async () => {
  const { queue, turns } = start();
  const first = queue.add('one', 'q1');
  turns[0]?.end();
  await first;
  const other = queue.add('other', 'q1');
  turns[1]?.fail();
  await assert.rejects(other);
  const again = queue.add('other', 'q1');
  turns[2]?.end();
  assert.equal(await again, 'did other');
  // A retry that a name of long ago has, and one without any name.
  for (let at = 0; at < 101; at += 1) {
    const each = queue.add('x', `n${at}`);
    turns.at(-1)?.end();
    await each;
  }
  void queue.add('x', 'n0');
  assert.equal(turns.length, 105);
});

test('cancelling aborts what runs and drains what waits', async () => {
  const { queue, turns, states } = start();
  const first = queue.add('one', 'q1');
  const second = queue.add('two', 'q2');
  queue.cancel('stop');
  assert.deepEqual(await Promise.all([first, second]), ['aborted one', 'cancelled two']);
  assert.equal(turns[0]?.signal.reason, 'stop');
  assert.deepEqual(states.at(-1), { running: 'q1', waiting: [] });
});

test('of removing an entry and its turn to run exactly one wins (CS-101)', async () => {
  for (const removed of ['before the end', 'in the end', 'once it runs'] as const) {
    const { queue, turns, states } = start();
    const first = queue.add('one', 'q1');
    const second = queue.add('two', 'q2');
    const won = removed === 'before the end' && queue.remove('q2');
    turns[0]?.end();
    await first;
    // The first has ended, and the second is the next to run.
    const wonLater = removed === 'in the end' && queue.remove('q2');
    await settled();
    if (won || wonLater) {
      assert.equal(await second, 'cancelled two');
      assert.deepEqual([turns.length, queue.running], [1, false]);
      continue;
    }
    assert.equal(states.at(-1)?.running, 'q2');
    assert.equal(queue.remove('q2'), false);
    turns[1]?.end();
    assert.equal(await second, 'did two');
    assert.equal(turns.length, 2);
  }
});

test('of cancelling and the next turn to run exactly one wins (CS-101)', async () => {
  for (const wait of [false, true]) {
    const { queue, turns } = start();
    const first = queue.add('one');
    const second = queue.add('two');
    turns[0]?.end();
    await first;
    if (wait) await settled();
    queue.cancel('stop');
    assert.equal(await second, wait ? 'aborted two' : 'cancelled two');
    await queue.idle();
    assert.deepEqual([turns.length, queue.running], [wait ? 2 : 1, false]);
    const third = queue.add('three');
    turns.at(-1)?.end();
    assert.equal(await third, 'did three');
  }
});

test('what waited behind a failure is told so, and what comes after runs', async () => {
  const { queue, turns } = start();
  const first = queue.add('one').catch(String);
  const second = queue.add('two').catch(String);
  turns[0]?.fail();
  assert.deepEqual(await Promise.all([first, second]), ['Error: one', 'Error: not sent: two']);
  const third = queue.add('three');
  turns[1]?.end();
  assert.equal(await third, 'did three');
});

test('what a job was to take when it failed is taken by no later one', async () => {
  const { queue, turns, states } = start({ pauses: true });
  const first = queue.add('one', 'q1');
  const second = queue.add('two', 'q2');
  queue.steer('q2');
  assert.deepEqual(
    queue.steered.map(({ id }) => id),
    ['q2'],
  );
  turns[0]?.fail();
  await assert.rejects(first);
  await settled();
  assert.deepEqual(states.at(-1), { waiting: [entry('q2', 'two')], paused: true });
  const again = queue.add('one');
  assert.deepEqual(queue.steered, []);
  turns[1]?.end();
  await again;
  await settled();
  turns[2]?.end();
  assert.equal(await second, 'did two');
});

test('a job that is added when the one before ends is run', async () => {
  const { queue, turns } = start();
  const chained = queue.add('one').then(() => queue.add('two'));
  turns[0]?.end();
  await settled();
  turns[1]?.end();
  assert.equal(await chained, 'did two');
});

test('the answer to a turn leaves before the next turn begins', async () => {
  const { queue, turns, states } = start();
  const order: string[] = [];
  const first = queue.add('one', 'q1').then(async () => {
    for (let hop = 0; hop < 20; hop += 1) await undefined;
    order.push(`answered, ${states.at(-1)?.running} runs`);
  });
  void queue.add('two', 'q2');
  turns[0]?.end();
  await first;
  await settled();
  order.push(`${states.at(-1)?.running} runs`);
  assert.deepEqual(order, ['answered, q1 runs', 'q2 runs']);
});
