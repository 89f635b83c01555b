import assert from 'node:assert/strict';
import { statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { openDatabase } from '../../../../../src/recorder/file/database.ts';
import { removeSession } from '../../../../../src/recorder/library/removeSession.ts';
import { rewind, unrewind } from '../../../../../src/recorder/library/rewind.ts';
import {
  createSearchIndex,
  type SearchQuery,
} from '../../../../../src/recorder/library/search/searchIndex.ts';
import { CALL, open } from '../../openRecorder.ts';

test('words are found in prompts, answers and calls, in any case, by their beginning', async (t) => {
  const { find, say, call } = setUp(t);
  const [prompt] = say('Where is the Heron?', 'In the río, said the ornithologist.');
  const id = call('rg --hidden waterfowl', 'src/birds.ts: 3 matches');
  const hits = await find('heron');
  assert.deepEqual(hits, [[prompt, 'Where is the [Heron]?']]);
  assert.equal((await find('HER'))[0]?.[0], prompt);
  assert.match((await find('RIO ornith'))[0]?.[1] ?? '', /\[río\], said the \[ornithologist\]/);
  assert.equal((await find('waterfowl'))[0]?.[0], id);
  assert.equal((await find('birds.ts'))[0]?.[0], id);
  assert.deepEqual(await find('heron waterfowl'), []);
});

test('hidden and deleted messages are not found, and shown ones are again', async (t) => {
  const { find, say, recorder, sessionId } = setUp(t);
  say('heron one', 'yes');
  const [second] = say('heron two', 'no');
  assert.equal((await find('heron')).length, 2);
  assert.ok(rewind(recorder.store, sessionId, second).ok);
  assert.deepEqual((await find('heron')).length, 1);
  assert.deepEqual(await find('no'), []);
  assert.ok(unrewind(recorder.store, sessionId).ok);
  assert.equal((await find('heron')).length, 2);
  await removeSession(recorder.store, sessionId);
  assert.deepEqual(await find('heron'), []);
});

test('a message of any time can be searched, also one that nobody can have written', async (t) => {
  const { find, say, recorder } = setUp(t);
  for (const time of [9e15, -1]) {
    const [id = ''] = say(`heron ${time}`, 'ok');
    recorder.store.database.run('UPDATE chat_messages SET created_at = ? WHERE id = ?', time, id);
  }
  assert.equal((await find('heron')).length, 2);
});

test('more messages than a millisecond has numbers for can all be searched', async (t) => {
  const { find, say, recorder, sessionId } = setUp(t);
  const { database } = recorder.store;
  const [last] = say('heron, the last', 'ok');
  database.transaction(() => {
    for (let at = 0; at < 2_100; at++) {
      recorder.addUserMessage(sessionId, [{ type: 'text', text: `egret ${at}` }]);
    }
    // Such a time for all of them is what a program that knows only seconds writes, or one that imports.
    database.run('UPDATE chat_messages SET created_at = ?', 2 ** 42);
  });
  assert.deepEqual(await find('heron'), [[last, '[heron], the last']]);
  assert.equal((await find('egret', { limit: 3_000 })).length, 2_100);
});

test('a search that the end of the host interrupts keeps the index', async (t) => {
  const { find, say, file, index } = setUp(t);
  say('heron', 'ok');
  assert.equal((await find('heron')).length, 1);
  const interrupted = index.search({ query: 'heron', limit: 50 });
  index.close();
  assert.equal((await interrupted).ok, false);
  assert.ok(statSync(file).size > 0);
});

test('whatever one row holds, the messages of other sessions are found', async (t) => {
  const { find, say, answer, recorder } = setUp(t);
  const { database } = recorder.store;
  const columns = {
    chat_sessions: ['updated_at', 'created_at', 'workspace_root', 'metadata_json'],
    chat_messages: ['updated_at', 'created_at', 'metadata_json'],
    chat_parts: ['type', 'data_json', 'index'],
  };
  for (const [table, names] of Object.entries(columns)) {
    for (const name of names) {
      for (const value of ['x', '{"a":', -1, 1e300, Buffer.from([1])]) {
        say('damaged', 'heron');
        const { id: other } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
        const message = answer('heron', other);
        database.run(
          `UPDATE ${table} SET "${name}" = ? WHERE rowid =
          (SELECT max(rowid) FROM ${table} WHERE instr(?, ${table === 'chat_sessions' ? 'id' : 'session_id'}) = 0)`,
          value,
          other,
        );
        const found = await find('heron');
        assert.ok(
          found.some(([id]) => id === message),
          `${table}.${name}: ${value}`,
        );
      }
    }
  }
});

test('a search while the history is repaired says so, and keeps the index', async (t) => {
  const { find, say, recorder, sessionId, clock, file, history } = setUp(t);
  say('heron', 'ok');
  assert.equal((await find('heron')).length, 1);
  const hasty = createSearchIndex(recorder.store, file, { clock, patienceMs: 0 });
  t.after(() => hasty.close());
  const before = statSync(file).ino;
  const other = openDatabase(history, () => 0);
  other.get('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  writeFileSync(history, 'not a database');
  assert.throws(() => recorder.messages(sessionId), /is being repaired/);
  const found = await hasty.search({ query: 'heron', limit: 9 });
  assert.match(found.ok ? '' : found.error, /^The history is damaged.*try again in a moment\.$/);
  assert.equal(statSync(file).ino, before);
  await recorder.free();
});

test('hits come newest first, page by page, of one folder if it is named', async (t) => {
  const { find, say, recorder } = setUp(t);
  const prompts = Array.from({ length: 7 }, (_, at) => say(`heron ${at}`, 'ok')[0]).reverse();
  const other = recorder.createSession({ agent: 'gatehouse', cwd: '/b' });
  recorder.addUserMessage(other.id, [{ type: 'text', text: 'a heron elsewhere' }]);
  assert.equal((await find('heron')).length, 8);
  const first = await find('heron', { cwd: '/a', limit: 4 });
  const rest = await find('heron', { cwd: '/a', limit: 4, before: first.at(-1)?.[0] ?? '' });
  assert.deepEqual(
    [...first, ...rest].map(([id]) => id),
    prompts,
  );
  await assert.rejects(find('heron', { before: 'msg_x' }), /Search again/);
});

test('a message that grows is found by its latest text, and a long one by any of it', async (t) => {
  const { find, recorder, sessionId } = setUp(t);
  const turn = recorder.openTurn(sessionId);
  assert.ok(turn.ok);
  const type = 'text-delta';
  turn.data.record({ type: 'text-start', id: 't' }, { type, id: 't', delta: 'heron ' });
  turn.data.flush();
  assert.equal((await find('heron')).length, 1);
  turn.data.record({ type, id: 't', delta: `${'filler '.repeat(20_000)}bittern` });
  turn.data.record({ type: 'text-end', id: 't' }, { type: 'finish', finishReason: 'stop' });
  turn.data.close();
  assert.deepEqual(
    (await find('bittern')).map(([id]) => id),
    [turn.data.messageId],
  );
  assert.deepEqual(
    (await find('filler')).map(([id]) => id),
    [turn.data.messageId],
  );
});

test('no text of a query is syntax', async (t) => {
  const { index, say, find } = setUp(t);
  say('heron AND NOT "bittern" text:heron -x', 'NEAR(a b)');
  for (const query of ['"heron', 'AND', 'NOT heron', 'text:heron', 'NEAR(a', 'he* OR', '^heron']) {
    assert.equal((await find(query)).length > 0, !query.includes('OR'), query);
  }
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), async (query) => {
      assert.equal((await index.search({ query, limit: 5 })).ok, true);
    }),
    { numRuns: 100 },
  );
});

