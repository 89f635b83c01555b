import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type OpenedBy,
  type SafePickResult,
  showSafePick,
} from '../../../../src/extension/asks/safePick.ts';
import { ARM_DELAY } from '../../../../src/webview/messages/asks.ts';
import { settle } from '../fakeClock.ts';
import { FakePickWindow } from '../fakePick.ts';

const ROWS = [
  { label: 'Allow once', value: 'allow' },
  { label: 'Deny', value: 'deny' },
];

test('nothing is active on show, and Enter at once accepts nothing', async () => {
  const { pick, result } = open();
  assert.deepEqual(pick.activeItems, []);
  pick.enter();
  assert.equal(await readMark(result), 'open');
});

test('a row that is chosen before the pick is armed is not accepted', async () => {
  const { window, pick, result } = open();
  window.clock.tick(ARM_DELAY - 1);
  pick.moveTo('Allow once');
  pick.enter();
  assert.equal(await readMark(result), 'open');
  // It was too early, so the delay starts again; a held key never gets through.
  window.clock.tick(ARM_DELAY - 1);
  pick.enter();
  window.clock.tick(ARM_DELAY);
  pick.enter();
  assert.deepEqual(await result, { kind: 'picked', values: ['allow'] });
});

test('one that the user opened filters, and Enter counts only after a pause', async () => {
  const { window, pick, result } = open();
  window.clock.tick(ARM_DELAY);
  pick.type('all');
  assert.deepEqual([pick.value, pick.items.some(({ alwaysShow }) => alwaysShow)], ['all', false]);
  pick.enter();
  window.clock.tick(ARM_DELAY - 1);
  pick.enter();
  assert.equal(await readMark(result), 'open');
  window.clock.tick(ARM_DELAY);
  pick.enter();
  assert.deepEqual(await result, { kind: 'picked', values: ['allow'] });
});

test('a row that the editor makes active after the show is made inactive again', () => {
  const { window, pick } = open();
  window.clock.tick(50);
  pick.moveTo('Allow once');
  assert.deepEqual(pick.activeItems, []);
});

test('a click that came too early can be made again', async () => {
  const { window, pick, result } = open();
  pick.click('Allow once');
  assert.equal(await readMark(result), 'open');
  window.clock.tick(ARM_DELAY);
  pick.click('Allow once');
  assert.deepEqual(await result, { kind: 'picked', values: ['allow'] });
});

test('in a multi-select an accept with nothing chosen is ignored', async () => {
  const { window, pick, result } = open({ multiple: true });
  window.clock.tick(ARM_DELAY);
  pick.enter();
  assert.equal(await readMark(result), 'open');
  pick.moveTo('Allow once', 'Deny');
  pick.enter();
  assert.deepEqual(await result, { kind: 'picked', values: ['allow', 'deny'] });
});

test('in a multi-select OK counts though the list has lost the focus to it', async () => {
  const { window, pick, result } = open({ multiple: true });
  window.clock.tick(ARM_DELAY);
  pick.moveTo('Deny');
  pick.activeItems = [];
  pick.enter();
  assert.deepEqual(await result, { kind: 'picked', values: ['deny'] });
});

test('hiding is no answer', async () => {
  const { pick, result } = open();
  pick.hide();
  assert.deepEqual(await result, { kind: 'hidden' });
});

test('a withdrawn ask closes its pick', async () => {
  const { pick, result, closing } = open();
  closing.abort();
  assert.deepEqual(await result, { kind: 'hidden' });
  assert.equal(pick.visible, false);
});

test('it stays while the focus goes elsewhere', () => {
  assert.equal(open().pick.ignoreFocusOut, true);
});

test('keys that land in one that opened by itself are collected and returned after a pause', async () => {
  const { window, pick, result } = open({ openedBy: 'itself' });
  const text = 'a long line, typed quickly';
  for (let end = 1; end <= text.length; end += 1) {
    pick.type(text.slice(0, end));
    window.clock.tick(120);
    pick.enter();
  }
  assert.deepEqual([pick.value, await readMark(result)], [text, 'open']);
  window.clock.tick(180);
  assert.deepEqual(await result, { kind: 'typed', text });
});

test('collected keys are returned when the request is answered elsewhere or the pick is hidden', async () => {
  const answered = open({ openedBy: 'itself' });
  answered.pick.type('abc');
  answered.closing.abort();
  assert.deepEqual(await answered.result, { kind: 'typed', text: 'abc' });
  const hidden = open({ openedBy: 'itself' });
  hidden.pick.type('abc');
  hidden.pick.hide();
  assert.deepEqual(await hidden.result, { kind: 'typed', text: 'abc' });
});

