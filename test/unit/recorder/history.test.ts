import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredMessage } from '../../../src/base/stream/stored.ts';
import { type Database, openDatabase } from '../../../src/recorder/file/database.ts';
import { createHistory } from '../../../src/recorder/history.ts';
import type { Recorder } from '../../../src/recorder/recorder.ts';
import { CALL, OUTPUT, open } from './openRecorder.ts';

const SAID = [{ type: 'text', text: 'hello' }] as const;

test('the cache equals what a new window reads, after each step of a session', (context) => {
  const { recorder, clock, second } = open(context);
  // Opened before anything is read: a window that opens makes others read everything again.
  const window = second();
  const [id, other] = [newSession(recorder, '/a'), newSession(recorder, '/b')];
  for (const session of [id, other, id]) {
    const check = () => {
      clock.advance(1);
      assert.deepEqual(recorder.messages(session), window.messages(session));
    };
    check();
    recorder.addUserMessage(session, SAID);
    check();
    const opened = recorder.openTurn(session);
    assert.ok(opened.ok);
    const { data: turn } = opened;
    check();
    turn.record({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'one ' });
    check();
    turn.record({ type: 'tool-input-start', ...CALL });
    turn.record({ type: 'tool-input-available', ...CALL, input: { command: 'ls' } });
    check();
    turn.record({ type: 'text-delta', id: 't', delta: 'x'.repeat(20_000) });
    check();
    turn.record({ type: 'tool-output-available', toolCallId: 'c1', output: OUTPUT });
    turn.record({ type: 'finish', finishReason: 'stop' });
    turn.close();
    check();
  }
});

test('what another window stores is seen, also in a cached session', (context) => {
  const { recorder, clock, second } = open(context);
  const id = newSession(recorder);
  recorder.addUserMessage(id, SAID);
  assert.equal(recorder.messages(id).length, 1);
  clock.advance(1);
  const window = second();
  const added = window.addUserMessage(id, SAID);
  assert.deepEqual(recorder.messages(id).at(-1), added);
  const turn = window.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
  assert.equal(recorder.messages(id).at(-1)?.parts.length, 1);
});

test('calls that are closed as orphans are read again', (context) => {
  const { recorder, reopen } = open(context);
  const id = newSession(recorder);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
  const window = reopen();
  assert.deepEqual(states(window.messages(id)), ['input-available']);
  window.closeOrphans(id);
  assert.deepEqual(states(window.messages(id)), ['output-error']);
});

test('what was read in a rolled-back transaction is not cached', (context) => {
  const { recorder } = open(context);
  const id = newSession(recorder);
  const fall = () =>
    recorder.together(() => {
      recorder.addUserMessage(id, SAID);
      assert.equal(recorder.messages(id).length, 1);
      throw new Error('it fell');
    });
  assert.throws(fall, /it fell/);
  assert.deepEqual(recorder.messages(id), []);
});

test('messages keep their write order even when the clock is set back', (context) => {
  const { recorder, file } = open(context);
  const id = newSession(recorder);
  recorder.addUserMessage(id, SAID);
  using database = openCounting(file);
  const history = createHistory(database);
  for (const name of ['msg_b', 'msg_c', 'msg_a']) {
    history.messages(id);
    insert(database, id, name, -1);
    history.changed(id, name);
    assert.deepEqual(history.messages(id), recorder.messages(id));
  }
  const ids = history.messages(id).map((message) => message.id);
  assert.deepEqual(ids.slice(1), ['msg_b', 'msg_c', 'msg_a']);
});

test('a cached session costs only what changed in it', (context) => {
  const { recorder, file } = open(context);
  const id = newSession(recorder);
  using database = openCounting(file);
  const history = createHistory(database);
  const read = () => [history.messages(id).length, database.rows()];
  for (let count = 0; count < 100; count += 1) insert(database, id, `msg_${count + 100}`, count);
  assert.deepEqual(read(), [100, 101]);
  assert.deepEqual(read(), [100, 1]);
  insert(database, id, 'msg_last', 100);
  history.changed(id, 'msg_last');
  assert.deepEqual(read(), [101, 2]);
});

