import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchHits } from '../../../../src/acp/gatehouse/sessionList.ts';
import { searchSessions } from '../../../../src/extension/sessions/searchSessions.ts';
import { english } from '../english.ts';
import { settle } from '../fakeClock.ts';
import { FakePickWindow } from '../fakePick.ts';

function open(search: (query: string) => Promise<SearchHits>) {
  const window = new FakePickWindow();
  const { clock } = window;
  const asked: string[] = [];
  const found = searchSessions({
    ...{ window, clock, t: english },
    search: (query) => {
      asked.push(query);
      return search(query);
    },
  });
  const { shown: pick } = window;
  return { pick, clock, asked, found };
}

function hit(id: string) {
  const text = { title: `About ${id}`, snippet: 'the\n  $(trash) `words`', marks: [] };
  return { sessionId: `ses_${id}`, messageId: `msg_${id}`, updatedAt: 0, ...text };
}

test('the host searches when typing rests, and the chosen message is returned', async () => {
  const { pick, clock, asked, found } = open(async () => ({ hits: [hit('a'), hit('b')] }));
  for (const value of ['w', 'wo', 'wor']) pick.type(value);
  clock.tick(199);
  assert.deepEqual(asked, []);
  clock.tick(1);
  await settle();
  assert.deepEqual(asked, ['wor']);
  assert.deepEqual(
    pick.items.map(({ label, detail, alwaysShow }) => [label, detail, alwaysShow]),
    ['a', 'b'].map((id) => [`About ${id}`, 'the $\u200b(trash) words', true]),
  );
  pick.click('About b');
  assert.deepEqual(await found, { sessionId: 'ses_b', messageId: 'msg_b' });
});

test('hits of words that were replaced meanwhile are not shown', async () => {
  const answers: ((hits: SearchHits) => void)[] = [];
  const { pick, clock } = open(() => new Promise((resolve) => answers.push(resolve)));
  pick.type('one');
  clock.tick(200);
  pick.type('two');
  clock.tick(200);
  answers[1]?.({ hits: [hit('two')] });
  await settle();
  answers[0]?.({ hits: [hit('one')] });
  await settle();
  assert.deepEqual(
    pick.items.map(({ label }) => label),
    ['About two'],
  );
});

test('no hits, an index that is being built and a failure are said, and choosing them does nothing', async () => {
  const results = [
    async () => ({ hits: [], indexing: true }),
    async () => {
      throw new Error('The index is damaged.');
    },
  ];
  const { pick, clock, found } = open(() => (results.shift() ?? assert.fail)() as never);
  const labels = async (value: string) => {
    pick.type(value);
    clock.tick(200);
    await settle();
    return pick.items.map(({ label }) => label);
  };
  assert.deepEqual(await labels('a'), ['No matching messages', 'Indexing older messages…']);
  pick.click('No matching messages');
  assert.deepEqual(await labels('b'), ['Could not search: The index is damaged.']);
  pick.hide();
  assert.equal(await found, undefined);
});
