import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRoots } from '../../../../src/permissions/patterns/roots.ts';
import type { CapabilitySet } from '../../../../src/permissions/rules/requirements.ts';
import {
  type CapabilityScope,
  compileScope,
  uniteRequirements,
} from '../../../../src/permissions/rules/scope.ts';
import { evaluateBash } from '../ask.ts';

function scopeOf(set: CapabilitySet, state = true): CapabilityScope {
  const own = state ? { state: '/d/state', sidecars: '/d/state/out' } : {};
  const folders = { workspace: ['/w'], adHoc: ['/opened'], userData: '/u', cwd: '/w', ...own };
  return compileScope(set, toRoots(folders, 'linux'), 'linux');
}

test('files are granted by patterns, and the state of the host never but for own sidecars', () => {
  const everything = scopeOf({ fs: { read: ['/**'], write: ['/**'] } });
  for (const [path, read, write] of [
    ['/w/a', true, true],
    ['/d/state/x', false, false],
    ['/d/state', false, false],
    ['/d/state/out', false, false],
    ['/d/state/out/a', true, false],
    ['/d/state2', true, true],
  ] as const) {
    assert.deepEqual(
      [everything.allowsRead(path), everything.allowsWrite(path)],
      [read, write],
      path,
    );
    const grants = [everything.grantFile(path, 'fs.read'), everything.grantFile(path, 'fs.write')];
    const expected = [read, write].map((granted) => (granted ? 'granted' : 'refuse'));
    assert.deepEqual(grants, expected, path);
  }
  const docs = scopeOf({ fs: { read: ['docs/**'], write: ['{workspace}/out/**'] } });
  assert.equal(docs.allowsRead('/w/docs/a'), true);
  assert.equal(docs.allowsRead('/w/out/a'), false);
  assert.equal(docs.allowsWrite('/w/out/a'), true);
  assert.equal(docs.allowsWrite('/w/docs/a'), false);
  assert.equal(docs.allowsRead('/d/state/out/a'), true);
  assert.equal(scopeOf({}).allowsRead('/w/a'), false);
  assert.equal(scopeOf({ fs: { read: ['**'] } }, false).allowsRead('/d/state/x'), false);
  assert.equal(scopeOf({ fs: { read: ['/**'] } }, false).allowsRead('/d/state/x'), true);
});

test('everything below a folder is granted unless the state of the host is there', () => {
  const everything = scopeOf({ fs: { read: ['/**'] } });
  for (const [folder, expected] of [
    ['/w', true],
    ['/d', false],
    ['/', false],
    ['/d/state', false],
    ['/d/state/x', false],
    ['/d/else', true],
  ] as const)
    assert.equal(everything.allowsReadBelow(folder), expected, folder);
  assert.equal(scopeOf({ fs: { read: ['/**'] } }, false).allowsReadBelow('/d'), true);
  assert.equal(scopeOf({ fs: { read: ['docs/**'] } }).allowsReadBelow('/w'), false);
  assert.equal(scopeOf({ fs: { read: ['src/**', 'docs/**'] } }).allowsReadBelow('/w/docs'), true);
  assert.equal(scopeOf({}).allowsReadBelow('/w/docs'), false);
});

test('a file outside is refused or asked about, and one of the state always refused', () => {
  const asks = scopeOf({ fs: { read: ['src/**'] }, asksOutside: true });
  const refuses = scopeOf({ fs: { read: ['src/**'] } });
  assert.deepEqual([asks.unknownFile, refuses.unknownFile], ['ask', 'refuse']);
  assert.equal(asks.grantFile('/w/src/a', 'fs.read'), 'granted');
  assert.equal(asks.grantFile('/w/src/a', 'fs.write'), 'ask');
  assert.equal(asks.grantFile('/w/b', 'fs.read'), 'ask');
  assert.equal(asks.grantFile('/d/state/x', 'fs.read'), 'refuse');
  assert.equal(refuses.grantFile('/w/b', 'fs.read'), 'refuse');
  assert.deepEqual([asks.namesFiles, scopeOf({ shell: [] }).namesFiles], [true, false]);
});

