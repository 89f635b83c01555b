import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  hashRegular,
  readRegular,
  readRegularText,
} from '../../../../src/base/disk/readRegular.ts';
import { temporary } from '../../host/harness.ts';

test('a missing file, and one below a file, are absent', async (t) => {
  const folder = await temporary(t);
  writeFileSync(path.join(folder, 'f'), '');
  for (const name of ['gone', 'f/below']) {
    assert.deepEqual(readRegular(path.join(folder, name)), { state: 'absent' });
    assert.deepEqual(await hashRegular(path.join(folder, name)), { state: 'absent' });
  }
});

test('exactly the limit is read, one byte more is not', async (t) => {
  const file = path.join(await temporary(t), 'f');
  writeFileSync(file, '12345');
  assert.deepEqual(readRegular(file, 5), { state: 'read', bytes: Buffer.from('12345') });
  assert.equal(readRegular(file, 4).state, 'unreadable');
});

test('a file that reports no size is read up to the limit', {
  skip: process.platform !== 'linux' && 'no /proc',
}, () => {
  assert.equal(readRegular('/proc/self/status').state, 'read');
  assert.equal(readRegular('/proc/self/status', 10).state, 'unreadable');
});

test('a byte order mark is no text', async (t) => {
  const file = path.join(await temporary(t), 'f');
  writeFileSync(file, '\uFEFFa');
  const read = readRegularText(file);
  assert.equal(read.state === 'read' && read.text, 'a');
});

test('a hash of a large file does not block the host, and can be cancelled', async (t) => {
  const file = path.join(await temporary(t), 'f');
  writeFileSync(file, '');
  truncateSync(file, 400_000_000);
  const controller = new AbortController();
  let turns = 0;
  const timer = setInterval(() => {
    turns++;
    if (turns === 3) controller.abort();
  }, 1);
  t.after(() => clearInterval(timer));
  await assert.rejects(hashRegular(file, controller.signal), { name: 'AbortError' });
  assert.ok(turns >= 3);
});

test('a file over the limit of hashing is unreadable, not partly hashed', async (t) => {
  const file = path.join(await temporary(t), 'f');
  writeFileSync(file, '');
  truncateSync(file, 3_000_000_000);
  assert.equal((await hashRegular(file)).state, 'unreadable');
});

test('small files take no large buffers', async (t) => {
  const file = path.join(await temporary(t), 'f');
  writeFileSync(file, 'x'.repeat(10_000));
  const before = process.memoryUsage().arrayBuffers;
  for (let round = 0; round < 8; round++) readRegular(file);
  await Promise.all(Array.from({ length: 8 }, () => hashRegular(file)));
  const taken = process.memoryUsage().arrayBuffers - before;
  assert.ok(taken < 2_000_000, `${taken} bytes`);
});
