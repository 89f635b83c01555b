import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createStatCache } from '../../../../src/base/disk/statCache.ts';
import { temporary } from '../../host/harness.ts';
import { awaitTick } from './awaitTick.ts';

/** A minute later, so that no file of the test is young. */
const later = () => Date.now() + 60_000;

async function open(t: TestContext, now: () => number) {
  const folder = await temporary(t);
  const probe = await temporary(t);
  const reads: string[] = [];
  const cache = createStatCache(
    (file, stats) => {
      reads.push(path.basename(file));
      return stats.isDirectory() ? readdirSync(file).join() : readFileSync(file, 'utf8');
    },
    { now },
  );
  const at = (name: string) => path.join(folder, name);
  const get = (name: string) => {
    const value = cache.get(at(name));
    awaitTick(path.join(probe, 'file'));
    return value;
  };
  return { at, get, reads };
}

test('a file is read again only when it has changed', async (t) => {
  const { at, get, reads } = await open(t, later);
  assert.equal(get('f'), undefined);
  writeFileSync(at('f'), 'one');
  assert.deepEqual([get('f'), get('f'), reads.length], ['one', 'one', 1]);
  writeFileSync(at('f'), 'two');
  assert.deepEqual([get('f'), get('f'), reads.length], ['two', 'two', 2]);
  rmSync(at('f'));
  assert.equal(get('f'), undefined);
});

test('a change counts whatever time the file shows, and another file in its place', async (t) => {
  const { at, get } = await open(t, later);
  const time = new Date(2001, 1);
  const write = (name: string, text: string) => {
    writeFileSync(at(name), text);
    utimesSync(at(name), time, time);
  };
  write('f', 'one');
  assert.equal(get('f'), 'one');
  write('f', 'two');
  assert.equal(get('f'), 'two');
  write('other', 'six');
  renameSync(at('other'), at('f'));
  assert.equal(get('f'), 'six');
});

test('a folder is listed again when a name in it changes', async (t) => {
  const { at, get, reads } = await open(t, later);
  mkdirSync(at('d'));
  assert.deepEqual([get('d'), get('d'), reads.length], ['', '', 1]);
  symlinkSync('/nonexistent', at('d/link'));
  assert.equal(get('d'), 'link');
  renameSync(at('d/link'), at('d/other'));
  assert.equal(get('d'), 'other');
});

test('young and large files are read each time', async (t) => {
  const young = await open(t, Date.now);
  writeFileSync(young.at('f'), 'one');
  assert.deepEqual([young.get('f'), young.get('f'), young.reads.length], ['one', 'one', 2]);
  const old = await open(t, later);
  writeFileSync(old.at('f'), 'x'.repeat(70_000));
  assert.deepEqual(
    [old.get('f')?.length, old.get('f')?.length, old.reads.length],
    [70_000, 70_000, 2],
  );
});

test('what can no longer be read is not remembered', async (t) => {
  const { at, get } = await open(t, later);
  writeFileSync(at('f'), 'one');
  assert.equal(get('f'), 'one');
  rmSync(at('f'));
  mkdirSync(at('f'));
  chmodSync(at('f'), 0o755);
  assert.equal(get('f'), '');
  rmSync(at('f'), { recursive: true });
  symlinkSync('f', at('f'));
  assert.throws(() => get('f'), { code: 'ELOOP' });
});
