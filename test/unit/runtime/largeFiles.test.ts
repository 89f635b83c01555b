import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { KB, MB } from '../../../src/base/units.ts';
import { createJournal, type Journal } from '../../../src/runtime/files/journal.ts';
import { lendBytes } from '../../../src/runtime/files/lentBytes.ts';
import { createLocalFiles } from '../../../src/runtime/files/localFiles.ts';
import { until } from '../../workbench/processes.ts';
import { ALLOW_ALL, openBed } from '../tools/bed.ts';
import { dataOf, errorOf, openSession } from '../tools/session.ts';

test('a released block is lent again, and never to two at once', () => {
  const first = lendBytes(MB);
  const second = lendBytes(MB);
  assert.notEqual(first.bytes.buffer, second.bytes.buffer);
  first.release();
  first.release();
  const third = lendBytes(MB - 1);
  const fourth = lendBytes(MB);
  assert.equal(third.bytes.buffer, first.bytes.buffer);
  assert.equal(third.bytes.length, MB - 1);
  assert.notEqual(fourth.bytes.buffer, third.bytes.buffer);
});

test('large files edited and read at the same time keep their own bytes', async () => {
  using bed = openBed();
  const names = Array.from({ length: 8 }, (_, n) => `file${n}`);
  for (const name of names) writeFileSync(path.join(bed.workspace, name), toText(name, 'old'));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  await Promise.all(
    names.flatMap((name) => [
      session
        .call('edit', { path: name, old_string: 'old', new_string: 'new' })
        .then((envelope) => assert.equal(dataOf(envelope)['replaced'], 1)),
      session
        .call('read', { path: name, limit: 1 })
        .then((envelope) => assert.match(String(dataOf(envelope)['content']), RegExp(name))),
    ]),
  );
  for (const name of names) {
    const text = readFileSync(path.join(bed.workspace, name), 'utf8');
    assert.ok(text === toText(name, 'new'), `${name} holds other bytes`);
  }
});

test('a proposal for a large file is bound to its own bytes, whatever is read while it waits', async () => {
  using bed = openBed();
  for (const name of ['a', 'b']) {
    writeFileSync(path.join(bed.workspace, name), toText(name, 'old'));
  }
  await using other = openSession(bed, { rules: ALLOW_ALL });
  await using session = openSession(bed, {
    ask: async () => {
      dataOf(await other.call('read', { path: 'b', limit: 1 }));
      return { outcome: 'allow' };
    },
  });
  dataOf(await session.call('edit', { path: 'a', old_string: 'old', new_string: 'new' }));
  assert.ok(readFileSync(path.join(bed.workspace, 'a'), 'utf8') === toText('a', 'new'));
});

test('a replaced large file keeps its mode, and is let go after the answer', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, toText('f', 'old'));
  chmodSync(file, 0o6751);
  await using session = openSession(bed, { rules: ALLOW_ALL });
  dataOf(await session.call('edit', { path: 'f', old_string: 'old', new_string: 'one' }));
  assert.equal(statSync(file).mode & 0o7777, 0o6751);
  // Descriptors have names on Linux only; elsewhere nothing is held open.
  if (process.platform !== 'linux') return;
  const before = readdirSync('/proc/self/fd').length;
  for (let round = 0; round < 5; round += 1) {
    const input = { path: 'f', old_string: 'one', new_string: round === 4 ? 'end' : 'one ' };
    dataOf(await session.call('edit', input));
  }
  await until('the end of every descriptor', () => readdirSync('/proc/self/fd').length <= before);
});

for (const [size, text] of [
  ['small', 'old\n'],
  ['large', toText('f', 'old')],
] as const) {
  test(`a ${size} file that changes while its replacement is written stays as it is then`, async () => {
    using bed = openBed();
    const file = path.join(bed.workspace, 'f');
    writeFileSync(file, text);
    const journal = createJournal(path.join(bed.data, 'state'));
    const meddling: Journal = {
      ...journal,
      noteTemporary(temporary) {
        writeFileSync(file, 'of somebody else\n');
        return journal.noteTemporary(temporary);
      },
    };
    const files = createLocalFiles({
      folders: { workspace: [bed.workspace], adHoc: [], cwd: bed.workspace },
      gate: {
        authorize: async () => ({ ok: true, data: undefined }),
        realPath: () => undefined,
        filterBelow: () => undefined,
        authorizeAddress: async () => ({ ok: true, data: undefined }),
      },
      journal: meddling,
      signal: new AbortController().signal,
    });
    const read = await files.readText('f');
    assert.ok(read.ok);
    const written = await files.splice(read.data, [{ start: 0, end: 1, text: 'new' }]);
    assert.match(written.ok ? '' : written.error, /changed after it was read/);
    assert.equal(readFileSync(file, 'utf8'), 'of somebody else\n');
    assert.deepEqual(readdirSync(bed.workspace), ['f']);
    assert.deepEqual(readdirSync(path.join(bed.data, 'state', 'journal')), []);
  });
}

test('a large binary file is rejected, and its memory is reused', async () => {
  using bed = openBed();
  writeFileSync(path.join(bed.workspace, 'f'), Buffer.alloc(MB));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const kept = lendBytes(8 * MB);
  kept.release();
  const input = { path: 'f', old_string: 'a', new_string: 'b' };
  assert.match(errorOf(await session.call('edit', input)), /not a text file/);
  assert.equal(lendBytes(MB).bytes.buffer, kept.bytes.buffer);
});

/** About 600 KB, so it is read and written as a large file. */
function toText(name: string, word: string): string {
  const lines = `a line of ${name}\n`.repeat(Math.ceil((300 * KB) / 16));
  return `${lines}${word}\n${lines}`;
}
