import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { createIncluded } from '../../../../src/permissions/repository/includedNames.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

// A search prints the lines of an ignore file that are no patterns: `{"token": "x"`.
const plant = () => plantWorkspace(['src/deep/a.ts', 'lib/b.ts']);

async function decide(root: string, line: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }))).decision;
}

function git(folder: string, ...args: readonly string[]): void {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  execFileSync('git', ['-C', folder, ...user, ...args]);
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const SEARCHES = ['rg x', 'rg x src', 'cd src && rg x deep', 'fd a'];

async function check(root: string, expected: string): Promise<void> {
  for (const line of SEARCHES) assert.equal(await decide(root, line), expected, line);
}

test('a search asks where the exclusions of the repository lie outside', async () => {
  const root = plant();
  const secret = path.join(root, '../secret/info/exclude');
  write(secret, '{"token": "x"\n');
  git(root, 'init', '-q');
  await check(root, 'allow');
  const [own, kept] = [path.join(root, '.git'), path.join(root, 'kept')];
  const file = path.join(own, 'info/exclude');
  rmSync(file, { force: true });
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync(secret, file);
  await check(root, 'ask');
  rmSync(path.dirname(file), { recursive: true });
  symlinkSync(path.dirname(secret), path.dirname(file));
  await check(root, 'ask');
  unlinkInfo(own);
  await check(root, 'allow');
  renameSync(own, kept);
  write(path.join(kept, 'commondir'), '.\n');
  // Git takes all lines for one name, and ripgrep the first.
  for (const text of ['gitdir: kept\n', 'gitdir: kept\nx\n', `gitdir: ${kept}\n`]) {
    write(own, text);
    await check(root, 'allow');
    symlinkSync(path.dirname(secret), path.join(kept, 'info'));
    await check(root, 'ask');
    unlinkInfo(kept);
  }
  write(path.join(kept, 'commondir'), '../../secret\n');
  await check(root, 'ask');
  write(own, 'gitdir: ../secret\n');
  write(path.join(root, '../secret/commondir'), '.\n');
  await check(root, 'ask');
});

function unlinkInfo(folder: string): void {
  rmSync(path.join(folder, 'info'), { recursive: true, force: true });
}

test('a search in a linked work tree does not ask', async () => {
  const root = plant();
  git(root, 'init', '-q');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'x');
  const tree = path.join(root, '../tree');
  git(root, 'worktree', 'add', '-q', tree);
  await check(tree, 'allow');
});

test('a search asks about ignore files above the folder that it runs in or names', async () => {
  const root = plant();
  write(path.join(root, '../secret'), '{"token": "x"\n');
  for (const name of ['.ignore', '.gitignore', '.rgignore']) {
    symlinkSync(path.join(root, '../secret'), path.join(root, name));
    await check(root, 'ask');
    rmSync(path.join(root, name));
  }
  symlinkSync(path.join(root, '../secret'), path.join(root, 'lib/.ignore'));
  assert.equal(await decide(root, 'cd src && rg x ../lib'), 'ask');
  assert.equal(await decide(root, 'cd src && rg x deep'), 'allow');
  assert.equal(await decide(root, 'cat src/deep/a.ts'), 'allow');
});

test('a search may read what the exclusions that it finds by another name include', () => {
  const root = plant();
  write(path.join(root, 'kept/info/exclude'), '!.env\n');
  write(path.join(root, 'kept/commondir'), '.\n');
  for (const text of ['gitdir: kept\n', 'gitdir: kept\nx\n']) {
    write(path.join(root, 'src/.git'), text);
    assert.equal(createIncluded()(path.join(root, 'src'), '.env'), true, text);
  }
  write(path.join(root, 'src/.git'), 'gitdir: other\n');
  assert.equal(createIncluded()(path.join(root, 'src'), '.env'), false);
});
