import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import {
  createFileClock,
  findUntimed,
  hasOtherClock,
  notesWholeSeconds,
} from '../../../../src/runtime/sandbox/changes/fileClock.ts';
import { readChanges } from '../../../../src/runtime/sandbox/changes/readChanges.ts';

const MS = 1_000_000n;
const START = 1_700_000_000_000n * MS;

/** A clock of files beside one that nobody sets, both moved by the test. */
function open() {
  let [wall, mono] = [START, 5_000];
  const clock = createFileClock(
    '/none',
    () => wall,
    () => mono,
  );
  return {
    clock,
    pass(ms: number, step = 0) {
      wall += BigInt(ms + step) * MS;
      mono += ms;
    },
  };
}

test('a clock that is set back is noticed, and by how much', () => {
  const { clock, pass } = open();
  assert.equal(clock.read(), START);
  pass(1000);
  clock.read();
  assert.equal(clock.setBack(), 0n);
  pass(2000, -5000);
  clock.read();
  const back = clock.setBack();
  assert.ok(back >= 5000n * MS && back < 5100n * MS, `${back}`);
});

test('a clock that is set forward, as after sleep, or read by a busy machine is not taken for one that is set back', () => {
  const { clock, pass } = open();
  clock.read();
  pass(10, 3_600_000);
  clock.read();
  pass(10, -15);
  clock.read();
  assert.equal(clock.setBack(), 0n);
  let times = 0;
  const slow = createFileClock(
    '/none',
    () => START + BigInt(times) * MS,
    () => {
      times += 700;
      return times;
    },
  );
  for (let at = 0; at < 5; at += 1) slow.read();
  assert.equal(slow.setBack(), 0n);
});

test('the file systems of servers and of shares are known, and those of this machine are', () => {
  const shared = [0x6969, 0xff534d42, 0xff534d42 | 0, 0xfe534d42, 0x65735546, 0x01021997];
  for (const type of shared) assert.equal(hasOtherClock('/none', type), true, type.toString(16));
  for (const type of [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1]) {
    assert.equal(hasOtherClock('/none', type), false, type.toString(16));
  }
});

test('a file system that notes whole seconds is told from one whose folder happens to have such a time', (t) => {
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-clock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(path.join(folder, 'a'), '');
  assert.equal(findUntimed(folder), undefined);
  assert.equal(
    notesWholeSeconds(folder, () => START),
    true,
  );
  const isFolder = (file: string) => file === folder;
  assert.equal(
    notesWholeSeconds(folder, (file) => (isFolder(file) ? START : START + 1n)),
    false,
  );
  assert.equal(
    notesWholeSeconds(folder, (file) => (isFolder(file) ? START + 1n : START)),
    false,
  );
});

test('a file that is saved after the clock was set back is a conflict', async (t) => {
  const base = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-clock-'));
  t.after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const [folder, upper] = [path.join(base, 'ws'), path.join(base, 'u')];
  for (const each of [folder, upper]) {
    mkdirSync(each);
    writeFileSync(path.join(each, 'a'), each);
  }
  const saved = statSync(path.join(folder, 'a'), { bigint: true }).ctimeNs;
  const hour = 3_600_000n * MS;
  const isConflict = async (since: bigint, setBack: bigint) => {
    const copied = { folder, upper, since, first: since, setBack, had: () => true };
    const listMerged = async () => Buffer.alloc(0);
    const read = await readChanges({ ...copied, listMerged }, new AbortController().signal);
    return read?.changes.map((change) => change.isConflict);
  };
  // The command began an hour later by the clock of then, and a minute before it was set back.
  const began = saved + hour;
  assert.deepEqual(await isConflict(began, 0n), [false]);
  const back = hour + 60_000n * MS;
  assert.deepEqual(await isConflict(began - back, back), [true]);
});
