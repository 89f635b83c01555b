import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FRAME } from '../../../../src/base/clock.ts';
import { FramePoster } from '../../../../src/extension/views/framePoster.ts';
import type { StateChange } from '../../../../src/webview/messages/chatState.ts';
import { FakeClock } from '../fakeClock.ts';

test('chunks are posted once per frame, with the text of one message joined', () => {
  const posts: (readonly StateChange[])[] = [];
  const clock = new FakeClock();
  const frames = new FramePoster((changes) => posts.push(changes), clock);
  for (const text of 'abc') frames.add({ type: 'append', id: 'm', text });
  frames.add({ type: 'mark', id: 'm', done: true });
  assert.deepEqual(posts, []);
  clock.tick(FRAME);
  assert.deepEqual(posts, [
    [
      { type: 'append', id: 'm', text: 'abc' },
      { type: 'mark', id: 'm', done: true },
    ],
  ]);
  assert.equal(clock.waiting, 0);
});

test('changes that a snapshot contains are not posted again', () => {
  const clock = new FakeClock();
  const frames = new FramePoster(() => assert.fail('It was posted.'), clock);
  frames.add({ type: 'append', id: 'm', text: 'a' });
  frames.clear();
  clock.tick(FRAME);
});

test('PR-015: a flood of 100,000 updates is one post a frame, with one change for each message', () => {
  const posts: (readonly StateChange[])[] = [];
  const clock = new FakeClock();
  const frames = new FramePoster((changes) => posts.push(changes), clock);
  for (let at = 0; at < 100_000; at += 1) frames.add({ type: 'append', id: 'm', text: 'x' });
  clock.tick(FRAME);
  assert.equal(posts.length, 1);
  assert.deepEqual(posts[0], [{ type: 'append', id: 'm', text: 'x'.repeat(100_000) }]);
});
