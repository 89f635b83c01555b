import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { clearSessions, planClear } from '../../../../src/recorder/library/clearSessions.ts';
import { removePartial, removeSession } from '../../../../src/recorder/library/removeSession.ts';
import { openRecorder, type Recorder } from '../../../../src/recorder/recorder.ts';
import { sizeOf } from '../../../workbench/sizes.ts';
import { longestStep } from '../../cpuTime.ts';
import { CALL, open } from '../openRecorder.ts';
import { addSessions, countRows } from './manySessions.ts';

/** The most that one step may take of this thread, in milliseconds of its processor time. */
const STEP_MS = 50;

test('10,000 sessions are deleted in steps of less than 50 ms, and nothing else is', async (t) => {
  const { recorder, second } = open(t);
  const ids = addSessions(recorder, 10_000);
  const [pinned = '', running = '', own = ''] = ids;
  recorder.setPinned(pinned, true);
  const other = second();
  assert.ok(other.openTurn(running).ok);
  assert.ok(recorder.openTurn(own).ok);
  const { store } = recorder;
  let count = 0;
  const most = await longestStep(async () => {
    const plan = await planClear(store, {});
    assert.deepEqual([plan.sessions.length, plan.pinned, plan.waiting], [9_997, 1, 2]);
    count = await clearSessions(store, plan);
  });
  assert.equal(count, 9_997);
  assert.ok(most < STEP_MS, `a step took ${most} ms`);
  const left = recorder.listSessions({ limit: 9, archived: true }).sessions.map(({ id }) => id);
  assert.deepEqual(new Set(left), new Set([pinned, running, own]));
  assert.deepEqual(countRows(recorder), { sessions: 3, messages: 3, parts: 3, writers: 2 });
});

