import assert from 'node:assert/strict';
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Overlay, OverlayFile } from '../../../src/runtime/overlay.ts';
import { applyPatch } from '../../../src/tools/patch/applyPatch.ts';
import { ALLOW_ALL, type Bed, openBed } from './bed.ts';
import { dataOf, errorOf, openSession, type SessionOptions } from './session.ts';

function open(bed: Bed, files: Readonly<Record<string, string | Buffer>>, more?: SessionOptions) {
  const at = (name: string) => path.join(bed.workspace, name);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), content);
  }
  const entries = new Map<string, OverlayFile>();
  const overlay: Overlay = {
    find: (file) => entries.get(file),
    list: () => [...entries.values()],
    put: (file) => void entries.set(file.path, file),
  };
  const session = openSession(bed, {
    rules: ALLOW_ALL,
    extra: [applyPatch],
    ...more,
    runtime: { overlay: () => overlay },
  });
  const edit = (file: string, from: string, to: string) =>
    session.call('edit', { path: file, old_string: from, new_string: to });
  return { at, entries, session, edit };
}

test('edits keep line ends and encodings, and the files stay byte for byte', async () => {
  using bed = openBed();
  const files = {
    'crlf.txt': 'one\r\ntwo\nthree\r\n',
    'wide.txt': Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le'),
    'latin.txt': Buffer.from([0xe9, 10, 0x6f, 0x6e, 0x65, 10]),
  };
  const run = open(bed, files);
  await using _ = run.session;
  for (const name of Object.keys(files)) dataOf(await run.edit(name, 'one', 'a\nb'));
  assert.equal(run.entries.get(run.at('crlf.txt'))?.text, 'a\r\nb\r\ntwo\nthree\r\n');
  assert.equal(run.entries.get(run.at('wide.txt'))?.text, 'a\r\nb\r\ntwo\r\n');
  for (const [name, content] of Object.entries(files)) {
    assert.deepEqual(readFileSync(run.at(name)), Buffer.from(content), name);
  }
});

test('a character that the encoding lacks is refused when it is proposed', async () => {
  using bed = openBed();
  const run = open(bed, { 'latin.txt': Buffer.from([0xe9, 10, 0x6f, 0x6e, 0x65, 10]) });
  await using _ = run.session;
  errorOf(await run.edit('latin.txt', 'one', '\u4e2d'));
  assert.equal(run.entries.size, 0);
});

test('all names of a file lead to one proposal', async () => {
  using bed = openBed();
  const run = open(bed, { 'a.txt': 'one\n' });
  await using session = run.session;
  symlinkSync('a.txt', run.at('soft.txt'));
  linkSync(run.at('a.txt'), run.at('hard.txt'));
  dataOf(await run.edit('soft.txt', 'one', 'two'));
  assert.deepEqual([...run.entries.keys()], [run.at('a.txt')]);
  for (const name of ['a.txt', 'soft.txt', 'hard.txt']) {
    const { content } = dataOf(await session.call('read', { path: name }));
    assert.match(String(content), /\ttwo$/, name);
  }
  assert.match(
    errorOf(await session.call('write', { path: 'hard.txt', content: 'x' })),
    /another name of/,
  );
});

test('searches find what is proposed, and not what it replaces or deletes', async () => {
  using bed = openBed();
  const run = open(bed, { 'a.txt': 'needle\n', 'gone.txt': 'needle\n', 'other.txt': 'needle\n' });
  await using session = run.session;
  dataOf(await run.edit('a.txt', 'needle', 'thread'));
  dataOf(await session.call('write', { path: 'fresh/deep/new.txt', content: 'needle\n' }));
  const patch = '--- gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-needle\n';
  dataOf(await session.call('apply_patch', { patch }));
  const grep = async (input: object) =>
    Object(dataOf(await session.call('grep', { output: 'files', ...input })))['matches'].sort();
  assert.deepEqual(await grep({ pattern: 'needle' }), ['fresh/deep/new.txt', 'other.txt']);
  assert.deepEqual(await grep({ pattern: 'thread' }), ['a.txt']);
  assert.deepEqual(await grep({ pattern: 'needle', path: 'a.txt' }), []);
  assert.deepEqual(await grep({ pattern: 'thread', path: 'a.txt' }), ['a.txt']);
  assert.deepEqual(await grep({ pattern: 'needle', path: 'fresh' }), ['fresh/deep/new.txt']);
  assert.deepEqual(await grep({ pattern: 'needle', path: 'fresh/deep/new.txt' }), [
    'fresh/deep/new.txt',
  ]);
  const glob = async (input: object) =>
    [...Object(dataOf(await session.call('glob', input)))['entries']].sort();
  assert.deepEqual(await glob({ pattern: '**/*.txt' }), [
    'a.txt',
    'fresh/deep/new.txt',
    'other.txt',
  ]);
  assert.deepEqual(await glob({ pattern: '*.txt', path: 'fresh' }), ['fresh/deep/new.txt']);
  assert.match(errorOf(await session.call('read', { path: 'gone.txt' })), /you deleted it/);
  assert.deepEqual([existsSync(run.at('fresh')), existsSync(run.at('gone.txt'))], [false, true]);
});

test('a proposal does not widen what the rules let the agent read', async () => {
  using bed = openBed();
  const rules = [
    ...ALLOW_ALL,
    { permission: 'read', pattern: '{workspace}/secret.txt', action: 'deny' },
  ];
  const run = open(bed, { 'secret.txt': 'one\n' }, { rules });
  await using session = run.session;
  dataOf(await session.call('write', { path: 'secret.txt', content: 'two\n' }));
  assert.match(errorOf(await session.call('read', { path: 'secret.txt' })), /secret\.txt/);
});
