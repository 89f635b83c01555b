import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { StoredMessage } from '../../../../src/base/stream/stored.ts';
import { openDatabase } from '../../../../src/recorder/file/database.ts';
import { openRecorder, type Recorder } from '../../../../src/recorder/recorder.ts';
import { sizeOf } from '../../../workbench/sizes.ts';
import { createRandom } from '../../random.ts';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);

check('is no database at all', () => Buffer.from('this is not a database, '.repeat(100)), 0);
check('has a broken schema', (bytes) => bytes.fill(0xff, 100, 300), 0);
check('was cut short', (bytes) => bytes.subarray(0, 10_000), 0);
check('has broken pages in its middle', (bytes) => breakPages(bytes, [40, 41, 42]), 400);
check('has a broken page at its end', (bytes) => bytes.fill(0xff, bytes.length - 8192), 400);

/** `least`: rows that must be kept of 500. */
function check(what: string, damage: (bytes: Buffer) => Uint8Array, least: number) {
  test(`a file that ${what} is set aside whole, salvaged, and said`, async (context) => {
    const file = temporary(context);
    const database = openDatabase(file, () => NOW);
    const sql = 'INSERT INTO chat_sessions (id, agent, created_at, updated_at) VALUES (?, ?, 0, 0)';
    for (let count = 0; count < 500; count++) database.run(sql, `ses_${count}`, 'x'.repeat(200));
    database.close();
    const damaged = damage(readFileSync(file));
    writeFileSync(file, damaged);

    const again = openDatabase(file, () => NOW);
    context.after(() => again.close());
    assert.throws(() => again.all('SELECT 1'), /is being repaired.*try again/);
    await again.free();

    const [notice, ...others] = again.notices;
    assert.deepEqual(others, []);
    const aside = `${file}.damaged-2026-11-21T12-00-00-000Z`;
    assert.equal(notice?.includes(aside), true);
    assert.equal(Buffer.compare(readFileSync(aside), damaged), 0);
    const rows = again.all('SELECT * FROM chat_sessions');
    assert.equal(rows.length >= least, true, `${rows.length} rows were kept`);
    assert.equal(
      rows.every(({ agent }) => agent === 'x'.repeat(200)),
      true,
    );
    assert.match(notice ?? '', rows.length === 0 ? /Nothing in it/ : /Kept: \d+ sessions/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });
}

test('damage that is found in use is repaired, in every live window, and each session goes on', async (context) => {
  const file = temporary(context);
  const first = openRecorder(file);
  const second = openRecorder(file);
  context.after(() => {
    first.close();
    second.close();
  });
  const sessions = fillRecorder(first, 40);
  const before = sessions.map((id) => first.messages(id));
  const live = first.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  const turn = first.openTurn(live);
  assert.ok(turn.ok);
  turn.data.record({ type: 'tool-input-available', toolCallId: 'c', toolName: 'bash', input: {} });
  checkpoint(file);
  damageFile(file, (bytes) =>
    breakPages(
      bytes,
      Array.from({ length: 30 }, (_, at) => 30 + at),
    ),
  );

  assert.throws(() => {
    // The pages of one of them are broken.
    for (const id of sessions) openFresh(second, id);
  }, /is being repaired/);
  await second.free();
  await first.free();

  const [notice, ...others] = second.notices;
  assert.match(
    notice ?? '',
    /was damaged\. Kept: \d+ sessions with \d+ messages; some rows could not be read/,
  );
  assert.deepEqual(others, []);
  const after = sessions.flatMap((id) => second.messages(id));
  const whole = before.flat();
  assert.equal(
    after.length > whole.length / 3 && after.length < whole.length,
    true,
    `${after.length}`,
  );
  for (const message of after) {
    const known = whole.find(({ id }) => id === message.id);
    for (const part of message.parts) {
      assert.deepEqual(
        part,
        known?.parts.find(({ id }) => id === part.id),
      );
    }
  }
  for (const id of sessions) assertOrdered(second.messages(id), before.flat());

  // The other host follows, and its running turn loses nothing.
  const output = { type: 'output', data: 'done', metadata: { duration_ms: 1 } } as const;
  turn.data.record({ type: 'tool-output-available', toolCallId: 'c', output });
  assert.equal(turn.data.close(), true);
  assert.match(first.notices[0] ?? '', /another window has replaced it/);
  assert.deepEqual(
    second.messages(live)[0]?.parts.map(({ type }) => type),
    ['tool-bash'],
  );
  first.addUserMessage(live, [{ type: 'text', text: 'on' }]);
  assert.equal(second.messages(live).length, 2);
});

test('a session whose row is lost comes back with the window that has it open', async (context) => {
  const file = temporary(context);
  const recorder = openRecorder(file);
  context.after(() => recorder.close());
  const { id } = recorder.createSession({ agent: 'mine', cwd: '/work', title: 'Kept' });
  recorder.addUserMessage(id, [{ type: 'text', text: 'hello' }]);
  checkpoint(file);
  writeFileSync(file, 'not a database');
  assert.throws(() => recorder.messages(id), /being repaired/);
  await recorder.free();
  const found = recorder.session(id);
  assert.deepEqual([found?.agent, found?.cwd, found?.title], ['mine', '/work', 'Kept']);
  assert.equal(recorder.openTurn(id).ok, true);
});

test('messages whose session row is lost are kept under a session without a folder', async (context) => {
  const file = temporary(context);
  const recorder = openRecorder(file);
  const [id = ''] = fillRecorder(recorder, 3);
  recorder.close();
  const database = openDatabase(file, () => NOW);
  const { root } =
    database.get("SELECT rootpage AS root FROM sqlite_master WHERE name = 'chat_sessions'") ?? {};
  database.close();
  damageFile(file, (bytes) => breakPages(bytes, [Number(root) - 1]));
  const again = openRecorder(file);
  context.after(() => again.close());
  await again.repaired();
  const session = again.session(id);
  assert.deepEqual([session?.title, session?.cwd], ['Recovered session', '']);
  assert.equal(again.messages(id).length, 20);
});

test('parts whose message row is lost keep their place and their side', async (context) => {
  const file = temporary(context);
  const recorder = openRecorder(file);
  const [id = ''] = fillRecorder(recorder, 2);
  const before = recorder.messages(id);
  recorder.close();
  const database = openDatabase(file, () => NOW);
  database.get('PRAGMA foreign_keys = OFF');
  const lost = before.slice(6, 10).map((message) => message.id);
  database.run(`DELETE FROM chat_messages WHERE id IN ('${lost.join("','")}')`);
  database.close();
  // Damage elsewhere, for the repair to start.
  damageFile(file, (bytes) => breakPages(bytes, [pageOf(file, 'chat_changes')]));
  const again = openRecorder(file);
  context.after(() => again.close());
  await again.repaired();
  const after = again.messages(id);
  assert.deepEqual(
    after.map((message) => [message.id, message.role, message.parts]),
    before.map((message) => [message.id, message.role, message.parts]),
  );
});

for (const garbage of ['\t\t\t\t', '', 'zzzz']) {
  test(`a part that names the damaged message ${JSON.stringify(garbage)} moves no other message`, async (context) => {
    const file = temporary(context);
    const recorder = openRecorder(file);
    const ids = fillRecorder(recorder, 3);
    const before = ids.map((id) => recorder.messages(id).map((message) => message.id));
    recorder.close();
    const database = openDatabase(file, () => NOW);
    database.get('PRAGMA foreign_keys = OFF');
    // All of one session but its newest two, as where a page of the table is lost, and a part elsewhere.
    const lost = before[1]?.slice(0, -2) ?? [];
    database.run(`DELETE FROM chat_messages WHERE id IN ('${lost.join("','")}')`);
    database.run(
      `UPDATE chat_parts SET message_id = '${garbage}' WHERE message_id = '${before[2]?.at(-1)}'`,
    );
    database.close();
    damageFile(file, (bytes) => breakPages(bytes, [pageOf(file, 'chat_changes')]));
    const again = openRecorder(file);
    context.after(() => again.close());
    await again.repaired();
    const after = ids.map((id) => again.messages(id).map((message) => message.id));
    assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
    // What its part holds stays readable, behind the messages whose place is known.
    assert.deepEqual(after[2], [...(before[2] ?? []), garbage]);
  });
}

test('a history that is removed while it is in use begins anew, and open sessions go on', async (context) => {
  const file = temporary(context);
  const recorder = openRecorder(file);
  context.after(() => recorder.close());
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(file + suffix)) unlinkSync(file + suffix);
  recorder.addUserMessage(id, [{ type: 'text', text: 'still here' }]);
  assert.match(recorder.notices[0] ?? '', /was removed while Gatehouse was running/);
  const other = openRecorder(file);
  context.after(() => other.close());
  assert.equal(other.messages(id).length, 1);
});

