import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import {
  isBelow,
  isBelowFolded,
  realFolder,
  resolvePath,
} from '../../../../src/permissions/patterns/paths.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'paths-')));
const root = path.join(base, 'root');
mkdirSync(path.join(root, 'a/b'), { recursive: true });
mkdirSync(path.join(base, 'outside/deep'), { recursive: true });
symlinkSync(path.join(base, 'outside'), path.join(root, 'out'));
symlinkSync('../outside/deep', path.join(root, 'relative'));
symlinkSync('loop', path.join(root, 'loop'));
symlinkSync(path.join(base, 'outside/new.txt'), path.join(root, 'dangling'));
symlinkSync('dangling', path.join(root, 'chain'));
symlinkSync('/', path.join(root, 'slash'));
after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

function check(written: string, expected: string | RegExp, platform: NodeJS.Platform = 'linux') {
  test(`${JSON.stringify(written)} leads to ${expected} on ${platform}`, () => {
    const resolved = resolvePath(written, { cwd: root, platform });
    if (typeof expected === 'string') assert.equal(resolved.ok && resolved.path, expected);
    else {
      assert.equal(resolved.ok, false);
      assert.match(resolved.ok ? '' : resolved.error, expected);
    }
  });
}

check('x', `${root}/x`);
check('./a//b/./c', `${root}/a/b/c`);
check('a/../x', `${root}/x`);
check('..', base);
check('../../../../../../../../..', '/');
check('/', '/');
check('/etc/../etc/hosts', '/etc/hosts');
check('out', `${base}/outside`);
check('out/f', `${base}/outside/f`);
check('out/../f', `${base}/f`);
check('relative/..', `${base}/outside`);
check('dangling', `${base}/outside/new.txt`);
check('chain', `${base}/outside/new.txt`);
check('missing/../../x', `${base}/x`);
check('loop/x', `${root}/loop/x`);
check('slash/etc', '/etc');
check('%2e%2e/x', `${root}/%2e%2e/x`);
check('..../f', `${root}/..../f`);
check('~', homedir());
check('~/x', path.join(realFolder(homedir()), 'x'));
check('a~', `${root}/a~`);
check('~$doc', `${root}/~$doc`);
check('missing/../out/f', `${base}/outside/f`);
check('./x', `${root}/x`, 'win32');
check('../x', `${base}/x`, 'win32');
check('a//b', `${root}/a/b`, 'win32');
check('./con', /device/, 'win32');
check('../a//b.', /end with/, 'win32');
check('a\\b', `${root}/a\\b`);
check('C:/x', `${root}/C:/x`);
check('con', `${root}/con`);
check('a.', `${root}/a.`);
check('', /empty/);
check('a\0b', /NUL/);
check('~root/x', /home/);
check('file:///etc/passwd', /URL/);
check('https://a/b', /URL/);
check('/proc/self/root/etc/passwd', /process/);
check('/proc/self/cwd/../x', /process/);

for (const written of ['\\\\server\\share\\x', '//server/x', '\\\\.\\pipe\\x', '\\\\?\\C:\\x'])
  check(written, /UNC/, 'win32');
for (const written of ['C:x', 'c:']) check(written, /relative to a drive/, 'win32');
for (const written of ['.env:stream', 'ab:c/d', 'C:/a:b']) check(written, /streams/, 'win32');
for (const written of ['.env.', '.env ', 'a./b', 'a /b']) check(written, /end with/, 'win32');
for (const written of [
  'con',
  'src/CON.txt',
  'nul',
  'a/lpt1',
  'COM¹',
  'aux.h',
  'prn',
  'conin$',
  'nul .txt',
])
  check(written, /device/, 'win32');
for (const written of ['GIT~1/config', 'a/PROGRA~2']) check(written, /short/, 'win32');
check('a\\..\\x', `${root}/x`, 'win32');
check('concert', `${root}/concert`, 'win32');
check('com10', `${root}/com10`, 'win32');
check('a.b', `${root}/a.b`, 'win32');
check('C:\\x\\y', 'C:/x/y', 'win32');
check('C:/', 'C:/', 'win32');

test('a relative path without a folder cannot be resolved', () => {
  assert.equal(resolvePath('x', { cwd: undefined, platform: 'linux' }).ok, false);
  assert.equal(resolvePath('/x', { cwd: undefined, platform: 'linux' }).ok, true);
});

test('below means a border, not a beginning', () => {
  const asked = [
    ['/a/b', '/a'],
    ['/a', '/a'],
    ['/ab', '/a'],
    ['/', '/a'],
    ['/a', '/'],
    ['/a', '/a/b'],
  ] as const;
  assert.deepEqual(
    asked.map(([inner, outer]) => isBelow(inner, outer)),
    [true, true, false, false, true, false],
  );
});

test('a folder of ours is followed to its real place', () => {
  assert.equal(realFolder(path.join(root, 'out')), `${base}/outside`);
  assert.equal(realFolder('C:\\a\\b', 'win32'), 'C:/a/b');
});

check('file:/etc/passwd', /URL/);
check('FILE:x', /URL/);
check('./file:/x', `${root}/file:/x`);
check('untitled:Untitled-1', `${root}/untitled:Untitled-1`);
check('\ud800x', /lone surrogate/);

test('the links on the way are told, with what follows them', () => {
  const namesOf = (written: string) => {
    const resolved = resolvePath(written, { cwd: root, platform: 'linux' });
    return resolved.ok ? resolved.names : [];
  };
  assert.deepEqual(namesOf('a/b/c'), undefined);
  assert.deepEqual(namesOf('out/f'), [`${root}/out/f`]);
  assert.deepEqual(namesOf('chain'), [`${root}/chain`, `${root}/dangling`]);
  assert.deepEqual(namesOf('out/../f'), [`${root}/out`]);
});

test('on Windows every absolute path is on a drive, and slashes are one', () => {
  const lead = (path: string, cwd: string | undefined) => {
    const resolved = resolvePath(path, { cwd, platform: 'win32' });
    return resolved.ok ? resolved.path : 'refused';
  };
  assert.deepEqual(
    [
      lead('\\Windows\\x', 'C:\\w'),
      lead('/Windows/x', 'd:/w'),
      lead('E:/x', 'C:/w'),
      lead('a\\b', 'C:\\w\\v'),
      lead('..\\..\\..', 'C:\\w'),
      lead('/x', undefined),
      lead('x', undefined),
    ],
    ['C:/Windows/x', 'd:/Windows/x', 'E:/x', 'C:/w/v/a/b', 'C:/', '/x', 'refused'],
  );
});

test('a folder holds what the disk says it holds', () => {
  assert.deepEqual(
    (['linux', 'darwin', 'win32'] as const).map((platform) =>
      isBelowFolded('/D/STATE/x', '/d/state', platform),
    ),
    [false, true, true],
  );
  assert.equal(isBelowFolded('/caf\u00e9/x', '/cafe\u0301', 'darwin'), true);
  assert.equal(isBelowFolded('/d/stated', '/d/state', 'darwin'), false);
});

test('a chain of links is followed as far as a kernel does', () => {
  const chain = path.join(base, 'chains');
  mkdirSync(chain);
  for (let at = 0; at <= 41; at += 1) symlinkSync(`l${at + 1}`, path.join(chain, `l${at}`));
  const end = (from: number) => {
    const resolved = resolvePath(`l${from}`, { cwd: chain, platform: 'linux' });
    return resolved.ok ? path.basename(resolved.path) : resolved.error;
  };
  assert.deepEqual([end(2), end(1)], ['l42', 'l41']);
});
