import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllPagesFocus, FocusState } from '../../../../src/extension/views/pageFocus.ts';
import { FakeClock } from '../fakeClock.ts';

const IN = { focused: true, empty: true };

test('the chat is idle while it has the focus and its composer is empty', () => {
  const { page, focus, changes } = start();
  assert.equal(focus.idle, false);
  page.report(IN);
  assert.equal(focus.idle, true);
  page.report({ focused: true, empty: false });
  assert.equal(focus.idle, false);
  page.report(IN);
  page.leave();
  assert.deepEqual([focus.idle, changes.length], [false, 4]);
});

test('the page is asked again before it counts', async () => {
  const { page, focus, pings } = start();
  page.report(IN);
  const idle = focus.confirmIdle();
  assert.deepEqual(pings, [1]);
  page.pong(1, IN);
  assert.equal(await idle, true);
  const gone = focus.confirmIdle();
  page.pong(2, { focused: false, empty: true });
  assert.equal(await gone, false);
  assert.equal(focus.idle, false);
});

test('an answer to an older question does not count', async () => {
  const { page, focus, clock } = start();
  page.report(IN);
  const first = focus.confirmIdle();
  page.pong(1, IN);
  assert.equal(await first, true);
  const second = focus.confirmIdle();
  page.pong(1, IN);
  clock.tick(250);
  assert.equal(await second, false);
});

test('a page that does not answer has not the focus', async () => {
  const { page, focus, clock } = start();
  page.report(IN);
  const idle = focus.confirmIdle();
  clock.tick(250);
  assert.equal(await idle, false);
});

test('an answer that comes too late is told, so that the page is asked again', async () => {
  const { page, focus, clock, pings, changes } = start();
  page.report(IN);
  const idle = focus.confirmIdle();
  clock.tick(250);
  assert.equal(await idle, false);
  assert.equal(changes.length, 1);
  page.pong(1, IN);
  assert.deepEqual(changes, [true, true]);
  const again = focus.confirmIdle();
  page.pong(2, IN);
  assert.equal(await again, true);
  assert.deepEqual([pings.length, changes.length], [2, 2]);
});

test('a late answer of a page without the focus starts nothing', async () => {
  const { page, focus, clock, changes } = start();
  page.report(IN);
  const idle = focus.confirmIdle();
  clock.tick(250);
  await idle;
  page.leave();
  page.pong(1, { focused: false, empty: false });
  assert.deepEqual(changes, [true, false]);
});

test('no page is asked if none has the focus', async () => {
  const { focus, pings } = start();
  assert.equal(await focus.confirmIdle(), false);
  assert.deepEqual(pings, []);
});

function start() {
  const clock = new FakeClock();
  const focus = new AllPagesFocus();
  const pings: number[] = [];
  const page = new FocusState(clock, (ping) => pings.push(ping));
  focus.add(page);
  const changes: boolean[] = [];
  focus.onDidChange(() => changes.push(focus.idle));
  return { clock, focus, page, pings, changes };
}
