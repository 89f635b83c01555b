import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

test('CS-36: an edited plan outlives the window, as a document', async (t) => {
  const { open } = prepare(t);
  const plan = { ...CHANGE, kind: 'document', baseText: '', proposedText: '# Plan\n' } as const;
  const { store } = open();
  const [file] = await store.propose([plan]);
  file?.edit(() => '# Mine\n');
  await store.flush();
  const found = await open().store.find(CALL, '/w/a');
  assert.deepEqual([found?.change.kind, found?.text], ['document', '# Mine\n']);
  assert.equal((await open().store.propose([plan]))[0]?.text, '# Mine\n');
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

test('a stored review that is cut short is proposed anew', async (t) => {
  const { open, folder } = prepare(t);
  const { store } = open();
  const [file] = await store.propose([CHANGE]);
  file?.edit(() => 'mine\n');
  await store.flush();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.json')) writeFileSync(path.join(folder, name), '{"kind":');
  }
  assert.equal((await open().store.propose([CHANGE]))[0]?.text, 'b\n');
});

test('what could not be stored is stored as soon as the disk can take it', async (t) => {
  const errors: unknown[] = [];
  const { open, folder } = prepare(t, (error) => errors.push(error));
  const { store, clock } = open();
  // Nothing can be created below a file, as on a full disk.
  writeFileSync(folder, '');
  const [file] = await store.propose([CHANGE]);
  assert.ok(file);
  await store.keep(file);
  assert.equal(errors.length, 1);
  rmSync(folder);
  file.edit(() => 'mine\n');
  clock.tick(SAVE_DELAY);
  await store.settled();
  assert.equal((await open().store.propose([CHANGE]))[0]?.text, 'mine\n');
});

test('a disk that becomes full leaves what was stored, and is told', (t) => {
  const root = mkdtempSync(path.join(tmpdir(), 'gatehouse-reviews-'));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const program = path.join(import.meta.dirname, 'fullDiskReview.ts');
  // It fails in the middle of a write, as a full disk does.
  const { stdout, stderr } = spawnSync(
    'bash',
    ['-c', 'ulimit -f 16; exec "$@"', 'bash', process.execPath, program, root],
    { encoding: 'utf8' },
  );
  assert.deepEqual(
    JSON.parse(stdout || JSON.stringify(stderr)),
    { text: 'mine\n', files: ['base', 'json', 'proposed', 'text'], errors: 1, later: 'again\n' },
    stderr,
  );
});

test('typed text is stored again after its folder was removed', async (t) => {
  const { open, folder } = prepare(t);
  const { store } = open();
  const [file] = await store.propose([CHANGE]);
  file?.edit(() => 'one\n');
  await store.flush();
  rmSync(folder, { recursive: true });
  file?.edit(() => 'two\n');
  await store.flush();
  assert.equal((await open().store.propose([CHANGE]))[0]?.text, 'two\n');
});

test('a proposal with half a character has the text that was typed after a reload', async (t) => {
  const { open } = prepare(t);
  const { store } = open();
  const change = { ...CHANGE, proposedText: 'b\ud83d\n' };
  const [file] = await store.propose([change]);
  file?.edit(() => 'mine\n');
  await store.flush();
  assert.equal((await open().store.propose([change]))[0]?.text, 'mine\n');
});

test('two windows that store the same review at once leave one whole text', async (t) => {
  const { open } = prepare(t);
  const texts = ['one '.repeat(500_000), 'two '.repeat(400_000)];
  const stores = texts.map(() => open().store);
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(
      stores.map(async (store, at) => {
        const [file] = await store.propose([CHANGE]);
        file?.edit(() => `${texts[at]}${round}`);
        await store.flush();
      }),
    );
    const found = (await open().store.find(CALL, '/w/a'))?.text ?? '';
    assert.ok(
      texts.some((text) => found === `${text}${round}`),
      `a text of ${found.length} characters`,
    );
  }
});

function prepare(t: TestContext, onError: (error: unknown) => void = failed) {
  const root = mkdtempSync(path.join(tmpdir(), 'gatehouse-reviews-'));
  t.after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const folder = path.join(root, 'reviews');
  const open = () => {
    const clock = new FakeClock();
    const storage = new ReviewStorage(folder);
    return { clock, store: new ReviewStore({ storage, clock, onError }) };
  };
  return { open, folder };
}

function failed(error: unknown): never {
  assert.fail(String(error));
}
