import assert from 'node:assert/strict';
import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { createJournal } from '../../../src/runtime/files/journal.ts';
import { ALLOW_ALL, openBed } from './bed.ts';
import { dataOf, errorOf, fakeTool, openSession } from './session.ts';

for (const [limit, whole] of [
  [10, true],
  [9, false],
] as const) {
  test(`CA-10 a line of ten bytes with its number is ${whole ? 'whole' : 'cut'} at ${limit}`, async () => {
    using bed = openBed();
    writeFileSync(path.join(bed.workspace, 'f'), 'abc\n');
    await using session = openSession(bed, { rules: ALLOW_ALL, limits: { readBytes: limit } });
    const envelope = await session.call('read', { path: 'f' });
    assert.equal(envelope.metadata.truncated, whole ? undefined : true);
    assert.equal(dataOf(envelope)['content'], whole ? '     1\tabc' : undefined);
  });
}

test('C-68 a call that is aborted before it runs does not run', async () => {
  using bed = openBed();
  let ran = false;
  const tool = fakeTool({
    id: 'late',
    execute: async () => {
      ran = true;
      return { ok: true, data: {} };
    },
  });
  await using session = openSession(bed, { rules: ALLOW_ALL, extra: [tool] });
  const envelope = await session.call('late', {}, AbortSignal.abort());
  assert.match(errorOf(envelope), /aborted before it ran/);
  assert.equal(ran, false);
});

test('CR-3 what changed while the user looked at a proposal is a conflict, and stays', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  for (const [tool, input] of [
    ['edit', { path: 'f', old_string: 'old', new_string: 'new' }],
    ['write', { path: 'f', content: 'new\n' }],
  ] as const) {
    writeFileSync(file, 'old\n');
    await using session = openSession(bed, {
      ask: async () => {
        writeFileSync(file, 'old, and more\n');
        return { outcome: 'allow' };
      },
    });
    assert.match(errorOf(await session.call(tool, input)), /changed while you waited/);
    assert.equal(readFileSync(file, 'utf8'), 'old, and more\n');
  }
});

test('other files of the workspace are no other names of a linked one', async () => {
  using bed = openBed();
  const file = path.join(bed.workspace, 'f');
  writeFileSync(file, 'old\n');
  linkSync(file, path.join(bed.outside, 'second'));
  for (const name of ['a', 'b', 'z']) writeFileSync(path.join(bed.workspace, name), 'old\n');
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const input = { path: 'f', old_string: 'old', new_string: 'new' };
  assert.match(errorOf(await session.call('edit', input)), /hard links/);
  assert.equal(readFileSync(file, 'utf8'), 'old\n');
});

test('what is kept of files and of output is for its user alone', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL, limits: { bashBytes: 10 } });
  const { metadata } = await session.call('bash', { command: 'seq 100' });
  const state = path.join(bed.data, 'state');
  assert.ok(
    (await createJournal(state).keepCopy('/f', Buffer.from('a copy'), Buffer.from('new'))).ok,
  );
  const journal = path.join(state, 'journal');
  const kept = readdirSync(journal).map((name) => path.join(journal, name));
  assert.equal(kept.length, 3);
  // Windows keeps no such modes; what lies in a user's own folder is that user's there.
  const wanted = process.platform === 'win32' ? 0o666 : 0o600;
  for (const file of [...kept, metadata.output_path ?? '']) {
    assert.equal(statSync(file).mode & 0o777, wanted, file);
  }
});

test('a limit longer than a timer can count is no limit of no time at all', async () => {
  using bed = openBed();
  const limits = { toolTimeoutMs: 1e12, bashTimeoutMs: 1e12 };
  await using session = openSession(bed, { rules: ALLOW_ALL, limits });
  const { output } = dataOf(await session.call('bash', { command: 'sleep 0.2; echo done' }));
  assert.equal(output, 'done\n');
  writeFileSync(path.join(bed.workspace, 'f'), 'match\n');
  const found = dataOf(await session.call('grep', { pattern: 'match' }));
  assert.equal(Object(found['matches']).length, 1);
});

test('an edit in very many places shows forty of them, and says how many more there are', async () => {
  using bed = openBed();
  const far = 'x\n'.repeat(20);
  writeFileSync(path.join(bed.workspace, 'f'), `old\n${far}`.repeat(50));
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const input = { path: 'f', old_string: 'old', new_string: 'new', replace_all: true };
  assert.equal(dataOf(await session.call('edit', input))['replaced'], 50);
  const last = session.chunks.at(-1);
  const content = last && 'display' in last ? (last.display?.content ?? []) : [];
  assert.equal(content.filter(({ type }) => type === 'diff').length, 40);
  assert.deepEqual(content.at(-1), { type: 'text', text: '… and 10 more changes.' });
});
