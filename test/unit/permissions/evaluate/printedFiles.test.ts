import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import {
  listTrackedFiles,
  readIndex,
} from '../../../../src/permissions/repository/trackedFiles.ts';
import { bashCall, evaluate, evaluateBash, plantWorkspace, policyOf } from '../ask.ts';

function makeRepository(files: readonly string[]): string {
  const root = plantWorkspace(files);
  execFileSync('git', ['-C', root, 'init', '-q']);
  execFileSync('git', ['-C', root, 'add', '-A', '-f']);
  return root;
}

test('what git prints is told from all of its paths', async () => {
  const root = makeRepository(['README.md', 'src/a.ts', 'src/secret.txt', 'lib/b.ts']);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = async (line: string) => {
    const rules = ['bash git * allow', 'fs.read ** allow', 'fs.read src/secret.txt deny'];
    return (await evaluateBash(line, rules, { folders })).decision;
  };
  for (const line of [
    'git show HEAD',
    'git log -p',
    'git grep x',
    "git show HEAD -- README.md 'src/*'",
    "git show HEAD -- 'src/*' README.md",
    'git show HEAD -- README.md src',
    'git log -p -- lib src/secret.txt',
    "git grep x -- README.md ':(glob)src/**'",
    "git grep x -- src ':!lib'",
    "git grep x -- src ':(exclude)src/a.ts'",
  ])
    assert.notEqual(await decide(line), 'allow', line);
  for (const line of [
    'git show HEAD -- README.md lib',
    'git log -p -- lib/b.ts',
    "git grep x -- src ':!src/secret.txt'",
    "git grep x -- src ':(exclude)src/secret.txt'",
  ])
    assert.equal(await decide(line), 'allow', line);
});

test('git stash also takes tracked files in hidden folders', async () => {
  const root = makeRepository(['src/a.ts', '.keys/a.key']);
  writeFileSync(path.join(root, '.env'), 'untracked');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = async (rule: string) =>
    (await evaluateBash('git stash', ['bash git * allow', rule], { folders })).decision;
  assert.equal(await decide('fs.write **/*.key deny'), 'ask');
  assert.equal(await decide('fs.write **/.env deny'), 'allow');
});

test('a secret is found in a repository with SHA-256, too', async () => {
  const root = plantWorkspace(['.env', 'src/a.ts', `${'deep/'.repeat(60)}a`]);
  execFileSync('git', ['-C', root, 'init', '-q', '--object-format=sha256']);
  for (const version of ['2', '4']) {
    execFileSync('git', ['-C', root, 'add', '-A', '-f']);
    execFileSync('git', ['-C', root, 'update-index', '--index-version', version]);
    const git = { root, own: path.join(root, '.git'), common: path.join(root, '.git') };
    const files = readIndex(git) ?? [];
    assert.deepEqual(
      files.map(({ name }) => name).filter((name) => !name.startsWith('deep')),
      ['.env', 'src/a.ts'],
    );
    assert.match(files[0]?.id ?? '', /^[\da-f]{64}$/);
  }
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const policy = policyOf(DEFAULT_RULES, { folders });
  for (const line of ['git grep x', 'git log -p'])
    assert.equal((await evaluate(bashCall(line), policy)).decision, 'ask', line);
});

test('an index that is no index, or of another version, is not read', () => {
  const own = path.join(plantWorkspace([]), '.git');
  mkdirSync(own);
  const folder = path.dirname(makeRepository(['a', 'b/c']));
  const index = readFileSync(path.join(folder, 'workspace/.git/index'));
  const list = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(index);
    change(bytes);
    writeFileSync(path.join(own, 'index'), bytes);
    return listTrackedFiles({ root: path.dirname(own), own, common: own });
  };
  assert.deepEqual(
    list(() => undefined),
    ['a', 'b/c'],
  );
  assert.equal(
    list((bytes) => bytes.write('DIRX', 0, 'latin1')),
    undefined,
  );
  for (const version of [0, 1, 5])
    assert.equal(
      list((bytes) => bytes.writeUInt32BE(version, 4)),
      undefined,
      `${version}`,
    );
  assert.equal(
    list((bytes) => bytes.writeUInt32BE(99, 8)),
    undefined,
  );
});
