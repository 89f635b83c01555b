import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { OpenDocument } from '../../../../src/base/openDocument.ts';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { ClientFiles } from '../../../../src/runtime/runtime.ts';
import { ALLOW_ALL, type Bed, openBed } from '../../tools/bed.ts';
import { dataOf, errorOf, openSession } from '../../tools/session.ts';

test('read shows the unsaved text', async () => {
  using bed = openBed();
  const editor = openEditor(bed, { 'a.txt': 'unsaved\n' });
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { client: editor.client } });
  assert.equal(dataOf(await session.call('read', { path: 'a.txt' }))['content'], '     1\tunsaved');
});

test('read shows the unsaved text by bytes too', async () => {
  using bed = openBed();
  const editor = openEditor(bed, { 'a.txt': 'unsaved\n' });
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { client: editor.client } });
  const range = { path: 'a.txt', byte_offset: 2, byte_limit: 3 };
  assert.equal(dataOf(await session.call('read', range))['content'], 'sav');
});

test('unsaved text over the limit says where to continue reading', async () => {
  using bed = openBed();
  const editor = openEditor(bed, { 'a.txt': 'line\n'.repeat(50) });
  editor.open({ path: null, uri: 'untitled:Untitled-1' }, 'line\n'.repeat(50));
  const runtime = { client: editor.client };
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime, limits: { readBytes: 40 } });
  for (const [name, place] of [
    ['a.txt', path.join(bed.workspace, 'a.txt')],
    ['untitled:Untitled-1', 'untitled:Untitled-1'],
  ] as const) {
    const { metadata } = await session.call('read', { path: name });
    assert.deepEqual([metadata.truncated, metadata.output_path], [true, place]);
    const on = dataOf(await session.call('read', { path: place, offset: 50 }));
    assert.equal(on['content'], '    50\tline');
  }
});

test("a file that is not open is read and created in the editor's encoding for it", async () => {
  using bed = openBed();
  const closed = { dirty: false, version: 0, encoding: 'windows1252', eol: '\n' } as const;
  const client: ClientFiles = {
    documents: async (paths = []) =>
      paths.map((file) => ({ path: file, uri: `file://${file}`, ...closed })),
    readText: async () => assert.fail('only unsaved text comes from the editor'),
    writeText: async () => assert.fail('only unsaved text goes to the editor'),
  };
  const euro = Buffer.from([0x80]);
  writeFileSync(path.join(bed.workspace, 'a.txt'), euro);
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { client } });
  assert.equal(dataOf(await session.call('read', { path: 'a.txt' }))['content'], '     1\t€');
  dataOf(await session.call('edit', { path: 'a.txt', old_string: '€', new_string: '€€' }));
  assert.deepEqual(readFileSync(path.join(bed.workspace, 'a.txt')), Buffer.concat([euro, euro]));
  dataOf(await session.call('write', { path: 'b.txt', content: '€' }));
  assert.deepEqual(readFileSync(path.join(bed.workspace, 'b.txt')), euro);
});

test('edit changes the dirty document in the editor, and leaves the disk alone', async () => {
  using bed = openBed();
  const editor = openEditor(bed, { 'a.txt': 'unsaved old\n' });
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { client: editor.client } });
  const input = { path: 'a.txt', old_string: 'old', new_string: 'new' };
  dataOf(await session.call('edit', input));
  assert.equal(editor.textOf('a.txt'), 'unsaved new\n');
  assert.equal(readFileSync(path.join(bed.workspace, 'a.txt'), 'utf8'), 'on disk\n');
});

test('a document edited during the review is a conflict', async () => {
  using bed = openBed();
  const editor = openEditor(bed, { 'a.txt': 'old\n' });
  await using session = openSession(bed, {
    runtime: { client: editor.client },
    ask: async () => {
      editor.type('a.txt', 'old\nmore\n');
      return { outcome: 'allow' };
    },
  });
  const input = { path: 'a.txt', old_string: 'old', new_string: 'new' };
  assert.match(errorOf(await session.call('edit', input)), /changed while you waited/);
  assert.equal(editor.textOf('a.txt'), 'old\nmore\n');
});

test('grep finds unsaved text, not what it replaces on disk', async () => {
  using bed = openBed();
  const editor = openEditor(bed, { 'a.txt': 'needle in the editor\n' });
  writeFileSync(path.join(bed.workspace, 'a.txt'), 'needle on disk\n');
  writeFileSync(path.join(bed.workspace, 'b.txt'), 'needle in b\n');
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { client: editor.client } });
  assert.deepEqual(dataOf(await session.call('grep', { pattern: 'needle' }))['matches'], [
    { path: 'a.txt', line: 1, text: 'needle in the editor' },
    { path: 'b.txt', line: 1, text: 'needle in b' },
  ]);
});

test('a token that is typed after the call was evaluated is not shown', async () => {
  using bed = openBed();
  const editor = openEditor(bed, { '.npmrc': '//r.example/:_authToken=x\n' });
  const parsed = DEFAULT_RULES;
  await using session = openSession(bed, { parsed, runtime: { client: editor.client } });
  assert.match(errorOf(await session.call('read', { path: '.npmrc' })), /\.npmrc/);
  const search = { path: '.npmrc', pattern: 'r.example' };
  assert.ok(!JSON.stringify(await session.call('grep', search)).includes('authToken'));
  editor.type('.npmrc', 'registry=https://r.example/\n');
  const { content } = dataOf(await session.call('read', { path: '.npmrc' }));
  assert.match(`${content}`, /r\.example/);
});

