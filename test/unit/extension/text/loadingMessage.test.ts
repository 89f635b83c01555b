import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayLoading } from '../../../../src/extension/text/loadingMessage.ts';
import { english as t } from '../english.ts';
import { FakeClock } from '../fakeClock.ts';

function open() {
  const clock = new FakeClock();
  const view: { message?: string | undefined } = {};
  return { clock, view, say: sayLoading(view, clock, t) };
}

test('a view says that it loads until its first rows were taken, so that it keeps the focus', () => {
  const { clock, view, say } = open();
  assert.equal(view.message, 'Loading…');
  say('');
  say('');
  assert.equal(view.message, 'Loading…');
  clock.tick(100);
  assert.equal(view.message, '');
  assert.equal(clock.asked, 1);
  say('No rule.');
  assert.equal(view.message, 'No rule.');
  say('');
  assert.equal(view.message, '');
});

test('a failure is said at once, and stays when the rows come later', () => {
  const { clock, view, say } = open();
  say('');
  say('Could not list them.');
  assert.equal(view.message, 'Could not list them.');
  clock.tick(100);
  assert.equal(view.message, 'Could not list them.');
  say('');
  assert.equal(view.message, '');
});