for (const multiple of [false, true]) {
  test(`Enter accepts nothing in a ${multiple ? 'multi-select' : 'pick'} that opened by itself`, async () => {
    const { window, pick, result } = open({ openedBy: 'itself', multiple });
    for (const wait of [0, ARM_DELAY, ARM_DELAY * 3]) {
      window.clock.tick(wait);
      pick.enter();
    }
    assert.equal(await readMark(result), 'open');
  });
}

test('arrow keys and Enter accept nothing in one that opened by itself', async () => {
  const { window, pick, result } = open({ openedBy: 'itself' });
  for (let press = 0; press < 3; press += 1) {
    window.clock.tick(ARM_DELAY * 2);
    pick.moveTo('Allow once');
    window.clock.tick(20);
    assert.deepEqual(pick.activeItems, []);
    pick.enter();
  }
  assert.equal(await readMark(result), 'open');
});

test('arrow keys and Enter that arrive in one go accept nothing in one that opened by itself', async () => {
  const { window, pick, result } = open({ openedBy: 'itself' });
  window.clock.tick(ARM_DELAY);
  pick.moveTo('Allow once');
  pick.click('Deny');
  assert.equal(await readMark(result), 'open');
});

test('a click is an answer in one that opened by itself', async () => {
  const { window, pick, result } = open({ openedBy: 'itself' });
  window.clock.tick(ARM_DELAY);
  pick.click('Deny');
  assert.deepEqual(await result, { kind: 'picked', values: ['deny'] });
});

test('a click counts for nothing while the extension host is stalled', async () => {
  const { window, pick, result } = open({ openedBy: 'itself' });
  window.clock.tick(ARM_DELAY);
  const now = window.clock.now();
  window.clock.now = () => now + 1000;
  pick.click('Deny');
  assert.equal(await readMark(result), 'open');
});

for (const delay of [50, 180, 400]) {
  test(`clicks every ${delay} ms answer nothing`, async () => {
    const { window, pick, result } = open();
    for (let click = 0; click < 10; click += 1) {
      pick.click('Allow once');
      window.clock.tick(delay);
    }
    assert.equal(await readMark(result), 'open');
  });
}

for (const openedBy of ['user', 'itself'] as const) {
  test(`a stalled window: a pick opened by ${openedBy} takes an answer 600 ms after it was drawn`, async () => {
    const { window, pick, result } = open({ openedBy, stalled: true });
    window.clock.tick(ARM_DELAY * 5);
    // The click reached the pick as it was drawn, before the window could answer.
    pick.click('Allow once');
    assert.equal(await readMark(result), 'open');
    window.clock.tick(ARM_DELAY * 5);
    window.draw();
    assert.deepEqual(pick.activeItems, []);
    pick.click('Allow once');
    assert.equal(await readMark(result), 'open');
    window.clock.tick(ARM_DELAY - 1);
    pick.click('Allow once');
    assert.equal(await readMark(result), 'open');
    window.clock.tick(ARM_DELAY);
    pick.click('Allow once');
    assert.deepEqual(await result, { kind: 'picked', values: ['allow'] });
  });
}

test('a stalled window: a multi-select takes an answer 600 ms after it was drawn', async () => {
  const { window, pick, result } = open({ multiple: true, stalled: true });
  window.clock.tick(ARM_DELAY * 5);
  pick.moveTo('Deny');
  pick.enter();
  window.draw();
  pick.enter();
  assert.equal(await readMark(result), 'open');
  window.clock.tick(ARM_DELAY);
  pick.enter();
  assert.deepEqual(await result, { kind: 'picked', values: ['deny'] });
});

test('a stalled window: one that was closed before it was drawn is left alone', async () => {
  const { window, pick, result, closing } = open({ stalled: true });
  closing.abort();
  window.draw();
  assert.deepEqual(await result, { kind: 'hidden' });
  assert.deepEqual([window.clock.waiting, pick.visible], [0, false]);
});

function open({
  multiple = false,
  openedBy = 'user',
  stalled = false,
}: {
  readonly multiple?: boolean;
  readonly openedBy?: OpenedBy;
  readonly stalled?: boolean;
} = {}) {
  const window = new FakePickWindow();
  if (stalled) window.stall();
  const closing = new AbortController();
  const texts = { title: 'May it?', placeholder: 'rm -rf build' };
  const { signal } = closing;
  const result = showSafePick(window, { ...texts, rows: ROWS, multiple, openedBy, signal });
  return { window, pick: window.shown, result, closing };
}

async function readMark(result: Promise<SafePickResult<string>>): Promise<unknown> {
  let state: unknown = 'open';
  void result.then((settled) => {
    state = settled;
  });
  await settle();
  return state;
}