test('a session stays while something in it waits for the user', async (t) => {
  const { recorder, reopen } = open(t);
  const [asking = '', proposed = '', unreviewed = '', broken = '', plain = ''] = addSessions(
    recorder,
    5,
  );
  for (const id of [asking, broken]) {
    const turn = recorder.openTurn(id);
    assert.ok(turn.ok);
    turn.data.record({ type: 'start' });
    turn.data.record({ type: 'text-start', id: 't' });
    if (id === asking) {
      turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
      turn.data.record({ type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p' });
    }
    turn.data.flush();
  }
  const { database } = recorder.store;
  database.run(
    'INSERT INTO chat_proposals (session_id, path, created_at, updated_at) VALUES (?, ?, 1, 1)',
    ...[proposed, '/a/b'],
  );
  database.run('INSERT INTO chat_unreviewed VALUES (?, ?, NULL, NULL, 1, 1)', unreviewed, '/a/b');
  // Its host was killed, and another one begins.
  const next = reopen();
  const plan = await planClear(next.store, {});
  assert.deepEqual(
    [new Set(plan.sessions.map(({ id }) => id)), plan.waiting],
    [new Set([broken, plain]), 3],
  );
});

test('what a session started goes with it, and keeps it while it runs', async (t) => {
  const { recorder } = open(t);
  const [first = '', second = ''] = addSessions(recorder, 2);
  const start = (parent: string) =>
    recorder.createSession({ agent: 'explore', cwd: '/a', parent }).id;
  const [child, running] = [start(first), start(second)];
  const grandchild = start(child);
  recorder.addUserMessage(grandchild, [{ type: 'text', text: 'look' }]);
  const turn = recorder.openTurn(running);
  assert.ok(turn.ok);
  const plan = await planClear(recorder.store, {});
  assert.deepEqual([plan.sessions.map(({ id }) => id), plan.waiting], [[first], 1]);
  assert.equal((await removeSession(recorder.store, second)).ok, false);
  const removed: string[] = [];
  await clearSessions(recorder.store, plan, { removed: (ids) => removed.push(...ids) });
  assert.deepEqual(removed, [grandchild, child, first]);
  assert.deepEqual(countRows(recorder), { sessions: 2, messages: 1, parts: 1, writers: 1 });
  turn.data.close();
  assert.deepEqual(await removeSession(recorder.store, second), {
    ok: true,
    data: [running, second],
  });
  assert.deepEqual(countRows(recorder), { sessions: 0, messages: 0, parts: 0, writers: 0 });
});

test('a session that is used, pinned or opened after the plan stays', async (t) => {
  const { recorder, clock, second } = open(t);
  const [used = '', pinned = '', opened = '', written = '', plain = ''] = addSessions(recorder, 5);
  const plan = await planClear(recorder.store, {});
  clock.advance(1);
  const other = second();
  other.addUserMessage(used, [{ type: 'text', text: 'more' }]);
  other.setTitle(used, 'More');
  other.setPinned(pinned, true);
  assert.ok(other.openTurn(written).ok);
  assert.equal(await clearSessions(recorder.store, plan, { stays: (id) => id === opened }), 1);
  assert.equal(recorder.session(plain), undefined);
  for (const id of [used, pinned, opened, written])
    assert.notEqual(recorder.session(id), undefined);
});

test('only sessions of the named folders, or those that the caller chooses, are deleted', async (t) => {
  const { recorder } = open(t);
  addSessions(recorder, 3, '/a');
  const [old = ''] = addSessions(recorder, 3, '/b');
  recorder.setArchived(old, true);
  const folder = await planClear(recorder.store, { cwds: ['/a', '/none'] });
  assert.equal(folder.sessions.length, 3);
  const archived = await planClear(recorder.store, {
    goes: (each) => each.archivedAt !== undefined,
  });
  assert.deepEqual(
    archived.sessions.map(({ id }) => id),
    [old],
  );
});

test('two hosts that delete at the same time delete each session once', async (t) => {
  const { recorder, second } = open(t);
  addSessions(recorder, 900);
  const other = second();
  const plans = [await planClear(recorder.store, {}), await planClear(other.store, {})] as const;
  const counts = await Promise.all([
    clearSessions(recorder.store, plans[0]),
    clearSessions(other.store, plans[1]),
  ]);
  assert.equal(counts[0] + counts[1], 900);
  assert.deepEqual(countRows(other), { sessions: 0, messages: 0, parts: 0, writers: 0 });
});

const KILLS = sizeOf(3, 60);

test(`${KILLS} kills within a deletion of all sessions leave whole ones, and the next host ends it`, async (t) => {
  const { file } = open(t);
  for (let kill = 0; kill < KILLS; kill++) {
    const before = use(file, (recorder) => {
      addSessions(recorder, 600);
      return countRows(recorder).sessions;
    });
    const lines = await clearAndKill(file, 1 + kill);
    const recorder = openRecorder(file);
    const left = recorder.listSessions({ limit: 10_000 }).sessions;
    assert.ok(left.length < before, `${lines} batches were deleted`);
    for (const { id } of left) {
      const [message] = recorder.messages(id);
      assert.deepEqual(
        message?.parts.map((part) => part.type === 'text' && part.text),
        [`hello ${id}`],
      );
    }
    await removePartial(recorder.store);
    const { sessions, messages, parts, writers } = countRows(recorder);
    assert.deepEqual(
      [sessions, messages, parts, writers],
      [left.length, left.length, left.length, 0],
    );
    await clearSessions(recorder.store, await planClear(recorder.store, {}));
    assert.equal(countRows(recorder).sessions, 0);
    recorder.close();
  }
});

function use<Result>(file: string, work: (recorder: Recorder) => Result): Result {
  const recorder = openRecorder(file);
  try {
    return work(recorder);
  } finally {
    recorder.close();
  }
}

/** Kills a process that deletes all sessions once it has said so many batches. */
async function clearAndKill(file: string, batches: number): Promise<number> {
  const script = path.join(import.meta.dirname, 'manySessions.ts');
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let lines = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines += text.split('\n').length - 1;
    if (lines >= batches) child.kill('SIGKILL');
  });
  await new Promise((resolve) => child.on('close', resolve));
  return lines;
}
