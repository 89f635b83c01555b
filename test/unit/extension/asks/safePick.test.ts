import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SafePickResult, showSafePick } from '../../../../src/extension/asks/safePick.ts';
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
  assert.equal(await stateOf(result), 'open');
});

test('a row that is chosen before the pick is armed is not accepted', async () => {
  const { window, pick, result } = open();
  window.clock.tick(ARM_DELAY - 1);
  pick.moveTo('Allow once');
  pick.enter();
  assert.equal(await stateOf(result), 'open');
  window.clock.tick(1);
  pick.enter();
  assert.deepEqual(await result, { kind: 'picked', values: ['allow'] });
});

test('typing leaves no text and no active row, and disarms the pick', async () => {
  const { window, pick, result } = open();
  window.clock.tick(ARM_DELAY);
  pick.type('all');
  assert.equal(pick.value, '');
  assert.deepEqual(pick.activeItems, []);
  pick.enter();
  window.clock.tick(ARM_DELAY - 1);
  pick.moveTo('Allow once');
  pick.enter();
  assert.equal(await stateOf(result), 'open');
});

test('keys meant for an editor, Enter last, approve nothing however long they take', async () => {
  const { window, pick, result } = open();
  for (const key of 'a long line of text'.split('')) {
    pick.type(key);
    window.clock.tick(120);
  }
  window.clock.tick(ARM_DELAY * 2);
  pick.enter();
  assert.equal(await stateOf(result), 'open');
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
  assert.equal(await stateOf(result), 'open');
  window.clock.tick(ARM_DELAY);
  pick.click('Allow once');
  assert.deepEqual(await result, { kind: 'picked', values: ['allow'] });
});

test('in a multi-select an accept with nothing chosen is ignored', async () => {
  const { window, pick, result } = open({ multiple: true });
  window.clock.tick(ARM_DELAY);
  pick.enter();
  assert.equal(await stateOf(result), 'open');
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

function open({ multiple = false } = {}) {
  const window = new FakePickWindow();
  const closing = new AbortController();
  const texts = { title: 'May it?', placeholder: 'rm -rf build' };
  const { signal } = closing;
  const result = showSafePick(window, { ...texts, rows: ROWS, multiple, signal });
  return { window, pick: window.shown, result, closing };
}

async function stateOf(result: Promise<SafePickResult<string>>): Promise<unknown> {
  let state: unknown = 'open';
  void result.then((settled) => {
    state = settled;
  });
  await settle();
  return state;
}
