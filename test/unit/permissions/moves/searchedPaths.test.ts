import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const root = makeRepository();
const git = (...args: readonly string[]) => runGit(root, ...args);
git('branch', 'only', 'HEAD~1');
git('branch', 'src', 'HEAD~1');
mkdirSync(path.join(root, 'out'));

function makeRepository(): string {
  const folder = plantWorkspace(['src/a.ts', 'b.ts', 'old/.env', 'sub/src/c.ts']);
  runGit(folder, 'init', '-q');
  runGit(folder, 'add', '-A', '-f');
  runGit(folder, 'commit', '-qm', 'x');
  runGit(folder, 'rm', '-rqf', 'old');
  runGit(folder, 'commit', '-qm', 'y');
  return folder;
}

function runGit(folder: string, ...args: readonly string[]): void {
  execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@y', ...args]);
}

async function decide(line: string, more: readonly string[] = []): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = [...DEFAULT_RULES, ...rulesOf(...more)];
  return (await evaluate(bashCall(line), policyOf(rules, { folders, lookMs: 60_000 }))).decision;
}

test('git takes no word for a revision that is also a path', () => {
  const { status, stderr } = spawnSync('git', ['grep', 'env', 'src'], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 128);
  assert.match(stderr, /ambiguous/);
  const { stdout } = spawnSync('git', ['grep', 'env', 'only'], { cwd: root, encoding: 'utf8' });
  assert.match(stdout, /old\/\.env/);
});

for (const line of [
  'git grep x src',
  'git grep -n x b.ts src',
  'git grep -e x src/a.ts',
  'cd sub && git grep x src',
  'git -C sub grep x src',
  'git grep x src | head; ls',
])
  test(`git grep searches the path: ${line}`, async () => {
    assert.equal(await decide(line), 'allow');
  });

for (const line of [
  'git grep x only',
  'git grep x HEAD',
  'git grep x src only',
  'git grep x none',
  'git grep x only -- src',
  'git grep --cached x src',
  'cd out && git grep x src',
  'git -C out grep x src',
  'cd .git && git grep x refs',
  'rm -rf src; git grep x src',
  'mv src y; git grep x src',
  'git grep x "$Y"',
  'cd $Y; git grep x src',
])
  test(`git grep may search a commit: ${line}`, async () => {
    assert.equal(await decide(line, ['bash rm -rf src allow', 'bash mv src y allow']), 'ask');
  });

test('a work tree elsewhere, and a bare repository, have no such paths', async () => {
  git('init', '-q', '--bare', 'bare');
  mkdirSync(path.join(root, 'bare/only'));
  assert.equal(await decide('cd bare && git grep x only'), 'ask');
  writeFileSync(path.join(root, '.git/config'), '[core]\n\tworktree = /\n', { flag: 'a' });
  assert.equal(await decide('git grep x src'), 'ask');
});

test('a word that is a path now may be a revision after a command that changes files', async () => {
  const folder = makeRepository();
  const folders = { workspace: [path.dirname(folder)], adHoc: [], cwd: folder };
  const rules = [...DEFAULT_RULES, ...rulesOf('bash make allow')];
  const policy = policyOf(rules, { folders, lookMs: 60_000 });
  for (const [line, expected] of [
    ['git grep x src', 'allow'],
    ['make; git grep x src', 'ask'],
  ] as const)
    assert.equal((await evaluate(bashCall(line), policy)).decision, expected, line);
});
