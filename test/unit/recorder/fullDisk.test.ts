import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from './openRecorder.ts';

test('DU-023 on a full disk a message is refused with the reason, and goes through when there is room', (t) => {
  const { recorder, second } = open(t);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const { database } = recorder.store;
  const say = (text: string) => recorder.addUserMessage(id, [{ type: 'text', text }]);
  say('before');
  // SQLite's own limit fails as a disk without room does, with SQLITE_FULL.
  const pages = Number(database.get('PRAGMA page_count')?.['page_count']);
  database.get(`PRAGMA max_page_count = ${pages}`);
  assert.throws(() => say('x'.repeat(200_000)), /full/);
  assert.equal(recorder.messages(id).length, 1);
  database.get('PRAGMA max_page_count = 1000000');
  say('after');
  assert.deepEqual(
    second()
      .messages(id)
      .map(({ parts: [part] }) => part?.type === 'text' && part.text),
    ['before', 'after'],
  );
  assert.deepEqual(Object.values(database.get('PRAGMA integrity_check') ?? {}), ['ok']);
});
