import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { createReadGit } from '../../../../../src/runtime/commands/readGit.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../../ask.ts';
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

/** The decision on a line in the repository, and whether bash prints the secret then. */
async function decideSubstituted(line: string, root: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = [...DEFAULT_RULES, ...rulesOf('fs.read keys deny')];
  const policy = policyOf(rules, { folders, readGit: createReadGit([root]) });
  const { decision } = await evaluate(bashCall(line), policy);
  if (decision !== 'allow') return decision;
  const { stdout } = spawnSync('bash', ['-c', line], { cwd: root, encoding: 'utf8', input: '' });
  return stdout.includes('SECRET') ? 'printed' : 'allow';
}

test('names that a substitution prints are looked up', async () => {
  const { root, git, commit } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  commit({ '.gitignore': 'keys\n', 'src/a.ts': '1\n', 'src/b.ts': '1\n', 'lib/c.ts': '1\n' });
  const lines = [
    'wc -l $(git ls-files src)',
    'wc -l $(git ls-files)',
    'wc -l `git ls-files src lib/`',
    "grep -n 1 $(git ls-files '*.ts' | grep -v lib | head -3)",
    "head -n 3 $(find src -name '*.ts')",
    'cat $(grep -rl 1 src)',
    'ls -l -- $(git ls-files src)',
  ];
  for (const line of lines) assert.equal(await decideSubstituted(line, root), 'allow', line);
  for (const line of [
    'wc -l "$(git ls-files src)"',
    'wc -l x$(git ls-files src)',
    'wc $(git ls-files src) -l',
    'rm $(git ls-files src)',
    'sort $(git ls-files src)',
    'sh $(git ls-files src)',
    'grep -f $(git ls-files src)',
    'cat $(git ls-files -o)',
    'cat $(git ls-files -z src)',
    'cat $(git ls-files src; ls)',
    'cat $(git ls-files src || ls)',
    'cat $(git ls-files src &)',
    'cat $(cat list)',
    'cat $(git ls-files src | sed s/src/keys/)',
  ])
    assert.notEqual(await decideSubstituted(line, root), 'allow', line);
});

for (const name of [
  '[k]eys/x',
  'key?/x',
  'key*/x',
  'a keys/x',
  '-f keys/x',
  'keys/x\ta',
  "b'a keys/x",
])
  test(`a substitution that prints ${JSON.stringify(name)} asks`, async () => {
    const { root, git, commit, write } = openRepository(makeFolder());
    git('init', '-q', '-b', 'main');
    commit({ '.gitignore': '/keys\n', 'src/a.ts': '1\n', [`src/${name}`]: '1\n', [name]: '1\n' });
    write({ 'keys/x': 'SECRET\n' });
    for (const line of [
      'cat $(git ls-files)',
      'cat -- $(git ls-files)',
      'grep . $(git ls-files | sort)',
      'wc -l $(git diff --name-only HEAD)',
    ])
      assert.match(await decideSubstituted(line, root), /ask|deny/, line);
    assert.equal(await decideSubstituted('cat $(git ls-files src/a.ts)', root), 'allow');
  });

test('what a command reads that gets no names counts, too', async () => {
  const { root, git, commit, write } = openRepository(makeFolder());
  git('init', '-q', '-b', 'main');
  commit({ '.gitignore': 'keys\n', 'src/a.ts': '1\n' });
  write({ 'keys/x': 'SECRET\n' });
  assert.equal(await decideSubstituted("grep -r . $(git ls-files '*.none')", root), 'deny');
  assert.equal(await decideSubstituted("cat $(git ls-files '*.none')", root), 'allow');
});
