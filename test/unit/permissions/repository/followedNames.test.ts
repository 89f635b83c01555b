import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf } from '../ask.ts';

// Files of git name folders, and git enters these as the kernel does, byte by byte.
const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-followed-')));
after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

function git(root: string, ...args: readonly string[]): string {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  return execFileSync('git', ['-C', root, ...user, ...args], { encoding: 'utf8' }).trim();
}

function makeRepository(name: string): string {
  const root = path.join(base, name);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, 'a.md'), 'a\n');
  git(root, 'init', '-q');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'x');
  return root;
}

async function decide(root: string, line: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }))).decision;
}

const EVIL = '[core]\n\tfsmonitor = "echo ran >&2; false"\n';

/** The repository moves to `evil/g`, with settings that run a program, and a copy without them to `g`. */
function hide(root: string): void {
  mkdirSync(path.join(root, 'evil/x'), { recursive: true });
  renameSync(path.join(root, '.git'), path.join(root, 'evil/g'));
  cpSync(path.join(root, 'evil/g'), path.join(root, 'g'), { recursive: true });
  appendFileSync(path.join(root, 'evil/g/config'), EVIL);
  symlinkSync('evil/x', path.join(root, 'l'));
}

test('".." behind a link in ".git" is above what the link leads to', async () => {
  const root = makeRepository('gitdir');
  assert.equal(await decide(root, 'git status'), 'allow');
  hide(root);
  writeFileSync(path.join(root, '.git'), 'gitdir: g\n');
  assert.equal(await decide(root, 'git status'), 'allow');
  writeFileSync(path.join(root, '.git'), 'gitdir: l/../g\n');
  assert.match(git(root, 'config', 'core.fsmonitor'), /ran/, 'git reads it');
  assert.equal(await decide(root, 'git status'), 'ask');
});

test('".." behind a link in "commondir" is above what the link leads to', async () => {
  const root = makeRepository('shared');
  hide(root);
  mkdirSync(path.join(root, 'own'));
  for (const name of ['HEAD', 'index'])
    cpSync(path.join(root, 'g', name), path.join(root, 'own', name));
  writeFileSync(path.join(root, '.git'), 'gitdir: own\n');
  writeFileSync(path.join(root, 'own/commondir'), '../g\n');
  assert.equal(await decide(root, 'git status'), 'allow');
  writeFileSync(path.join(root, 'own/commondir'), '../l/../g\n');
  assert.match(git(root, 'config', 'core.fsmonitor'), /ran/, 'git reads it');
  assert.equal(await decide(root, 'git status'), 'ask');
});

test('a name that is not UTF-8 is not taken for another one', async () => {
  const root = makeRepository('odd');
  hide(root);
  renameSync(path.join(root, 'g'), path.join(root, 'g\ufffd'));
  writeFileSync(path.join(root, 'g\ufffd/gitdir'), '../.git\n');
  const odd = Buffer.concat([Buffer.from(`${root}/g`), Buffer.from([0xff])]);
  renameSync(path.join(root, 'evil/g'), odd);
  const text = Buffer.concat([Buffer.from('gitdir: g'), Buffer.from([0xff, 0x0a])]);
  writeFileSync(path.join(root, '.git'), text);
  assert.match(git(root, 'config', 'core.fsmonitor'), /ran/, 'git reads it');
  assert.equal(await decide(root, 'git status'), 'ask');
});

test('a work tree that the configuration names is the folder itself', async () => {
  const root = makeRepository('tree');
  const outside = makeRepository('outside');
  mkdirSync(path.join(outside, 'deep'));
  mkdirSync(path.join(root, 'sub'));
  symlinkSync(path.join(outside, 'deep'), path.join(root, 'l'));
  for (const [tree, decision] of [
    ['..', 'allow'],
    ['../sub/..', 'allow'],
    [root, 'allow'],
    // Denies and secrets would be looked up by the names of another folder.
    ['../sub', 'ask'],
    ['../l', 'ask'],
    ['../l/..', 'ask'],
  ] as const) {
    git(root, 'config', 'core.worktree', tree);
    assert.equal(await decide(root, 'git status'), decision, tree);
  }
  assert.equal(git(root, 'rev-parse', '--show-toplevel'), outside);
});

const notes = path.join(base, 'notes');
writeFileSync(notes, 'secret\n');

/** Another work tree of the repository, whose reason for being locked lies outside. */
function plantLocked(root: string, id: string | Buffer): void {
  const trees = path.join(root, '.git/worktrees');
  const tree = Buffer.concat([Buffer.from(`${trees}/`), Buffer.from(id)]);
  const at = (name: string) => Buffer.concat([tree, Buffer.from(`/${name}`)]);
  mkdirSync(tree, { recursive: true });
  writeFileSync(at('commondir'), '../..\n');
  writeFileSync(at('gitdir'), `${root}/other/.git\n`);
  writeFileSync(at('HEAD'), 'ref: refs/heads/x\n');
  symlinkSync(notes, at('locked'));
}

for (const id of ['x', Buffer.from([0x78, 0xff]), 'lfs', 'hooks']) {
  test(`the link of the work tree "${id}" is found`, async () => {
    const root = makeRepository(`locked-${Buffer.from(id).toString('hex')}`);
    plantLocked(root, id);
    // This name doesn't make a repository of the folder.
    writeFileSync(path.join(root, '.git/worktrees/HEAD'), 'ref: refs/heads/x\n');
    assert.match(git(root, 'worktree', 'list', '--porcelain'), /secret/);
    assert.equal(await decide(root, 'git worktree list --porcelain'), 'ask');
  });
}

test('a submodule that is not checked out borrows nothing from outside', async () => {
  const root = makeRepository('absent');
  const outside = makeRepository('lender');
  const first = git(outside, 'rev-parse', 'HEAD');
  git(outside, 'commit', '-qm', 'secret', '--allow-empty');
  const second = git(outside, 'rev-parse', 'HEAD');
  const [modules, kept] = ['.git/modules', 'kept'].map((each) => path.join(root, each));
  writeFileSync(path.join(root, '.gitmodules'), '[submodule "x"]\n\tpath = sub\n\turl = ./x\n');
  mkdirSync(path.join(root, 'sub'));
  git(root, 'update-index', '--add', '--cacheinfo', `160000,${first},sub`);
  git(root, 'add', '.gitmodules');
  git(root, 'commit', '-qm', 'x');
  git(root, 'update-index', '--cacheinfo', `160000,${second},sub`);
  git(root, 'config', 'submodule.x.url', './x');
  const [module = '', own = ''] = [modules, kept].map((each) => path.join(each ?? '', 'x'));
  const borrow = (store: string) =>
    writeFileSync(path.join(store, 'objects/info/alternates'), `${outside}/.git/objects\n`);
  const line = 'git diff --cached --submodule=log';
  const check = async () => {
    assert.match(git(root, ...line.split(' ').slice(1)), /> secret/);
    assert.equal(await decide(root, line), 'ask');
  };
  execFileSync('git', ['init', '-q', '--bare', module]);
  assert.equal(await decide(root, line), 'allow');
  borrow(module);
  await check();
  mkdirSync(kept ?? '');
  renameSync(module, own);
  symlinkSync(own, module);
  await check();
  rmSync(module);
  mkdirSync(module);
  cpSync(path.join(own, 'HEAD'), path.join(module, 'HEAD'));
  writeFileSync(path.join(module, 'commondir'), `${outside}/.git\n`);
  await check();
});
