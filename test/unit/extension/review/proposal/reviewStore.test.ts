import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { ReviewStorage } from '../../../../../src/extension/review/proposal/reviewStorage.ts';
import {
  ReviewStore,
  SAVE_DELAY,
} from '../../../../../src/extension/review/proposal/reviewStore.ts';
import { FakeClock } from '../../fakeClock.ts';

const CALL = { sessionId: 'one', toolCallId: 'call-1' };
const CHANGE = {
  call: CALL,
  path: '/w/a',
  kind: 'edit',
  baseText: 'a\n',
  proposedText: 'b\n',
} as const;

test('a crash loses at most what was typed within the delay', async (t) => {
  const { open } = prepare(t);
  const { store, clock } = open();
  const [file] = await store.propose([CHANGE]);
  assert.ok(file);
  await store.keep(file);
  const [hunk] = file.hunks;
  file.mark(hunk?.key ?? '', true);
  file.edit(() => 'b\nmine\n');
  clock.tick(SAVE_DELAY);
  file.edit(() => 'b\nmine\nlost\n');
  await store.settled();
  const found = await open().store.find(CALL, '/w/a');
  assert.equal(found?.text, 'b\nmine\n');
  assert.equal(found.current, 'a\n');
});

test('the same proposal has the text that was typed, and another one has its own', async (t) => {
  const { open } = prepare(t);
  const { store } = open();
  const [file] = await store.propose([CHANGE]);
  file?.edit(() => 'mine\n');
  await store.flush();
  const again = open().store;
  assert.equal((await again.propose([CHANGE]))[0]?.text, 'mine\n');
  assert.equal((await again.propose([{ ...CHANGE, proposedText: 'c\n' }]))[0]?.text, 'c\n');
});

test('only the user can read what is stored, and a removed call leaves nothing', async (t) => {
  const { open, folder } = prepare(t);
  const { store } = open();
  const [file] = await store.propose([CHANGE]);
  assert.ok(file);
  await store.keep(file);
  const [name = ''] = readdirSync(folder);
  assert.equal(statSync(path.join(folder, name)).mode & 0o077, 0);
  for (const each of readdirSync(path.join(folder, name))) {
    assert.equal(statSync(path.join(folder, name, each)).mode & 0o077, 0, each);
  }
  await store.remove(CALL);
  assert.deepEqual(readdirSync(folder), []);
  assert.equal(await store.find(CALL, '/w/a'), undefined);
});

test('a proposal that nobody opened or changed is not stored', async (t) => {
  const { open } = prepare(t);
  const { store } = open();
  await store.propose([CHANGE]);
  await store.flush();
  assert.equal(await open().store.find(CALL, '/w/a'), undefined);
});

function prepare(t: TestContext) {
  const root = mkdtempSync(path.join(tmpdir(), 'gatehouse-reviews-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const folder = path.join(root, 'reviews');
  const open = () => {
    const clock = new FakeClock();
    const onError = (error: unknown) => assert.fail(String(error));
    const storage = new ReviewStorage(folder);
    return { clock, store: new ReviewStore({ storage, clock, onError }) };
  };
  return { open, folder };
}