test('hosts, commands and other capabilities are granted by name', () => {
  const scope = scopeOf({
    net: { hosts: ['a.example', '*.b.example:8080'] },
    capabilities: ['ui.show'],
  });
  assert.equal(scope.allowsHost('a.example', 443), true);
  assert.equal(scope.allowsHost('x.b.example', 8080), true);
  assert.equal(scope.allowsHost('x.b.example', 80), false);
  assert.equal(scope.allowsHost('c.example', 443), false);
  assert.deepEqual([scope.allowsAnyHost, scopeOf({ anyHost: true }).allowsAnyHost], [false, true]);
  assert.equal(scopeOf({ anyHost: true }).allowsHost('10.0.0.1', 80), true);
  assert.equal(scope.allowsCapability('ui.show'), true);
  assert.equal(scope.allowsCapability('ui.hide'), false);
  assert.equal(scopeOf({}).allowsCapability('ui.show'), false);
  assert.equal(scopeOf({}).allowsCommand(['ls']), false);
});

test('a command is granted by its program and its words', () => {
  const allows = (line: string, ...shell: NonNullable<CapabilitySet['shell']>) =>
    scopeOf({ shell }).allowsCommand(line.split(' '));
  assert.equal(allows('git status', { cmd: 'git' }), true);
  assert.equal(allows('git', { cmd: 'git', args: [] }), true);
  assert.equal(allows('git status', { cmd: 'git', args: [] }), false);
  assert.equal(allows('git status', { cmd: 'ls' }, { cmd: 'git' }), true);
  assert.equal(allows('git status', { cmd: 'git', args: ['status'] }), true);
  assert.equal(allows('git status -s', { cmd: 'git', args: ['status'] }), false);
  assert.equal(allows('git push', { cmd: 'git', args: ['status'] }), false);
  assert.equal(allows('git show x', { cmd: 'git', args: ['show', { wildcard: true }] }), true);
  assert.equal(allows('git show -p', { cmd: 'git', args: ['show', { wildcard: true }] }), false);
  assert.equal(allows('git show v1', { cmd: 'git', args: ['show', { prefix: 'v' }] }), true);
  assert.equal(allows('git show 1v', { cmd: 'git', args: ['show', { prefix: 'v' }] }), false);
  assert.equal(allows('ls x', { cmd: '*', args: ['x'] }), true);
  assert.equal(allows('./ls x', { cmd: '*', args: ['x'] }), false);
  assert.equal(allows('/bin/ls', { cmd: '/bin/ls' }), true);
  assert.equal(allows('/bin/ls', { cmd: 'ls' }), false);
  assert.equal(allows('./ls', { cmd: './ls' }), false);
  assert.equal(allows('C:\\x\\ls', { cmd: 'C:\\x\\ls' }), true);
  assert.deepEqual(
    [
      scopeOf({ shell: [{ cmd: '*' }] }).allowsAnyCommand,
      scopeOf({ shell: [{ cmd: '*', args: ['x'] }] }).allowsAnyCommand,
      scopeOf({ shell: [{ cmd: 'ls' }] }).allowsAnyCommand,
      scopeOf({}).allowsAnyCommand,
    ],
    [true, false, false, false],
  );
});

test('a set within another grants what both grant', () => {
  const wide: CapabilitySet = {
    fs: { read: ['/w/**'], write: ['/w/**'] },
    net: { hosts: ['*'] },
    anyHost: true,
    shell: [{ cmd: '*' }],
    capabilities: ['ui.show'],
  };
  const narrow: CapabilitySet = {
    fs: { read: ['src/**'], write: ['out/**'] },
    net: { hosts: ['a.example'] },
    shell: [{ cmd: 'ls' }],
    asksOutside: true,
  };
  for (const scope of [
    scopeOf({ ...wide, within: narrow }),
    scopeOf({ ...narrow, within: wide }),
  ]) {
    assert.equal(scope.allowsRead('/w/src/a'), true);
    assert.equal(scope.allowsRead('/w/out/a'), false);
    assert.equal(scope.allowsReadBelow('/w/src'), true);
    assert.equal(scope.allowsReadBelow('/w'), false);
    assert.equal(scope.allowsWrite('/w/out/a'), true);
    assert.equal(scope.allowsWrite('/w/src/a'), false);
    assert.equal(scope.allowsHost('a.example', 443), true);
    assert.equal(scope.allowsHost('b.example', 443), false);
    assert.equal(scope.allowsAnyHost, false);
    assert.equal(scope.allowsCommand(['ls']), true);
    assert.equal(scope.allowsCommand(['rm']), false);
    assert.equal(scope.allowsAnyCommand, false);
    assert.equal(scope.allowsCapability('ui.show'), false);
    assert.equal(scope.grantFile('/w/src/a', 'fs.read'), 'granted');
    assert.equal(scope.grantFile('/w/b', 'fs.read'), 'ask');
    assert.equal(scope.grantFile('/x', 'fs.read'), 'refuse');
    assert.equal(scope.unknownFile, 'refuse');
    assert.equal(scope.namesFiles, true);
    assert.match(scope.describeFiles('fs.read'), /^`.*`, within `.*`$/);
  }
  const both = scopeOf({ ...narrow, within: { ...narrow, fs: { read: ['src/**'] } } });
  assert.deepEqual([both.unknownFile, both.grantFile('/x', 'fs.read')], ['ask', 'ask']);
  assert.equal(scopeOf({ shell: [], within: narrow }).namesFiles, true);
  assert.equal(scopeOf({ shell: [], within: {} }).namesFiles, false);
  assert.equal(scopeOf({ anyHost: true, within: { anyHost: true } }).allowsAnyHost, true);
  assert.equal(scopeOf({ ...wide, within: wide }).allowsAnyCommand, true);
  assert.equal(scopeOf({ ...wide, within: wide }).allowsCapability('ui.show'), true);
});

