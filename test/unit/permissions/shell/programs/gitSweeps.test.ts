import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { toNames } from '../../../../../src/permissions/shell/git/pathspecs.ts';
import { bashCall, evaluate, evaluateBash, policyOf } from '../../ask.ts';

/** Every line is decided so where everything is allowed but what the rule is about. */
function check(
  title: string,
  rule: string,
  lines: readonly string[],
  expected: 'allow' | 'ask' | 'deny',
): void {
  test(`${rule}: ${title}`, async () => {
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision } = await evaluateBash(line, ['bash * allow', rule]);
      if (decision !== expected) wrong.push(`${line} is ${decision}`);
    }
    assert.deepEqual(wrong, []);
  });
}

const WRITE = 'fs.write src/locked.ts deny';
check(
  'git is denied what it names',
  WRITE,
  [
    'git checkout -- src/locked.ts',
    'git restore src/locked.ts',
    'git rm src/locked.ts',
    'git mv src/locked.ts x',
  ],
  'deny',
);
check(
  'git asks where it writes what it does not name',
  WRITE,
  [
    'git checkout src',
    'git checkout -- src',
    'git checkout -- .',
    'git checkout .',
    'git checkout HEAD -- .',
    'git checkout HEAD -- src/',
    "git checkout -- ':/'",
    "git checkout -- '*.ts'",
    "git checkout -- 'src/*'",
    'git restore .',
    'git restore src',
    'git restore --staged --worktree .',
    'git restore -s HEAD~1 src',
    'git clean -fd',
    'git clean -fdx',
    'git clean -f src',
    'git stash',
    'git stash push',
    'git stash save x',
    'git stash -u',
    'git reset --hard',
    'git reset --hard HEAD~1',
    'git rm -r src',
    'git rm -r .',
    'git apply x.patch',
  ],
  'ask',
);
check(
  'git is left alone where it cannot mean the file',
  WRITE,
  [
    'git checkout main',
    'git checkout -b x',
    'git checkout docs',
    'git checkout -- docs',
    'git checkout -- README.md',
    'git restore README.md',
    'git restore docs',
    'git clean -n',
    'git clean -fd docs',
    'git stash list',
    'git stash show',
    'git stash drop',
    'git reset HEAD~1',
    'git reset',
    'git add .',
    'git add -A',
    'git commit -am x',
    'git commit -m x',
    'git diff',
    'git log -p',
    'git show',
    'git status',
    'git push',
    'git apply --check x.patch',
    'git apply --stat x.patch',
  ],
  'allow',
);

const READ = 'fs.read secrets/** deny';
check(
  'git asks where it may show or take in what it does not name',
  READ,
  [
    'git diff',
    'git diff HEAD~1',
    'git diff main...x',
    'git diff -p --stat',
    'git log -p',
    'git log -p -3',
    'git log --patch',
    'git log -u',
    'git log -U3',
    'git show',
    'git show HEAD',
    'git show HEAD~1 --format=%s',
    'git stash show -p',
    'git format-patch -1',
    'git archive HEAD',
    'git add .',
    'git add -A',
    'git commit -am x',
    'git cat-file -p abc123',
    'git log -S foo',
    'git log -Gfoo --oneline',
    'git show -s abc123',
    'git show --stat v1',
    'git show abc123:a',
    'git cat-file -p abc123:a',
    'git diff abc:x def:x -- a',
  ],
  'ask',
);
check(
  'git is left alone where it shows names, or another folder',
  READ,
  [
    'git diff --stat',
    'git diff --name-only',
    'git diff --shortstat HEAD',
    'git diff -- src',
    'git diff -- src/a.ts',
    'git diff HEAD -- src docs',
    'git log',
    'git log --oneline',
    'git log --stat',
    'git log -3',
    'git log -S foo -- src',
    'git log -p -- src',
    'git show --stat',
    'git show HEAD --name-only',
    'git show HEAD:src/a.ts',
    'git show -s',
    'git cat-file -t abc',
    'git status',
    'git add src',
    'git add src/a.ts',
    'git add -u src',
    'git commit -m x',
    'git stash list',
    'git branch -a',
    'git push',
    'git checkout main',
    'git pull',
  ],
  'allow',
);

const HIDDEN = 'fs.read **/.env deny';
check(
  'what is not ignored is taken in, hidden or not',
  HIDDEN,
  [
    'git add .',
    'git add -A',
    'git add --all',
    'git add -u',
    'git add -f .',
    'git commit -a -m x',
    'git commit -am x',
    'git stash -u',
    'git stash -a',
    'git stash push -u',
    "git add '*'",
    'git add :/',
  ],
  'ask',
);
check(
  'what git keeps seldom holds hidden files',
  HIDDEN,
  [
    'git diff',
    'git log -p',
    'git show HEAD',
    'git commit -m x',
    'git add src/a.ts',
    'git stash show -p',
  ],
  'allow',
);