test('a damaged index is made again, and the history is not touched', async (t) => {
  const { find, say, file, index, recorder } = setUp(t);
  const [prompt] = say('heron', 'ok '.repeat(3000));
  assert.equal((await find('heron')).length, 1);
  const damages = [
    () => writeFileSync(file, 'no database'),
    () => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096),
    () => writeFileSync(file, Buffer.alloc(64_000, 7)),
  ];
  for (const damage of damages) {
    index.close();
    damage();
    const again = createSearchIndex(recorder.store, file, { clock: recorder.store.clock });
    const found = await again.search({ query: 'heron', limit: 5 });
    assert.deepEqual(found.ok && found.data.hits.map(({ messageId }) => messageId), [prompt]);
    again.close();
  }
  assert.equal(recorder.notices.length, 0);
});

test('an index that is not up to date in time says so, and is completed later', async (t) => {
  const { recorder, clock, file, say } = setUp(t);
  for (let at = 0; at < 200; at += 1) say(`heron ${at}`, 'word '.repeat(500));
  const hasty = createSearchIndex(recorder.store, file, { clock, patienceMs: 0 });
  t.after(() => hasty.close());
  const first = await hasty.search({ query: 'heron', limit: 5 });
  assert.equal(first.ok && first.data.indexing, true);
  clock.advance(5_000);
  for (let rests = 0; clock.waiting.includes(60); rests += 1) {
    assert.ok(rests < 1000);
    clock.advance(60);
  }
  const search = () => hasty.search({ query: 'heron', limit: 200 });
  let last = await search();
  assert.equal(last.ok && last.data.hits.length, 200);
  // Without patience, a busy machine may not even have looked for changes in time.
  for (let tries = 0; last.ok && last.data.indexing && tries < 1000; tries += 1)
    last = await search();
  assert.deepEqual(last.ok && [last.data.indexing, last.data.hits.length], [false, 200]);
});

