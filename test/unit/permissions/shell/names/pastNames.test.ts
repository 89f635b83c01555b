import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { createReadGit } from '../../../../../src/runtime/commands/readGit.ts';
import { bashCall, evaluate, policyOf } from '../../ask.ts';
import { makeFolder, openRepository } from '../../moves/repository.ts';

/** Git tracked `.env` in two folders once; the files still lie there. */
function makeRepository(): string {
  const { root, git, commit, write } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  commit({ '.env': 'SECRET 1\n', 'sub/.env': 'SECRET 2\n', 'a.ts': '1\n', 'sub/b.ts': '1\n' });
  git('rm', '-q', '--cached', '.env', 'sub/.env');
  git('commit', '-qm', 'x');
  for (const file of ['a.ts', 'sub/b.ts']) {
    write({ [file]: '2\n' });
    git('commit', '-qm', 'x', '--', file);
  }
  write({ 'a.ts': '4\n' });
  return root;
}

const NAMES = ['git diff --name-only -z', 'git diff -z --name-only --diff-filter=d'];
const PAST = ['HEAD~3', 'HEAD~3 HEAD', 'HEAD~3..HEAD', 'HEAD~3 -- sub', '--cached HEAD~3', '-m'];
const READERS = ['cat', 'head -n 5', 'grep -n .', 'sed -n p --'];

test('names from a commit may be those of files that git no longer tracks', async () => {
  const root = makeRepository();
  const policy = policyOf(DEFAULT_RULES, { folders: { workspace: [root], adHoc: [], cwd: root } });
  const found: string[] = [];
  for (const start of ['', 'cd sub && ']) {
    for (const names of [...NAMES, 'git ls-files -z']) {
      for (const past of ['', ...PAST]) {
        for (const reader of READERS) {
          const line = `${start}${names} ${past} | xargs -0 ${reader}`;
          const { decision } = await evaluate(bashCall(line), policy);
          if (decision !== 'allow') continue;
          const { stdout } = spawnSync('bash', ['-c', line], { cwd: root, encoding: 'utf8' });
          if (stdout.includes('SECRET')) found.push(line);
        }
      }
    }
  }
  assert.deepEqual(found, []);
});

test('a file at the root may have the name of another one below', async () => {
  const { root, git, commit, write } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  commit({ '.hidden/x': '1\n', 'sub/a.ts': '1\n' });
  write({ '.hidden/x': '2\n', 'sub/.hidden/x': 'token\n' });
  const rule = { permission: 'fs.read', pattern: 'sub/.hidden', source: 'session' } as const;
  const rules = [...DEFAULT_RULES, { ...rule, action: 'deny' } as const];
  const policy = policyOf(rules, { folders: { workspace: [root], adHoc: [], cwd: root } });
  const line = 'cd sub && git diff --name-only -z | xargs -0 cat';
  assert.equal((await evaluate(bashCall(line), policy)).decision, 'deny');
});

test('names of files that git tracks are no reason to ask', async () => {
  const root = makeRepository();
  const policy = policyOf(DEFAULT_RULES, {
    folders: { workspace: [root], adHoc: [], cwd: root },
    readGit: createReadGit([root]),
  });
  for (const line of [
    'git diff --name-only -z | xargs -0 cat',
    'git ls-files -z | xargs -0 cat',
    "git diff --name-only -z HEAD~3 -- '*.ts' | xargs -0 cat",
    'git diff --name-only HEAD~3 | xargs -n1 basename',
  ])
    assert.equal((await evaluate(bashCall(line), policy)).decision, 'allow', line);
});