check(
  'no way of git to write a path hides it',
  'fs.read .env deny',
  [
    "git log -p -- ':/.env'",
    "git log -p -- ':(top).env'",
    "git log -p -- ':(literal).env'",
    "git grep x -- ':/.env'",
    "git grep x ':(top).env'",
    "git add ':/.env'",
    "git diff ':/.env'",
  ],
  'deny',
);
check(
  'a pattern that may mean it asks',
  'fs.read .env deny',
  [
    "git log -p -- ':(icase).ENV'",
    "git log -p -- ':(top,icase).ENV'",
    "git log -p -- ':(glob)*.env'",
    "git diff -- '*.env'",
    "git diff -- '.e*'",
    "git diff -S -S '*.env'",
    "git show HEAD -- '.e?v'",
    "git grep -e x '.[e]nv'",
    "git grep x -- '*'",
    'git cat-file --batch',
    'git add --pathspec-from-file=list',
  ],
  'ask',
);
check(
  'other patterns and texts do not',
  HIDDEN,
  [
    "git diff -- '*.ts'",
    "git grep -n x -- '*.ts' '*.tsx'",
    "git grep '.*nv'",
    "git grep -e '.*nv' src",
    "git commit -m '*.env'",
    "git log --grep '.*env'",
    "git log -p -- ':!.env' src",
    "git ls-files '*.env'",
    "git log -p -- ':(glob)src/**/*.ts'",
  ],
  'allow',
);
check(
  'what is written is bound likewise',
  'fs.write .env deny',
  [
    "git checkout -- '*'",
    "git checkout -- '.e*'",
    'git checkout HEAD~1 -- .',
    'git checkout .',
    'git restore .',
    'git clean -fd',
    'git reset --hard',
    'git stash -u',
    'git rm -r --cached .',
  ],
  'ask',
);
check(
  'and a branch is no folder',
  'fs.write **/.env deny',
  ['git checkout main', 'git switch main', 'git checkout -b x', 'git pull', 'git stash'],
  'allow',
);

test('the shipped rules ask about a secret that a pattern of git means, and about no other', async () => {
  const decide = async (line: string) =>
    (await evaluate(bashCall(line), policyOf(DEFAULT_RULES))).decision;
  for (const line of ["git diff -- '*.env'", "git log -p -- ':/.env'", "git show HEAD -- '*.pem'"])
    assert.equal(await decide(line), 'ask', line);
  for (const line of ["git diff -- '*.ts'", "git grep -n x -- '*.ts?'"])
    assert.equal(await decide(line), 'allow', line);
});

test('the names of a long pattern are found in one pass', () => {
  // With one look at the rest for each question mark, this takes minutes.
  const name = `${'?'.repeat(1_000_000)}b`;
  assert.deepEqual(toNames(name), [name, '*b']);
});

check(
  'git asks where it prints parts of files that are selected, or staged',
  READ,
  [
    'git add -p',
    'git add --patch',
    'git add -i',
    'git add -e',
    'git checkout -p',
    'git checkout -qp HEAD',
    'git restore -p',
    'git reset -p',
    'git stash -p',
    'git commit -p --dry-run',
    'git commit -v --dry-run',
    'git commit -qvv --dry-run',
    'git commit --verbose --dry-run',
    'git commit -m x -v',
    'git status -vv',
    'git rebase --show-current-patch',
    'git rerere diff',
    'git bisect view -p',
  ],
  'ask',
);
check(
  'git prints nothing with other options that look like these',
  READ,
  [
    'git commit -mvp',
    'git commit -m vp',
    'git add -v README.md',
    'git add --intent-to-add README.md',
    'git reset',
    'git rebase main',
    'git rerere status',
    'git bisect view',
    'git status',
  ],
  'allow',
);

check(
  'git asks where it gives another name to an object',
  READ,
  [
    'git notes add -C abc123',
    'git notes add -Cabc123 HEAD',
    'git notes append -c abc123',
    'git notes add --reuse-message=abc123',
    'git notes add --reedit-message abc123',
    'git replace HEAD:a.ts abc123',
    'git replace -f abc123 def456',
    'git update-index --add --cacheinfo 100644,abc123,b.ts',
    'git update-index --add --cacheinfo 100644 abc123 b.ts',
  ],
  'ask',
);
check(
  'git gives no other name to an object',
  READ,
  [
    'git notes add -m x',
    'git notes list',
    'git replace -l',
    'git replace -d abc123',
    'git update-index --refresh',
  ],
  'allow',
);
