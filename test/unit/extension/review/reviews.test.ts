import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toDiffContent } from '../../../../src/acp/diffContent.ts';
import { Reviews } from '../../../../src/extension/review/editors/reviews.ts';
import { ReviewStore } from '../../../../src/extension/review/proposal/reviewStore.ts';
import { FakeClock } from '../fakeClock.ts';

/** Reviews whose tabs are only noted. */
function open() {
  const [closed, kept]: [string[], string[]] = [[], []];
  const store = new ReviewStore({
    storage: {
      load: async () => undefined,
      create: async () => undefined,
      update: async () => undefined,
      remove: async () => undefined,
      settled: async () => undefined,
    },
    clock: new FakeClock(),
    onError: assert.fail,
  });
  const reviews = new Reviews({
    ...{ store, readCurrent: async () => undefined },
    textKept: ({ id }) => kept.push(id),
    takeComments: ({ id }) => `/w/${id}:1: why?`,
    tabs: {
      open: async () => undefined,
      close: async ({ id }) => void closed.push(id),
      becomeFile: async () => undefined,
      isOpen: ({ id }) => !closed.includes(id),
    },
  });
  const add = async (id: string) => {
    const changes = [{ path: `/w/${id}`, beforeHash: '0', oldText: 'old\n', newText: 'new\n' }];
    const review = await reviews.add(
      id,
      { sessionId: 's', toolCallId: id },
      toDiffContent(changes),
    );
    await reviews.open(id, true);
    return review?.files[0];
  };
  return { reviews, add, closed, kept };
}

test('comments on a proposal belong to the answer only when it is rejected', async () => {
  const { reviews, add } = open();
  const ends = ['approved', 'withdrawn', 'rejected'] as const;
  for (const end of ends) await add(end);
  const results = await Promise.all(ends.map((end) => reviews.finish(end, end)));
  assert.deepEqual(
    results.map(({ comments }) => comments),
    [undefined, undefined, '/w/rejected:1: why?'],
  );
});

test('another request closes the tab of one that is still asked', async () => {
  const { reviews, add, closed } = open();
  await add('a');
  await reviews.setCurrent('b', () => true);
  assert.deepEqual(closed, ['a']);
});

test('a withdrawn proposal keeps its tab if the user typed into it, whatever is current then', async () => {
  const { reviews, add, closed, kept } = open();
  const file = await add('a');
  file?.edit(() => 'new, and mine\n');
  // The queue moves on before the request learns that it was withdrawn.
  await reviews.setCurrent(undefined, (id) => id !== 'a');
  await reviews.finish('a', 'withdrawn');
  assert.deepEqual([closed, kept], [[], ['a']]);
});

test('a withdrawn proposal that nobody changed has no tab any more', async () => {
  const { reviews, add, closed, kept } = open();
  await add('a');
  await reviews.setCurrent(undefined, (id) => id !== 'a');
  await reviews.finish('a', 'withdrawn');
  assert.deepEqual([closed, kept], [['a'], []]);
});
