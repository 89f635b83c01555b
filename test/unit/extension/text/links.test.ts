import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { findLinked, linkedFiles, parseLink } from '../../../../src/extension/text/links.ts';

test('of web links only http, https and mailto are opened (WE-023)', () => {
  assert.deepEqual(parseLink('https://good.example/a'), {
    kind: 'web',
    href: 'https://good.example/a',
  });
  assert.deepEqual(parseLink('mailto:a@b.example'), { kind: 'web', href: 'mailto:a@b.example' });
  const refused = [
    ...['vscode://evil.ext/run', 'command:gatehouse.stop', 'javascript:alert(1)'],
    ...['data:text/html,x', 'JaVaScRiPt:x', 'java\nscript:x', '', '#top', '?a', '%E0%A4%A'],
    ...['//host/share', '\\\\host\\share\\a.txt', '/\\host/share', 'file:////host/share/a'],
    ...['file://host/share/a', 'file:///etc/passwd', 'a%0Ab.ts', 'ssh://host/a'],
    ...['%2F%2Fhost/share', '/%2Fhost/a'],
  ];
  for (const href of refused) assert.equal(parseLink(href), undefined, href);
});

for (const [href, file, line] of [
  ['src/app.ts', 'src/app.ts', undefined],
  ['./src/app.ts:10', './src/app.ts', 10],
  ['app.ts:10:5', 'app.ts', 10],
  ['docs/a%20b.md#L7', 'docs/a b.md', 7],
  ['docs/a.md#L7-L9', 'docs/a.md', 7],
  ['docs/a.md#install', 'docs/a.md', undefined],
  ['src/app.ts:10-20', 'src/app.ts', 10],
  ['src/app.ts:10–42', 'src/app.ts', 10],
  ['src/app.ts:10%E2%80%9342', 'src/app.ts', 10],
  ['C:/ws/a.ts:10', 'C:/ws/a.ts', 10],
  ['/work/app.ts', '/work/app.ts', undefined],
  ['c:/work/app.ts:3', 'c:/work/app.ts', 3],
] as const) {
  test(`the link ${href} names a file`, () => {
    const expected = { kind: 'file', path: file, ...(line !== undefined && { line }) };
    assert.deepEqual(parseLink(href), expected);
  });
}

test('a linked file is looked for below the workspace folders only', () => {
  const { posix, win32 } = path;
  assert.deepEqual(linkedFiles('src/a.ts', ['/one', '/two'], posix), [
    '/one/src/a.ts',
    '/two/src/a.ts',
  ]);
  assert.deepEqual(linkedFiles('/two/a.ts', ['/one', '/two'], posix), ['/two/a.ts']);
  assert.deepEqual(linkedFiles('..a/b.ts', ['/one'], posix), ['/one/..a/b.ts']);
  for (const file of ['../secret', '/etc/passwd', '/one', 'a/../..', '/onesie/a']) {
    assert.deepEqual(linkedFiles(file, ['/one'], posix), [], file);
  }
  assert.deepEqual(linkedFiles('c:/work/a.ts', ['C:\\work'], win32).length, 1);
  for (const file of ['d:/a.ts', '..\\a.ts', 'd:a.ts']) {
    assert.deepEqual(linkedFiles(file, ['C:\\work'], win32), [], file);
  }
});

test('a symbolic link out of the workspace is not opened', async (t) => {
  const top = mkdtempSync(path.join(tmpdir(), 'links-'));
  t.after(() => rmSync(top, { recursive: true, force: true, maxRetries: 5 }));
  const folder = path.join(top, 'folder');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'a.txt'), '');
  writeFileSync(path.join(top, 'secret.txt'), '');
  symlinkSync(path.join(folder, 'a.txt'), path.join(folder, 'inside.txt'));
  symlinkSync(path.join(top, 'secret.txt'), path.join(folder, 'outside.txt'));
  assert.equal(await findLinked('a.txt', [folder]), path.join(folder, 'a.txt'));
  assert.equal(await findLinked('inside.txt', [folder]), path.join(folder, 'inside.txt'));
  for (const file of ['outside.txt', 'missing.txt', '../secret.txt', '.']) {
    assert.equal(await findLinked(file, [folder]), undefined, file);
  }
});