test('glob and grep know documents that were never saved', async () => {
  using bed = openBed();
  const editor = openEditor(bed, {});
  editor.open({ path: null, uri: `untitled:${bed.workspace}/fresh.ts` }, 'needle\n');
  editor.open({ path: null, uri: 'untitled:Untitled-1' }, 'needle\n');
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { client: editor.client } });
  const found = dataOf(await session.call('glob', { pattern: '*.ts' }));
  assert.deepEqual(found['entries'], ['fresh.ts']);
  const matches = dataOf(await session.call('grep', { pattern: 'needle', output: 'files' }));
  assert.deepEqual(matches['matches'], ['fresh.ts', 'untitled:Untitled-1']);
  const read = dataOf(await session.call('read', { path: 'untitled:Untitled-1' }));
  assert.equal(read['content'], '     1\tneedle');
});

test('a document that was never saved is evaluated as the file that it has the name of', async () => {
  using bed = openBed();
  const editor = openEditor(bed, {});
  const at = (file: string) => `untitled:${file}`;
  const [secret, outside, open] = ['work/secrets/my%20key', 'outside/x', 'work/docs/x'].map(
    (name) => at(path.join(bed.root, name)),
  );
  assert.ok(secret && outside && open);
  for (const uri of [secret, outside, open]) editor.open({ path: null, uri }, 'needle\n');
  const inside = { permission: 'fs.*', pattern: '{workspace}/**', action: 'allow' };
  const deny = { permission: 'fs.*', pattern: 'secrets/my key', action: 'deny' };
  const runtime = { client: editor.client };
  await using session = openSession(bed, { rules: [inside, deny], runtime });
  for (const uri of [secret, outside]) {
    const change = { path: uri, old_string: 'needle', new_string: 'x' };
    assert.match(errorOf(await session.call('read', { path: uri })), /denies|No rule covers/, uri);
    assert.match(errorOf(await session.call('edit', change)), /denies|No rule covers/, uri);
    assert.match(errorOf(await session.call('write', { path: uri, content: 'x' })), /denies|No/);
  }
  assert.equal(dataOf(await session.call('read', { path: open }))['content'], '     1\tneedle');
  const found = dataOf(await session.call('grep', { pattern: 'needle', output: 'files' }));
  assert.deepEqual(found['matches'], ['docs/x']);
});

test('capabilities bind what is read from the editor too', async () => {
  using bed = openBed();
  const editor = openEditor(bed, { 'a.txt': 'unsaved\n' });
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    capabilities: { fs: { read: ['{workspace}/src/**'] } },
    runtime: { client: editor.client },
  });
  assert.match(
    errorOf(await session.call('read', { path: 'a.txt' })),
    /The agent's capabilities don't allow/,
  );
});

test('VC-87 a path outside the scope reaches no client', async () => {
  using bed = openBed();
  const asked: string[] = [];
  const client: ClientFiles = {
    documents: async (paths) => {
      asked.push(...(paths ?? []));
      return [];
    },
    readText: async (key) => {
      asked.push(key);
      return '';
    },
    writeText: async (key) => {
      asked.push(key);
      return { ok: true, data: undefined };
    },
  };
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    capabilities: { fs: { read: ['{workspace}/**'], write: ['{workspace}/**'] } },
    runtime: { client },
  });
  errorOf(await session.call('write', { path: '../outside/new', content: 'x' }));
  errorOf(await session.call('read', { path: '/etc/passwd' }));
  assert.deepEqual(asked, []);
});

/** An editor with dirty documents over files that say `on disk`. */
function openEditor(bed: Bed, dirty: Readonly<Record<string, string>>) {
  const documents = new Map<string, { document: OpenDocument; text: string }>();
  const open = (place: Pick<OpenDocument, 'path' | 'uri'>, text: string) => {
    const document = { ...place, dirty: true, version: 1, encoding: 'utf8', eol: '\n' } as const;
    documents.set(place.path ?? place.uri, { document, text });
  };
  const full = (name: string) => path.join(bed.workspace, name);
  for (const [name, text] of Object.entries(dirty)) {
    writeFileSync(full(name), 'on disk\n');
    open({ path: full(name), uri: `file://${full(name)}` }, text);
  }
  const entry = (key: string) => {
    const found = documents.get(key);
    if (!found) throw new Error(`${key} is not open`);
    return found;
  };
  const change = (key: string, text: string) => {
    const { document } = entry(key);
    documents.set(key, { document: { ...document, version: document.version + 1 }, text });
  };
  const client: ClientFiles = {
    documents: async (paths) => {
      const all = [...documents.values()].map(({ document }) => document);
      return paths ? all.filter(({ path: file }) => file !== null && paths.includes(file)) : all;
    },
    readText: async (key) => entry(key).text,
    writeText: async (key, text, baseVersion) => {
      if (entry(key).document.version !== baseVersion) return { ok: false, error: 'conflict' };
      change(key, text);
      return { ok: true, data: undefined };
    },
  };
  return {
    client,
    open,
    textOf: (name: string) => entry(full(name)).text,
    type: (name: string, text: string) => change(full(name), text),
  };
}
