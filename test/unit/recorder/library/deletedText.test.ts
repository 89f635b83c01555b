import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { clearSessions, planClear } from '../../../../src/recorder/library/clearSessions.ts';
import { removeSession } from '../../../../src/recorder/library/removeSession.ts';
import { createSearchIndex } from '../../../../src/recorder/library/search/searchIndex.ts';
import { open } from '../openRecorder.ts';

/** A word that is in no other text. It is also looked for without its end, as an index keeps parts of words. */
const PLANTED = 'huntingheron';

test('nothing of a deleted session can be read in the files of the history and of the search', async (t) => {
  const { recorder, say, find, files } = setUp(t);
  const id = say(`my ${PLANTED} `.repeat(2_000));
  const stays = say('a bittern stays');
  assert.equal((await find(PLANTED)).length, 1);
  assert.ok(holds(files()).length > 0, 'it can be found in the files before');
  assert.ok((await removeSession(recorder.store, id)).ok);
  assert.deepEqual(await find(PLANTED), []);
  assert.deepEqual(holds(files()), []);
  assert.deepEqual(await find('bittern'), [stays]);
});

test('nothing is left after Delete All Sessions either, while another window has the history open', async (t) => {
  const { recorder, second, say, find, files } = setUp(t);
  const other = second();
  // Rounds of many texts, so that the index has several segments.
  for (let round = 0; round < 4; round++) {
    for (let each = 0; each < 30; each++)
      say(`${PLANTED}${round} bird${round}x${each} `.repeat(20));
    assert.ok((await find(`bird${round}x7`)).length > 0);
  }
  assert.equal(other.listSessions({ limit: 1000 }).sessions.length, 120);
  assert.equal(await clearSessions(recorder.store, await planClear(recorder.store, {})), 120);
  assert.deepEqual(await find(PLANTED), []);
  assert.deepEqual(holds(files()), []);
  assert.equal(other.listSessions({ limit: 9 }).sessions.length, 0);
});

test('a purge of the index that broke off is gone on with', async (t) => {
  const { recorder, say, find, files, again } = setUp(t);
  for (let each = 0; each < 50; each++) say(`${PLANTED} bird${each} `.repeat(2_000));
  assert.equal((await find(PLANTED)).length, 50);
  assert.equal(await clearSessions(recorder.store, await planClear(recorder.store, {})), 50);
  // Without patience, one step is all that is done before the window ends.
  await again(0).update();
  assert.ok(holds(files()).length > 0);
  await again(60_000).update();
  assert.deepEqual(holds(files()), []);
});

function setUp(context: TestContext) {
  const opened = open(context);
  const { recorder, file, clock } = opened;
  const search = path.join(path.dirname(file), 'search.db');
  const again = (patienceMs: number) => {
    const index = createSearchIndex(recorder.store, search, { clock, patienceMs });
    context.after(() => index.close());
    return index;
  };
  const index = again(60_000);
  return {
    ...opened,
    again,
    say(text: string): string {
      const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
      recorder.addUserMessage(id, [{ type: 'text', text }]);
      clock.advance(1);
      return id;
    },
    async find(query: string): Promise<readonly string[]> {
      const found = await index.search({ query, limit: 50 });
      assert.ok(found.ok);
      await index.update();
      return found.data.hits.map(({ sessionId }) => sessionId);
    },
    files: () =>
      [file, search].flatMap((each) => ['', '-wal', '-journal'].map((suffix) => each + suffix)),
  };
}

/** Where in the files the planted word, or most of it, can be read. */
function holds(files: readonly string[]): readonly string[] {
  return files.filter(existsSync).flatMap((file) => {
    const bytes = readFileSync(file);
    const at = bytes.indexOf(PLANTED.slice(0, 8));
    if (at < 0) return [];
    return [`${path.basename(file)}: ${bytes.subarray(at - 16, at + 16).toString('latin1')}`];
  });
}