test('an empty file is said, and what lies beside it is kept', (context) => {
  const file = temporary(context);
  openRecorder(file).close();
  truncateSync(file);
  writeFileSync(`${file}-wal`, 'a log');
  const recorder = openRecorder(file);
  context.after(() => recorder.close());
  assert.match(recorder.notices[0] ?? '', /was empty \(0 bytes\).*A new one was begun/);
  assert.equal(recorder.createSession({ agent: 'a', cwd: '/a' }).agent, 'a');
  const kept = readdirSync(path.dirname(file)).find(
    (name) => name.endsWith('-wal') && name.includes('damaged'),
  );
  assert.equal(readFileSync(path.join(path.dirname(file), kept ?? ''), 'utf8'), 'a log');
});

test('a new history says nothing', (context) => {
  const recorder = openRecorder(temporary(context));
  context.after(() => recorder.close());
  assert.deepEqual(recorder.notices, []);
});

test('damage in a file that is too large to be checked at the start is found by the check', async (context) => {
  const file = temporary(context);
  const recorder = openRecorder(file);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const text = 'x'.repeat(1 << 20);
  for (let count = 0; count < 10; count++) recorder.addUserMessage(id, [{ type: 'text', text }]);
  recorder.close();
  damageFile(file, (bytes) => breakPages(bytes, [pageOf(file, 'chat_entries')]));
  const again = openRecorder(file);
  context.after(() => again.close());
  assert.deepEqual(again.notices, []);
  await again.checkDamage();
  assert.match(again.notices[0] ?? '', /was damaged\. Kept: 1 session with 10 messages/);
  assert.equal(again.messages(id).length, 10);
  await again.checkDamage();
  assert.equal(again.notices.length, 1, 'once a day');
});

