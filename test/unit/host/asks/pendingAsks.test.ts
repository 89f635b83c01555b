import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskingSession, createPendingAsks } from '../../../../src/host/asks/asks.ts';

const session: AskingSession = {
  id: 's',
  definition: { name: 'build' },
  title: 'Fix the sum',
  parent: undefined,
};
const asked = (toolCallId: string) => ({ toolCallId, title: 'Run', kind: 'approval' }) as const;
const never = () => new Promise<never>(() => undefined);

test('pending requests are in the order in which their calls began', () => {
  const pending = createPendingAsks();
  const child = { ...session, id: 'child', parent: 's', title: undefined };
  pending.begin('s', 'one');
  pending.begin('child', 'one');
  pending.begin('s', 'two');
  void pending.during(session, asked('two'), never);
  void pending.during(child, asked('one'), never);
  void pending.during(session, asked('one'), never);
  assert.deepEqual(
    pending.list().map(({ sessionId, toolCallId, source }) => [sessionId, toolCallId, source]),
    [
      ['s', 'one', { order: 1, agent: 'build', session: 'Fix the sum' }],
      ['child', 'one', { order: 2, agent: 'build', parent: 's' }],
      ['s', 'two', { order: 3, agent: 'build', session: 'Fix the sum' }],
    ],
  );
});

test('a request of a call that was not announced, or has ended, is the last', () => {
  const pending = createPendingAsks();
  pending.begin('s', 'ended').dispose();
  pending.begin('s', 'one');
  for (const id of ['ended', 'other', 'one']) void pending.during(session, asked(id), never);
  assert.deepEqual(
    pending.list().map(({ toolCallId }) => toolCallId),
    ['one', 'ended', 'other'],
  );
});