test('sessions that take turns are read from the cache, each with what changed in it', (context) => {
  const { recorder, file } = open(context);
  const [long, fresh] = [newSession(recorder, '/a'), newSession(recorder, '/b')];
  using database = openCounting(file);
  const history = createHistory(database);
  const read = (id: string) => [history.messages(id).length, database.rows()];
  for (let count = 0; count < 100; count += 1) insert(database, long, `msg_${count + 100}`, count);
  assert.deepEqual(read(long), [100, 101]);
  assert.deepEqual(read(fresh), [0, 1]);
  insert(database, fresh, 'msg_fresh', 100);
  history.changed(fresh, 'msg_fresh');
  insert(database, long, 'msg_long', 101);
  history.changed(long, 'msg_long');
  assert.deepEqual(read(fresh), [1, 2]);
  assert.deepEqual(read(long), [101, 2]);
  history.invalidate(long);
  assert.deepEqual(read(long), [101, 102]);
  assert.deepEqual(read(fresh), [1, 1]);
});

test('the cache drops the sessions used longest ago at its bounds, and never the last one', (context) => {
  const { recorder, file } = open(context);
  const ids = ['/a', '/b', '/c'].map((cwd) => newSession(recorder, cwd));
  for (const id of ids) {
    recorder.addUserMessage(id, [{ type: 'text', text: 'x'.repeat(1_000) }]);
  }
  const [first = '', second = '', third = ''] = ids;
  for (const bounds of [
    { sessions: 2, characters: 1_000_000 },
    { sessions: 9, characters: 2_500 },
  ]) {
    using database = openCounting(file);
    const history = createHistory(database, bounds);
    const read = (id: string) => [history.messages(id).length, database.rows()];
    for (const id of ids) assert.deepEqual(read(id), [1, 3]);
    assert.deepEqual(read(second), [1, 1]);
    assert.deepEqual(read(third), [1, 1]);
    assert.deepEqual(read(first), [1, 3]);
    assert.deepEqual(read(third), [1, 1]);
    assert.deepEqual(read(second), [1, 3]);
  }
  using database = openCounting(file);
  const history = createHistory(database, { sessions: 9, characters: 10 });
  const read = (id: string) => [history.messages(id).length, database.rows()];
  assert.deepEqual(read(first), [1, 3]);
  assert.deepEqual(read(first), [1, 1]);
  assert.deepEqual(read(second), [1, 3]);
  assert.deepEqual(read(first), [1, 3]);
});

function newSession(recorder: Recorder, cwd = '/a'): string {
  return recorder.createSession({ agent: 'gatehouse', cwd }).id;
}

function states(messages: readonly StoredMessage[]): unknown[] {
  return messages.flatMap(({ parts }) => parts.map((part) => 'state' in part && part.state));
}

function insert(database: Database, sessionId: string, id: string, at: number): void {
  const sql = `INSERT INTO chat_messages (id, session_id, role, created_at, updated_at)
    VALUES (?, ?, 'user', ?, ?)`;
  database.run(sql, id, sessionId, at, at);
}

/** A connection of its own that counts the rows it read since it was last asked. */
function openCounting(file: string): Database & Disposable & { rows(): number } {
  const database = openDatabase(file, () => 0);
  let count = 0;
  const counted = <Rows extends readonly unknown[]>(rows: Rows): Rows => {
    count += rows.length;
    return rows;
  };
  return {
    ...database,
    all: (sql, ...values) => counted(database.all(sql, ...values)),
    get: (sql, ...values) => counted([database.get(sql, ...values)] as const)[0],
    rows: () => {
      const rows = count;
      count = 0;
      return rows;
    },
    [Symbol.dispose]: () => database.close(),
  };
}
