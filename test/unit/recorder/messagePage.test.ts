import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Database, openDatabase } from '../../../src/recorder/file/database.ts';
import { readMessagePage, readMessages } from '../../../src/recorder/messages.ts';
import type { Recorder } from '../../../src/recorder/recorder.ts';
import { open } from './openRecorder.ts';

const say = (text: string) => [{ type: 'text', text }] as const;

/** The ids of a session's messages, read page by page. */
function readPages(recorder: Recorder, sessionId: string, limit: number): readonly string[] {
  const ids: string[] = [];
  let before: string | undefined;
  do {
    const page = recorder.messagePage(sessionId, { limit, ...(before && { before }) });
    assert.ok(page.ok);
    assert.ok(page.data.messages.length <= limit);
    ids.unshift(...page.data.messages.map(({ id }) => id));
    before = page.data.before;
  } while (before !== undefined);
  return ids;
}

test('the pages together are the session, whatever the clock did and however long they are', (context) => {
  const { recorder, clock } = open(context);
  const sessions = [1, 2].map(() => recorder.createSession({ agent: 'a', cwd: '/a' }).id);
  const [id = '', other = ''] = sessions;
  for (let count = 0; count < 23; count += 1) {
    recorder.addUserMessage(id, say(`${count}`));
    recorder.addUserMessage(other, say(`other ${count}`));
    // The clock stops and advances alternately.
    if (count % 3 === 0) clock.advance(1);
  }
  const whole = recorder.messages(id).map((message) => message.id);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), (limit) => {
      assert.deepEqual(readPages(recorder, id, limit), whole);
    }),
    { numRuns: 30 },
  );
});

test('new messages do not shift the pages', (context) => {
  const { recorder } = open(context);
  const { id } = recorder.createSession({ agent: 'a', cwd: '/a' });
  const added = ['1', '2', '3', '4'].map((text) => recorder.addUserMessage(id, say(text)).id);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'one' });
  const newest = recorder.messagePage(id, { limit: 2 });
  assert.ok(newest.ok);
  assert.deepEqual(
    newest.data.messages.map((message) => message.id),
    [added[3], turn.data.messageId],
  );
  turn.data.record({ type: 'text-delta', id: 't', delta: ' two' });
  recorder.addUserMessage(id, say('5'));
  const { before = '' } = newest.data;
  const older = recorder.messagePage(id, { limit: 2, before });
  assert.ok(older.ok);
  assert.deepEqual(
    older.data.messages.map((message) => message.id),
    [added[1], added[2]],
  );
  turn.data.close();
});

test("a page contains a running turn's text so far", (context) => {
  const { recorder } = open(context);
  const { id } = recorder.createSession({ agent: 'a', cwd: '/a' });
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'one' });
  turn.data.record({ type: 'text-delta', id: 't', delta: ' two' });
  const page = recorder.messagePage(id, { limit: 1 });
  assert.ok(page.ok);
  const [part] = page.data.messages[0]?.parts ?? [];
  assert.equal(part?.type === 'text' && part.text, 'one two');
  turn.data.close();
});

test('a message id from another session is not a valid cursor', (context) => {
  const { recorder } = open(context);
  const [id = '', other = ''] = [1, 2].map(
    () => recorder.createSession({ agent: 'a', cwd: '/a' }).id,
  );
  recorder.addUserMessage(id, say('mine'));
  const theirs = recorder.addUserMessage(other, say('theirs')).id;
  for (const before of ['msg_none', '', theirs]) {
    const page = recorder.messagePage(id, { before, limit: 1 });
    assert.deepEqual(
      [page.ok, !page.ok && page.error],
      [false, 'The session has no such message.'],
    );
  }
});

test('a page of a long session reads its rows and no others', (context) => {
  const { recorder, file } = open(context);
  const { id } = recorder.createSession({ agent: 'a', cwd: '/a' });
  recorder.together(() => {
    for (let count = 0; count < 10_000; count += 1) recorder.addUserMessage(id, say(`${count}`));
  });
  const database = openDatabase(file, () => 0);
  const middle = readMessages(database, id)[5_000]?.id ?? '';
  const { counted, rows, plans } = count(database);
  for (const query of [{ limit: 20 }, { limit: 20, before: middle }]) {
    const page = readMessagePage(counted, id, query);
    assert.ok(page.ok && page.data.messages.length === 20);
  }
  // 20 messages with their parts, one more to detect another page, and the cursor.
  assert.equal(rows(), 41 + 42);
  for (const plan of plans()) {
    assert.doesNotMatch(plan, /SCAN|TEMP B-TREE FOR ORDER BY/, plan);
  }
  database.close();
});

/** Counts what is read, and how SQLite finds it. */
function count(database: Database) {
  let read = 0;
  const plans: string[] = [];
  const explain: Database['all'] = (sql, ...values) => {
    const plan = database.all(`EXPLAIN QUERY PLAN ${sql}`, ...values);
    plans.push(plan.map(({ detail }) => String(detail)).join('; '));
    return database.all(sql, ...values);
  };
  const all: Database['all'] = (sql, ...values) => {
    const found = explain(sql, ...values);
    read += found.length;
    return found;
  };
  const counted: Database = { ...database, all, get: (sql, ...values) => all(sql, ...values)[0] };
  return { counted, rows: () => read, plans: () => plans };
}
