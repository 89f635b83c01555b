import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kept, NOTHING_KEPT, toSessionHost } from '../../../../src/webview/state/host.ts';

function open() {
  let kept: Kept = NOTHING_KEPT;
  const host = {
    post: () => undefined,
    kept: () => kept,
    keep: (value: Kept) => {
      kept = value;
    },
  };
  return {
    session: (key: string, pending?: readonly string[]) => toSessionHost(host, key, () => pending),
    kept: () => kept,
  };
}

test('each session is found as it was left', () => {
  const { session } = open();
  const [one, two] = [session('one'), session('two')];
  assert.deepEqual(one.left(), { opened: {}, answers: {} });
  one.keepPosition({ row: 'agent-3', above: 40 });
  one.keepOpened('call-1', true);
  one.keepAnswer('ask-1', { name: 'half' });
  one.keepDraft('unsent');
  two.keepOpened('call-1', false);
  assert.deepEqual(session('one').left(), {
    position: { row: 'agent-3', above: 40 },
    opened: { 'call-1': true },
    answers: { 'ask-1': { name: 'half' } },
  });
  assert.deepEqual(two.left(), { opened: { 'call-1': false }, answers: {} });
  one.keepPosition(undefined);
  one.keepAnswer('ask-1', undefined);
  assert.deepEqual(one.left(), { opened: { 'call-1': true }, answers: {} });
  assert.equal(two.draft(), 'unsent');
});

test('what is kept has an end, and what was used last stays', () => {
  const { session, kept } = open();
  for (let at = 0; at < 30; at += 1) session(`s${at}`).keepOpened('a', true);
  session('s10').keepOpened('b', true);
  assert.equal(Object.keys(kept().sessions).length, 20);
  assert.equal(Object.keys(kept().sessions).at(-1), 's10');
  for (let at = 0; at < 300; at += 1) session('s10').keepOpened(`call-${at}`, true);
  assert.equal(Object.keys(session('s10').left().opened).length, 200);
  assert.equal(session('s10').left().opened['call-299'], true);
});

test('answers of requests that no longer wait are dropped with the next answer', () => {
  const { session } = open();
  session('one').keepAnswer('old', { name: 'half' });
  session('one').keepAnswer('waits', { name: 'half' });
  session('one', ['waits', 'new']).keepAnswer('new', { name: 'a' });
  assert.deepEqual(Object.keys(session('one').left().answers), ['waits', 'new']);
});