function setUp(t: TestContext) {
  const opened = open(t);
  const { recorder, clock } = opened;
  const file = path.join(path.dirname(opened.file), 'search.db');
  const index = createSearchIndex(recorder.store, file, { clock });
  t.after(() => index.close());
  const sessionId = recorder.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  const answer = (text: string, session = sessionId) => {
    const turn = recorder.openTurn(session);
    assert.ok(turn.ok);
    turn.data.record(
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: text },
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason: 'stop' },
    );
    turn.data.close();
    return turn.data.messageId;
  };
  return {
    ...{ recorder, clock, file, index, sessionId, answer, history: opened.file },
    /** Stores a prompt and its answer, and returns their ids. */
    say(prompt: string, text: string) {
      clock.advance(10);
      const { id } = recorder.addUserMessage(sessionId, [{ type: 'text', text: prompt }]);
      clock.advance(10);
      return [id, answer(text)];
    },
    call(command: string, head: string) {
      const turn = recorder.openTurn(sessionId);
      assert.ok(turn.ok);
      turn.data.record({ type: 'tool-input-available', ...CALL, input: { command } });
      const output = { type: 'output', data: { head }, metadata: { duration_ms: 1 } } as const;
      turn.data.record({ type: 'tool-output-available', toolCallId: CALL.toolCallId, output });
      turn.data.record({ type: 'finish', finishReason: 'stop' });
      turn.data.close();
      return turn.data.messageId;
    },
    /** The id of each message, and its snippet with brackets around what was found. */
    async find(query: string, more: Partial<SearchQuery> = {}) {
      const found = await index.search({ query, limit: 50, ...more });
      if (!found.ok) throw new Error(found.error);
      return found.data.hits.map(({ messageId, snippet, marks }) => [
        messageId,
        marks.reduceRight(
          (text, [start, end]) =>
            `${text.slice(0, start)}[${text.slice(start, end)}]${text.slice(end)}`,
          snippet,
        ),
      ]);
    },
  };
}
