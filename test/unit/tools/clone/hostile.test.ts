import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { readTree, staysInside } from '../../../../src/runtime/clone/readTree.ts';
import { repoClone } from '../../../../src/tools/clone/repoClone.ts';
import { type Bed, openBed } from '../bed.ts';
import { dataOf, errorOf, openSession, type SessionOptions } from '../session.ts';
import { type Entries, git, openGitServer, writeRepository } from './gitServer.ts';

const FILE = ['100644', 'text\n'] as const;

async function clone(bed: Bed, entries: Entries, options: SessionOptions = {}) {
  writeRepository(bed.outside, 'one.git', entries);
  await using server = await openGitServer(bed.outside);
  const ask = async () => ({ outcome: 'allow' }) as const;
  await using session = openSession(bed, { extra: [repoClone], ask, ...options });
  const ended = await session.call('repo_clone', { url: `${server.url}/one.git`, path: 'new' });
  return { ended, folder: path.join(bed.workspace, 'new') };
}

test('links that lead out of the repository are no links, and are named', async () => {
  using bed = openBed();
  const { ended, folder } = await clone(bed, {
    'a.txt': FILE,
    good: ['120000', 'a.txt'],
    etc: ['120000', '/etc/passwd'],
    up: { tree: { out: ['120000', '../../secret'] } },
  });
  assert.match(String(dataOf(ended)['note']), /Links are plain files.*"etc", "up\/out"/);
  for (const name of ['good', 'etc', 'up/out']) {
    assert.ok(lstatSync(path.join(folder, name)).isFile(), name);
  }
  assert.equal(git(folder, ['status', '--porcelain']), '');
});

test('which links stay inside', () => {
  const check = (link: string, target: string, expected: boolean) =>
    assert.equal(staysInside(link, target), expected, `${link} -> ${target}`);
  check('a', 'b/c', true);
  check('d/a', '../b', true);
  check('d/a', './x//y', true);
  check('d/a', '..', true);
  check('a', '..', false);
  check('d/a', '../../b', false);
  check('a', '/etc', false);
  // Where `b` is a link itself, this is its parent.
  check('a', 'b/../c', false);
  check('a', '.git/config', false);
  check('d/a', '../.GIT/hooks', false);
  // Where `b` is a link to `.`, this is git's own folder.
  check('a', 'b/.git/hooks', false);
  check('a', 'C:\\x', false);
});

test("names that stand for git's own folder are refused, and the clone is removed", async () => {
  for (const name of ['.GIT', 'git~1', '.g\u200cit', '.git ']) {
    using bed = openBed();
    const entries: Entries = { a: FILE, [name]: { tree: { config: ['100644', '[core]\n'] } } };
    const { ended, folder } = await clone(bed, entries);
    errorOf(ended);
    assert.equal(existsSync(folder), false, name);
  }
});

test('submodules are not fetched, and are named', async () => {
  using bed = openBed();
  const modules = `[submodule "x"]\n\tpath = sub\n\turl = ext::sh -c "touch ${bed.outside}/pwned"\n\tupdate = !touch ${bed.outside}/pwned\n`;
  const { ended, folder } = await clone(bed, {
    a: FILE,
    '.gitmodules': ['100644', modules],
    sub: ['160000', 'a'.repeat(40)],
  });
  assert.match(String(dataOf(ended)['note']), /Not fetched, as submodules: "sub"/);
  assert.deepEqual(readdirSync(path.join(folder, 'sub')), []);
  assert.equal(existsSync(path.join(bed.outside, 'pwned')), false);
});

test("neither hooks, templates nor filters of the user's configuration run", async () => {
  using bed = openBed();
  const pwned = path.join(bed.outside, 'pwned');
  const home = path.join(bed.root, 'home');
  const template = path.join(home, 'template/hooks');
  const hook = `#!/bin/sh\ntouch ${pwned}\n`;
  const { mkdirSync } = await import('node:fs');
  mkdirSync(template, { recursive: true });
  for (const name of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    writeFileSync(path.join(template, name), hook, { mode: 0o755 });
  }
  const config = `[init]\n\ttemplateDir = ${home}/template\n[core]\n\thooksPath = ${template}\n\tfsmonitor = ${template}/post-checkout\n[filter "evil"]\n\tsmudge = touch ${pwned}; cat\n\trequired = true\n[filter "lfs"]\n\tsmudge = touch ${pwned}; cat\n[credential]\n\thelper = !touch ${pwned}\n`;
  writeFileSync(path.join(home, '.gitconfig'), config);
  writeFileSync(path.join(home, '.netrc'), 'machine 127.0.0.1 login a password b\n');
  const variables = {
    HOME: home,
    GIT_TEMPLATE_DIR: `${home}/template`,
    GIT_CONFIG_GLOBAL: `${home}/.gitconfig`,
  };
  const runtime = { env: { ...process.env, ...variables, GIT_SSH_COMMAND: `touch ${pwned}` } };
  const entries: Entries = {
    '.gitattributes': ['100644', '*.txt filter=evil\n*.bin filter=lfs\n'],
    'a.txt': FILE,
    'b.bin': ['100644', 'version https://git-lfs.github.com/spec/v1\n'],
  };
  const { ended, folder } = await clone(bed, entries, { runtime });
  assert.equal(dataOf(ended)['files'], 3);
  assert.equal(existsSync(pwned), false);
  assert.deepEqual(readdirSync(path.join(folder, '.git')).includes('hooks'), false);
  assert.equal(readFileSync(path.join(folder, 'a.txt'), 'utf8'), 'text\n');
});

test('a repository that is too large is removed: its pack, its files, their number', async () => {
  const check = async (
    entries: Entries,
    limits: { bytes: number; files: number },
    expected: RegExp,
  ) => {
    using bed = openBed();
    const { ended, folder } = await clone(bed, entries, { runtime: { clone: limits } });
    assert.match(errorOf(ended), expected);
    assert.equal(existsSync(folder), false);
  };
  const { randomBytes } = await import('node:crypto');
  await check(
    { a: ['100644', randomBytes(300_000)] },
    { bytes: 200_000, files: 10 },
    /larger than/,
  );
  // A small pack whose files are large.
  await check(
    { a: ['100644', Buffer.alloc(3_000_000)] },
    { bytes: 1_000_000, files: 10 },
    /Its files are larger/,
  );
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, FILE]));
  await check(many, { bytes: 1_000_000, files: 10 }, /more than 10 files/);
});

test('a repository without commits is cloned, and one whose list can not be read is not', async () => {
  using bed = openBed();
  git(bed.outside, ['init', '--quiet', '--bare', 'one.git']);
  await using server = await openGitServer(bed.outside);
  const ask = async () => ({ outcome: 'allow' }) as const;
  await using session = openSession(bed, { extra: [repoClone], ask });
  const ended = await session.call('repo_clone', { url: `${server.url}/one.git` });
  assert.match(String(dataOf(ended)['note']), /no commits/);
  assert.equal(readTree('nonsense\0').ok, false);
});
