import assert from 'node:assert/strict';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { StoredMessage } from '../../../../src/base/stream/stored.ts';
import { openDatabase } from '../../../../src/recorder/file/database.ts';
import { repairFile } from '../../../../src/recorder/file/repairFile.ts';
import { MIGRATIONS } from '../../../../src/recorder/file/schema.ts';
import { forkSession } from '../../../../src/recorder/library/forkSession.ts';
import { removeSession } from '../../../../src/recorder/library/removeSession.ts';
import { openRecorder, type Recorder } from '../../../../src/recorder/recorder.ts';
import { CALL, OUTPUT, open, openTurn } from '../openRecorder.ts';

/** More than one row of a text holds, and than two do. */
const LONG = Array.from({ length: 3000 }, (_, count) => `word${count}`).join(' ');

test('a continued turn keeps the texts of its earlier process when another host replaces the file', async (t) => {
  const { file, reopen, sessionId, messages } = continued(t);
  const recorder = reopen();
  const before = recorder.messages(sessionId);
  const turn = recorder.continueTurn(sessionId);
  assert.ok(turn.ok && turn.data);
  replaceFile(file);
  await follow(recorder);
  assert.deepEqual(messages(recorder), before);
  turn.data.record.record({ type: 'tool-output-available', toolCallId: 'c1', output: OUTPUT });
  assert.equal(turn.data.record.close(), true);
  assert.deepEqual(texts(messages(recorder)), ['Before. ', LONG]);
});

test('a continued turn is stored whole and in order when the file is lost', async (t) => {
  const { file, reopen, sessionId, messages } = continued(t);
  const recorder = reopen();
  const before = recorder.messages(sessionId);
  recorder.session(sessionId);
  assert.ok(recorder.continueTurn(sessionId).ok);
  removeFile(file);
  await follow(recorder);
  assert.deepEqual(
    messages(recorder).map(({ parts }) => parts),
    before.map(({ parts }) => parts),
  );
});

test('a long text that runs is stored whole when the file is lost', async (t) => {
  const { recorder, file, turn, sessionId } = openTurn(t);
  turn.record({ type: 'start-step' }, { type: 'text-start', id: 't' });
  for (const delta of LONG.match(/.{1,500}/gs) ?? []) {
    turn.record({ type: 'text-delta', id: 't', delta });
  }
  turn.flush();
  removeFile(file);
  await follow(recorder);
  assert.deepEqual(texts(recorder.messages(sessionId)), [LONG]);
  turn.record({ type: 'text-delta', id: 't', delta: ' end' }, { type: 'text-end', id: 't' });
  turn.close();
  assert.deepEqual(texts(recorder.messages(sessionId)), [`${LONG} end`]);
});

test('a deleted session stays deleted when the file is lost', async (t) => {
  const { recorder, file } = open(t);
  const [deleted, kept] = [1, 2].map(() => recorder.createSession({ agent: 'mine', cwd: '/a' }).id);
  assert.ok((await removeSession(recorder.store, deleted ?? '')).ok);
  removeFile(file);
  await follow(recorder);
  assert.deepEqual(
    recorder.listSessions({ limit: 9 }).sessions.map(({ id }) => id),
    [kept],
  );
});

test('turns go on in a new file also while a session is copied whose rows were lost', async (t) => {
  const { recorder, file, turn, sessionId } = openTurn(t);
  turn.record({ type: 'start-step' }, ...say('a', 'Before. '));
  const copied = recorder.createSession({ agent: 'mine', cwd: '/a' });
  recorder.addUserMessage(copied.id, [{ type: 'text', text: 'one' }]);
  const forking = forkSession(recorder.store, copied.id);
  removeFile(file);
  const forked = await forking;
  assert.match(forked.ok ? '' : forked.error, /The session is gone/);
  turn.record(...say('b', 'After.'));
  assert.deepEqual(texts(recorder.messages(sessionId)), ['Before. ', 'After.']);
});

test('a number that was damaged costs neither its row nor the list of all sessions', (t) => {
  const { recorder, file, clock } = open(t);
  const ids = ['9223372036854775807', '9000000000000000'].map((broken) => {
    const { id } = recorder.createSession({ agent: 'mine', cwd: '/a', title: broken });
    const { id: message } = recorder.addUserMessage(id, [{ type: 'text', text: 'kept' }]);
    const { database } = recorder.store;
    database.run(`UPDATE chat_sessions SET updated_at = ${broken} WHERE id = ?`, id);
    database.run(`UPDATE chat_parts SET created_at = ${broken} WHERE message_id = ?`, message);
    return id;
  });
  recorder.close();
  const job = { file, identity: undefined, migrations: MIGRATIONS, now: clock.now() };
  const repaired = repairFile({ ...job, mode: 'certain' });
  assert.equal(repaired.kind === 'salvaged' && repaired.kept.whole, false);
  const again = openRecorder(file);
  t.after(() => again.close());
  const { sessions } = again.listSessions({ limit: 9 });
  assert.deepEqual(
    sessions.map((each) => [each.id, each.title, new Date(each.updatedAt).getTime()]).sort(),
    ids.map((id, at) => [id, ['9223372036854775807', '9000000000000000'][at], 0]).sort(),
  );
  for (const id of ids) assert.deepEqual(texts(again.messages(id)), ['kept']);
});

/** A session whose turn broke off while it asked, after a short and a long text. */
function continued(t: TestContext) {
  const opened = open(t);
  const { recorder } = opened;
  const sessionId = recorder.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  const turn = recorder.openTurn(sessionId);
  assert.ok(turn.ok);
  turn.data.record(
    { type: 'start-step' },
    ...say('a', 'Before. '),
    { type: 'start-step' },
    ...say('b', LONG),
    { type: 'tool-input-available', ...CALL, input: {} },
    { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'a' },
  );
  turn.data.flush();
  return { ...opened, sessionId, messages: (from: Recorder) => from.messages(sessionId) };
}

function say(id: string, delta: string) {
  return [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta },
    { type: 'text-end', id },
  ] as const;
}

function texts(messages: readonly StoredMessage[]): readonly string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
}

/** As another host does that has salvaged all rows. */
function replaceFile(file: string): void {
  const database = openDatabase(file, () => 0);
  database.get('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  copyFileSync(file, `${file}.other`);
  removeFile(file);
  renameSync(`${file}.other`, file);
}

function removeFile(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

/** Waits until the recorder has seen that its file is another one. */
async function follow(recorder: Recorder): Promise<void> {
  await recorder.free();
  assert.equal(recorder.notices.length, 1);
}
