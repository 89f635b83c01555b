import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BusyError } from '../../../../src/recorder/file/faults.ts';
import { planClear } from '../../../../src/recorder/library/clearSessions.ts';
import { exportMarkdown } from '../../../../src/recorder/library/exportSession.ts';
import { readStoredState } from '../../../../src/recorder/library/storedState.ts';
import { openRecorder, type Recorder } from '../../../../src/recorder/recorder.ts';
import { CALL, open } from '../openRecorder.ts';

/** What changed bytes may leave in a column. */
const ODD = ['x', '', '{"a":', '[1]', null, -1, 1e300, Buffer.from([1, 2])];

function talk(recorder: Recorder, title: string): string {
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/w', metadata: { title } });
  recorder.addUserMessage(id, [{ type: 'text', text: 'hello' }]);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
  turn.data.record({ type: 'finish', finishReason: 'stop' });
  turn.data.close();
  return id;
}

for (const table of ['chat_sessions', 'chat_messages', 'chat_parts']) {
  test(`whatever one row of ${table} holds, the others are listed, opened and searched for what may go`, async (t) => {
    const { recorder } = open(t);
    const { database, history } = recorder.store;
    const own = table === 'chat_sessions' ? 'id' : 'session_id';
    const columns = database
      .all(`PRAGMA table_info(${table})`)
      .map(({ name }) => String(name))
      .filter((name) => !['id', 'session_id', 'message_id', 'parent_id'].includes(name));
    for (const column of columns) {
      for (const value of ODD) {
        const [damaged, other] = [talk(recorder, 'damaged'), talk(recorder, 'other')];
        try {
          database.run(`UPDATE ${table} SET "${column}" = ? WHERE ${own} = ?`, value, damaged);
        } catch {
          // The table itself refuses it.
          continue;
        }
        history.invalidate();
        const listed = recorder.listSessions({ limit: 1000, cwd: '/w' }).sessions;
        assert.ok(
          listed.some(({ id, title }) => id === other && title === 'other'),
          column,
        );
        // Clients get the time as a date.
        for (const { updatedAt } of listed) new Date(updatedAt).toISOString();
        assert.equal([...exportMarkdown(recorder.store, damaged)].length > 0, true, column);
        assert.deepEqual(recorder.waitingSessions('/w'), [], column);
        assert.equal(recorder.messages(other).length, 2);
        recorder.session(damaged);
        recorder.closeOrphans(damaged);
        recorder.messages(damaged);
        recorder.messagePage(damaged, { limit: 10 });
        readStoredState(recorder.store, damaged);
        const { sessions } = await planClear(recorder.store, {});
        assert.ok(
          sessions.some(({ id }) => id === other),
          column,
        );
        for (const id of [damaged, other]) recorder.store.drop(id);
        database.run('DELETE FROM chat_sessions');
      }
    }
  });
}

test('settings that cannot be read any more are Read Only, their turn is over, and the user is told', (t) => {
  const { recorder } = open(t);
  const { database, history } = recorder.store;
  const id = talk(recorder, 'damaged');
  database.run("UPDATE chat_sessions SET metadata_json = '{\"title' WHERE id = ?", id);
  database.run("UPDATE chat_messages SET metadata_json = '{\"fin' WHERE session_id = ?", id);
  history.invalidate();
  assert.equal(recorder.listSessions({ limit: 9 }).sessions.length, 1);
  assert.equal(recorder.session(id)?.metadata['approval'], 'readOnly');
  assert.equal(recorder.unfinishedTurn(id), undefined);
  assert.equal(recorder.messages(id).length, 2);
  assert.match(recorder.notices.join('\n'), /3 damaged rows .* Read Only/);
});

test('a row that another program keeps from being reset blocks nobody, and is reset later', (t) => {
  const { file, recorder: first } = open(t);
  const recorder = openRecorder(file);
  t.after(() => recorder.close());
  talk(first, 'damaged');
  first.store.database.run("UPDATE chat_sessions SET metadata_json = '{'");
  first.store.database.get('BEGIN IMMEDIATE');
  const started = performance.now();
  assert.throws(() => recorder.listSessions({ limit: 9 }), BusyError);
  assert.ok(performance.now() - started < 4_900, "SQLite's own wait is 5 s");
  first.store.database.get('COMMIT');
  assert.equal(recorder.listSessions({ limit: 9 }).sessions.length, 1);
});

test('rules of a session that cannot be read any more ask about everything', (t) => {
  const { recorder } = open(t);
  const id = talk(recorder, 'damaged');
  assert.deepEqual(recorder.permissions(id), []);
  for (const value of ['[{"permission', '{}', Buffer.from([1])]) {
    recorder.store.database.run('UPDATE chat_sessions SET permissions_json = ?', value);
    assert.deepEqual(recorder.permissions(id), [{ permission: '*', pattern: '*', action: 'ask' }]);
  }
});

test('a counter of a damaged or imported session counts from one', (t) => {
  const { recorder } = open(t);
  for (const counters of ['x', [1], 5, null, { calls: 'x' }, { calls: { a: 1 } }]) {
    const { id } = recorder.createSession({ agent: 'a', cwd: '/w', metadata: { counters } });
    assert.deepEqual([recorder.count(id, 'calls'), recorder.count(id, 'calls')], [1, 2]);
  }
});