test('whatever bytes are broken, what is read afterwards was written, and the history can be used', async (context) => {
  const random = createRandom(1603);
  const file = temporary(context);
  const source = `${file}.whole`;
  const recorder = openRecorder(source);
  const sessions = fillRecorder(recorder, 20);
  const known = new Map(
    sessions.flatMap((id) => recorder.messages(id)).map((each) => [each.id, each]),
  );
  recorder.close();
  const whole = readFileSync(source);
  for (let round = 0; round < sizeOf(12, 200); round++) {
    const bytes = Buffer.from(whole);
    const holes = 1 + random(6);
    for (let hole = 0; hole < holes; hole++) {
      const at = random(bytes.length / 512) * 512;
      bytes.fill(random(256), at, at + 512 * (1 + random(8)));
    }
    for (const name of readdirSync(path.dirname(file))) {
      if (name.startsWith('gatehouse.db') && !name.includes('whole'))
        rmSync(path.join(path.dirname(file), name));
    }
    writeFileSync(file, bytes);
    const again = openRecorder(file);
    try {
      await again.repaired();
      for (const { id } of again.listSessions({ limit: 50 }).sessions) {
        await readUntilSound(again, id);
      }
      await again.free();
      const { id } = again.createSession({ agent: 'gatehouse', cwd: '/a' });
      assert.equal(again.openTurn(id).ok, true, `round ${round}`);
      for (const session of sessions) assertOrdered(again.messages(session), [...known.values()]);
    } finally {
      again.close();
    }
  }
});

async function readUntilSound(recorder: Recorder, id: string): Promise<void> {
  try {
    recorder.messages(id);
  } catch (error) {
    assert.match(String(error), /being repaired/);
    await recorder.repaired();
  }
}

/** Sessions of twenty messages with texts that differ. */
function fillRecorder(recorder: Recorder, count: number): string[] {
  return Array.from({ length: count }, (_, number) => {
    const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
    for (let turn = 0; turn < 10; turn++) {
      recorder.addUserMessage(id, [{ type: 'text', text: `${number}.${turn} ${'q'.repeat(300)}` }]);
      const record = recorder.openTurn(id);
      assert.ok(record.ok);
      record.data.record(
        { type: 'text-start', id: 't' },
        { type: 'text-delta', id: 't', delta: `${number}.${turn} ${'a'.repeat(900)}` },
        { type: 'text-end', id: 't' },
        { type: 'finish', finishReason: 'stop' },
      );
      record.data.close();
    }
    return id;
  });
}

/** A cached history would hide what the file holds. */
function openFresh(recorder: Recorder, id: string): void {
  recorder.messagePage(id, { limit: 100 });
}

function assertOrdered(found: readonly StoredMessage[], known: readonly StoredMessage[]): void {
  const places = found.map(({ id }) => known.findIndex((each) => each.id === id));
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
}

function breakPages(bytes: Buffer, pages: readonly number[]): Buffer {
  for (const page of pages) bytes.fill(0xff, page * 4096, (page + 1) * 4096);
  return bytes;
}

/** Keeps the file itself, as broken hardware does. */
function damageFile(file: string, damage: (bytes: Buffer) => Uint8Array): void {
  writeFileSync(file, damage(readFileSync(file)));
}

/** So that the damage is not hidden by the log. */
function checkpoint(file: string): void {
  const database = openDatabase(file, () => NOW);
  database.get('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** The number of a table's first page, from 0. */
function pageOf(file: string, table: string): number {
  const database = openDatabase(file, () => NOW);
  const sql = 'SELECT rootpage AS root FROM sqlite_master WHERE name = ?';
  const { root } = database.get(sql, table) ?? {};
  database.close();
  return Number(root) - 1;
}

function temporary(context: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-damage-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return path.join(folder, 'gatehouse.db');
}
