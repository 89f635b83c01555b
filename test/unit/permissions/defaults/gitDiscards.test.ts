import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { GIT_DISCARDS } from '../../../../src/permissions/defaults/gitDiscards.ts';
import { GIT_OPTIONS } from '../../../../src/permissions/patterns/git/gitOptions.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

/** The decision with the shipped rules, any git command allowed, and the files that one may write. */
async function decideGit(line: string, ...more: readonly string[]) {
  const rules = rulesOf('bash git * allow', 'fs.write ** allow', ...more);
  return evaluate(bashCall(line), policyOf([...DEFAULT_RULES, ...rules]));
}

for (const line of [
  ...['git branch --delete --force x', 'git branch --del --forc x', 'git branch -fd x'],
  ...['git branch -d -f x', 'git branch x --delete', 'git branch -D x', 'git branch -f x HEAD~3'],
  ...['git branch -M x y', 'git branch --move -f x y', 'git branch -C x y', 'git branch -fc x y'],
  ...['git tag --delete v1', 'git tag --del v1', 'git tag -d v1', 'git tag -fa v1 -m x'],
  ...['git checkout -f', 'git checkout --force', 'git checkout --forc main', 'git checkout -qf'],
  ...[
    'git checkout -B x',
    'git switch -f x',
    'git switch --discard-changes x',
    'git switch --disc x',
  ],
  ...['git switch -C x', 'git switch --force-c x', 'git worktree add -B x ../y'],
  ...['git read-tree --reset -u HEAD', 'git read-tree -u --res HEAD', 'git restore .'],
  ...['git clean --force', 'git clean -fd', 'git clean -xdf', 'git clean -n'],
  ...['git stash drop', 'git stash clear', 'git stash drop stash@{1}', 'git stash -q drop'],
  ...['git reflog expire --all', 'git reflog delete HEAD@{1}', 'git worktree remove --force x'],
  ...['git worktree remove -f x', 'git submodule deinit -f x', 'git submodule deinit --for --all'],
  ...['git push --force-with-lease', 'git push --force-w origin x', 'git push --mirror origin'],
  ...[
    'git push --delete origin x',
    'git push -d origin x',
    'git push origin :x',
    'git push origin +x',
  ],
  ...['git push -uf origin x', 'git push origin a b +c', 'git push --prune origin'],
  ...['git rm -f a', 'git rm -rf src', 'git rm --for a', 'git update-ref -d refs/heads/x'],
  ...['git symbolic-ref -d HEAD', 'git symbolic-ref --del HEAD', 'git filter-branch -f x'],
  ...['git gc --prune=now', 'git prune', 'git remote remove origin', 'git remote rm origin'],
  ...['git repack -ad', 'git repack -a -d', 'git replace -d x', 'git mv -f a b', 'git reset --har'],
  ...['git merge --abort', 'git cherry-pick --abo', 'git fetch -f', 'git fetch origin +a:a'],
  ...['git -c a=b branch --delete x', '/usr/bin/git branch --delete x', 'git -C src tag --del x'],
])
  test(`the shipped rules ask about "${line}" beside "git *", and say what it does`, async () => {
    const { decision, reason } = await decideGit(line, 'bash /usr/bin/git * allow');
    assert.equal(decision, 'ask');
    if (!/^\/|-[cC] |submodule|filter|\.\.\//.test(line))
      assert.match(reason, /, so the rule `bash git/);
  });

for (const line of [
  ...['git branch x', 'git branch -m x y', 'git branch --move x y', 'git branch --contains x'],
  ...['git tag v1', 'git tag -a v1 -m x', 'git checkout -b fix', 'git switch -c force'],
  ...['git rm --cached a', 'git merge --ff-only x', 'git fetch --prune', 'git fetch origin a:a'],
  ...['git stash', 'git reset --soft HEAD~1', 'git commit -m "push --force"', 'git branch -- -D'],
])
  test(`the shipped rules leave "${line}" to "git *"`, async () => {
    const { decision, reason } = await decideGit(line);
    if (decision !== 'allow') assert.doesNotMatch(reason, /so the rule/, reason);
  });

test('an allow of "git push *" leaves those asks', async () => {
  for (const line of ['git push -f', 'git push origin +x', 'git push origin :x', 'git push -d o x'])
    assert.equal((await decideGit(line, 'bash git push * allow')).decision, 'ask', line);
  assert.equal(
    (await decideGit('git push origin HEAD', 'bash git push * allow')).decision,
    'allow',
  );
});

test('an allow that spells the option in any way lifts the ask', async () => {
  for (const pattern of ['git branch -D *', 'git branch --delete --force *', 'git branch -d -f *'])
    for (const line of [pattern.replace('*', 'x')])
      assert.equal((await decideGit(line, `bash ${pattern} allow`)).decision, 'allow', pattern);
  const { decision } = await decideGit('git push --force origin', 'bash git push -f * allow');
  assert.equal(decision, 'ask', 'an allow covers only what it spells');
});

test('a deny holds for every spelling of its options', async () => {
  for (const [pattern, line] of [
    ['git push -f', 'git push --force origin'],
    ['git push --force', 'git push origin -f'],
    ['git push * --force', 'git push origin -f'],
    ['git commit -n', 'git commit --no-verify -m x'],
    ['git commit --no-verify', 'git commit -anm x'],
    ['git branch -D', 'git branch --del --force x'],
    ['git branch --delete', 'git branch -D x'],
    ['git clean -x', 'git clean -fdx'],
  ] as const)
    assert.equal((await decideGit(line, `bash ${pattern} deny`)).decision, 'deny', line);
});

test('every spelling of the options of a row gets the same decision', async () => {
  const faults: string[] = [];
  for (const { commands } of GIT_DISCARDS)
    for (const command of commands)
      for (const line of listLines(command)) {
        const { decision } = await decideGit(line);
        if (decision !== 'ask') faults.push(line);
      }
  assert.deepEqual(faults, []);
});

/** The command with each spelling of each of its options, before and behind an operand. */
function listLines(command: string): readonly string[] {
  const [sub = '', ...given] = command.split(' ');
  const options = given.filter((word) => /^-./.test(word));
  if (options.length === 0 || given.includes('*')) return [`git ${command.replaceAll('*', 'a')}`];
  const action = given.filter((word) => !word.startsWith('-')).join(' ');
  const key = `${sub} ${action}`.trim();
  const known = (GIT_OPTIONS[key] ?? GIT_OPTIONS[sub] ?? '').trim().split(/\s+/);
  const words = options.map((option) => listWords(option, known));
  const spelled = words.reduce<readonly string[]>(
    (lines, each) => lines.flatMap((line) => each.map((word) => `${line} ${word}`.trim())),
    [''],
  );
  return spelled.flatMap((each) => [`git ${key} ${each} x`, `git ${key} x ${each}`]);
}

/** The option as each of its names, letters, clusters and beginnings that mean no other. */
function listWords(option: string, known: readonly string[]): readonly string[] {
  const name = option.replace(/^--?/, '');
  const own =
    known.find((each) =>
      each
        .replace(/[=?>].*$/, '')
        .split('|')
        .includes(name),
    ) ?? name;
  const forms = own.replace(/[=?>].*$/, '').split('|');
  const value = own.endsWith('=') ? '=v' : '';
  const others = known.filter((each) => each !== own).flatMap((each) => each.split(/[|=?>]/));
  const quiet = known.some((each) => each.startsWith('q|')) ? ['-q'] : [];
  return forms.flatMap((form) => {
    if (form.length === 1)
      return value === ''
        ? [`-${form}`, ...quiet.map((each) => `${each}${form}`)]
        : [`-${form} v`, `-${form}v`];
    const beginnings = Array.from({ length: form.length - 2 }, (_, at) => form.slice(0, at + 3));
    return beginnings
      .filter((each) => each === form || !others.some((other) => other.startsWith(each)))
      .map((each) => `--${each}${value}`);
  });
}
