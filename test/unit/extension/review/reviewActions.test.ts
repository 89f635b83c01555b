import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Asks } from '../../../../src/extension/asks/asks.ts';
import {
  createReviewActions,
  type ReviewActionParts,
} from '../../../../src/extension/reviewActions.ts';
import type { AskEntry, PermissionAsk } from '../../../../src/webview/messages/asks.ts';
import { english } from '../english.ts';
import { FakeClock } from '../fakeClock.ts';

const ASK: PermissionAsk = {
  ...{ kind: 'permission', id: 'ask-1', toolCallId: 'call-1', title: 'Changes of: make' },
  ...{ toolKind: 'edit', subject: 'a.txt', length: 5, suspicious: false, why: '', since: 0 },
  ...{ diff: true, diffs: [], parts: [], offers: { allow: [], deny: [] } },
  options: [
    { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  ],
};
const KEPT: AskEntry = { id: '0', text: '`db.sqlite`: deleted', kept: true };
const LEFT: AskEntry = { id: '1', text: '`run.sh`: mode', kept: false };

/** A request whose diff is in the active editor. */
function openDiff(entries?: readonly AskEntry[]) {
  const clock = new FakeClock();
  const asks = new Asks(clock);
  const ask = { ...ASK, ...(entries && { entries }) };
  const source = { order: 1, agent: 'build' };
  const answer = asks.add({ sessionId: 's', ask, source }, new AbortController().signal);
  // Longer than a request has to be current before it can be answered.
  clock.tick(600);
  const shown: string[] = [];
  const review = { active: () => ({ id: ask.id }), reviews: { answering: () => undefined } };
  const actions = createReviewActions({
    // Only these members are used.
    review: review as unknown as ReviewActionParts['review'],
    ...{ asks, t: english, window: { showInputBox: async () => undefined } },
    showWhole: (id) => void shown.push(id),
    showCurrent: () => undefined,
  });
  return { asks, answer, actions, shown };
}

test('Allow in the diff shows the changes that the diff does not, and allows nothing', () => {
  const { asks, actions, shown } = openDiff([KEPT, LEFT]);
  actions.allowProposal();
  assert.deepEqual(shown, ['ask-1']);
  assert.equal(asks.pending.length, 1);
});

test('Allow in the diff allows what the diff shows', async () => {
  for (const entries of [undefined, [LEFT]]) {
    const { answer, actions, shown } = openDiff(entries);
    actions.allowProposal();
    const leftOut = entries && { leftOut: ['1'] };
    assert.deepEqual(await answer, { kind: 'option', optionId: 'allow', ...leftOut });
    assert.deepEqual(shown, []);
  }
});