test('folders are described as a user knows them', () => {
  assert.equal(scopeOf({}).describeFiles('fs.read'), 'no folder');
  const scope = scopeOf({ fs: { read: ['{workspace}/**', '/w/**', 'a'], write: ['/x'] } });
  assert.equal(scope.describeFiles('fs.read'), '`/w/**`, `a`');
  assert.equal(scope.describeFiles('fs.write'), '`/x`');
});

test('two sets of requirements are united family by family', () => {
  const a = { fs: { read: ['a'] }, shell: [{ cmd: 'ls' }] };
  const b = { fs: { write: ['b'] }, net: { hosts: ['h'] }, capabilities: ['c'] };
  const united = {
    fs: { read: ['a'], write: ['b'] },
    net: { hosts: ['h'] },
    shell: [{ cmd: 'ls' }],
    capabilities: ['c'],
  };
  assert.deepEqual(uniteRequirements(a, b), united);
  assert.deepEqual(uniteRequirements(b, a), united);
  assert.deepEqual(uniteRequirements({}, {}), { shell: [], capabilities: [] });
  // What one of the two lacks, the other brings.
  const none = { shell: [], capabilities: [] };
  for (const own of [
    { fs: { read: ['a'], write: [] } },
    { net: { hosts: ['a.example'] } },
    { shell: [{ cmd: 'ls' }] },
    { capabilities: ['x'] },
  ]) {
    assert.deepEqual(uniteRequirements(own, {}), { ...none, ...own });
    assert.deepEqual(uniteRequirements({}, own), { ...none, ...own });
  }
});

test('only a rule that names exactly the path lifts the ask about a file outside', async () => {
  const files = { read: ['src/**'], write: ['src/**'] };
  const capabilities: CapabilitySet = { shell: [{ cmd: '*' }], fs: files, asksOutside: true };
  for (const [line, rule, expected] of [
    ['cat src/x', 'fs.read src/x allow', 'allow'],
    ['cat docs/x', 'fs.read src/x allow', 'ask'],
    ['cat docs/x', 'fs.read ** allow', 'ask'],
    ['cat docs/x', 'fs.read docs/x allow', 'allow'],
    ['cat docs/x', 'fs.read docs/x deny', 'deny'],
    ['cat docs/x', 'fs.read docs/x ask', 'ask'],
    ['cat docs/x', 'fs.read docs/x deny', 'deny'],
    ['echo x > docs/x', 'fs.write ** allow', 'ask'],
    ['echo x > docs/x', 'fs.write docs/x allow', 'allow'],
    ['echo x > docs/x', 'fs.write docs/x deny', 'deny'],
    ['echo x > src/x', 'fs.write ** allow', 'allow'],
  ] as const) {
    const { decision, reason } = await evaluateBash(line, ['bash * allow', rule], { capabilities });
    assert.equal(decision, expected, `${line}, ${rule}: ${reason}`);
  }
});

test('a file outside is offered to a rule, and one in an unknown folder is not', async () => {
  const files = { read: ['src/**'], write: ['src/**'] };
  for (const [line, asksOutside, expected, rules] of [
    ['cat docs/x', true, 'ask', ['{workspace}/docs/x']],
    ['cat docs/x', false, 'refuse', []],
    ['cd "$x"; cat b', true, 'ask', []],
    ['cd "$x"; cat b', false, 'refuse', []],
  ] as const) {
    const set = { shell: [{ cmd: '*' }], fs: files };
    const capabilities: CapabilitySet = asksOutside ? { ...set, asksOutside } : set;
    const { decision, candidates } = await evaluateBash(line, ['bash * allow'], { capabilities });
    const patterns = candidates.flatMap((each) => each.rules.map(({ pattern }) => pattern));
    assert.deepEqual([decision, patterns], [expected, rules], line);
  }
});
