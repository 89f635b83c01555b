import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { rulesOf } from '../ask.ts';
import { decideIn, makeRepository, type Repository } from './repository.ts';

/** Decides every line; `ask` must name the file. */
async function check(
  repository: Repository,
  lines: Readonly<Record<string, 'allow' | 'AGENTS.md' | '.vscode/tasks.json' | 'unclear'>>,
): Promise<void> {
  for (const [line, expected] of Object.entries(lines)) {
    const decision = await repository.decide(line);
    const named = decision.subjects
      .filter((each) => each.permission === 'fs.write' && each.decision === 'ask')
      .map(({ target }) => target.replace(`${repository.root}/`, ''));
    const unclear = decision.reason.startsWith("Gatehouse can't tell which protected files");
    const found =
      decision.decision === 'allow' ? 'allow' : unclear ? 'unclear' : named.sort().join();
    const asked = found.split(',').includes(expected) ? expected : found;
    assert.equal(asked, expected, `${line}: ${decision.reason}`);
  }
}

test('a switch asks if it brings a protected file', async () => {
  const repository = makeRepository();
  repository.git('checkout', '-q', 'brings');
  repository.git('commit', '-q', '--amend', '-m', 'wanted');
  repository.git('checkout', '-q', 'main');
  await check(repository, {
    'git checkout brings': 'AGENTS.md',
    'git switch brings': '.vscode/tasks.json',
    'git checkout -': 'AGENTS.md',
    'git switch -': 'AGENTS.md',
    'git checkout @{-1}': 'AGENTS.md',
    'git checkout --detach brings': 'AGENTS.md',
    'git checkout -b other brings': 'AGENTS.md',
    'git checkout -qB other brings': 'AGENTS.md',
    'git switch -c other brings': 'AGENTS.md',
    'git switch --detach brings~0': 'AGENTS.md',
    'git checkout brings --': 'AGENTS.md',
    'git checkout -f brings': 'AGENTS.md',
    'git checkout ":/wanted"': 'AGENTS.md',
    'git --no-pager checkout brings': 'AGENTS.md',
    'git checkout plain': 'allow',
    'git switch plain': 'allow',
    'git checkout -b other': 'allow',
    'git switch -c other plain': 'allow',
    'git checkout a.ts': 'allow',
    'git checkout nothing': 'allow',
    'git switch --orphan other': '.vscode/tasks.json',
    'git checkout main...brings': 'unclear',
    'git checkout --unknown brings': 'unclear',
  });
});

test('restoring parts of files asks about the protected ones that may differ', async () => {
  const repository = makeRepository();
  // Nothing differs from the index.
  await check(repository, {
    'git checkout -p': 'allow',
    'git restore -p': 'allow',
    'git checkout -p HEAD': 'allow',
    'git checkout -p brings': 'AGENTS.md',
    'git checkout -p brings -- AGENTS.md': 'AGENTS.md',
    'git checkout -p brings a.ts': 'allow',
    'git restore -ps brings': 'AGENTS.md',
    'git restore -p --source=brings a.ts': 'allow',
  });
  repository.write({ '.vscode/tasks.json': 'changed' });
  await check(repository, {
    'git checkout -p <<< y': '.vscode/tasks.json',
    'git checkout --patch': '.vscode/tasks.json',
    'yes | git checkout -p': '.vscode/tasks.json',
    'git checkout -p HEAD': '.vscode/tasks.json',
    'git checkout -p .': '.vscode/tasks.json',
    'git checkout -p .vscode': '.vscode/tasks.json',
    'git checkout -p --': '.vscode/tasks.json',
    'git checkout -p -- .vscode': '.vscode/tasks.json',
    'git checkout -qp HEAD .vscode/tasks.json': '.vscode/tasks.json',
    'git checkout -p a.ts': 'allow',
    'git checkout -p HEAD -- a.ts': 'allow',
    'git restore -p <<< y': '.vscode/tasks.json',
    'git restore --patch --worktree': '.vscode/tasks.json',
    'git restore -p -s HEAD': '.vscode/tasks.json',
    'git restore -p a.ts': 'allow',
    'git restore -p --staged': 'allow',
    'git reset -p': 'allow',
    'git stash -p': '.vscode/tasks.json',
    'git stash push -p': '.vscode/tasks.json',
  });
});

test('merge and rebase ask if the other side changed a protected file', async () => {
  const repository = makeRepository();
  await check(repository, {
    'git merge brings': 'AGENTS.md',
    'git merge --no-ff -m text brings': 'AGENTS.md',
    'git merge --squash plain brings': 'AGENTS.md',
    'git merge -': 'AGENTS.md',
    'git rebase brings': 'AGENTS.md',
    'git rebase --onto brings main~1': 'AGENTS.md',
    'git rebase plain brings': 'AGENTS.md',
    'git merge plain': 'allow',
    'git rebase plain': 'allow',
    'git rebase --onto plain main~1': 'allow',
    'git merge --continue': 'allow',
    'git rebase': 'unclear',
    'git rebase --continue': 'unclear',
    'git merge -X subtree=docs plain': 'unclear',
  });
  repository.git('checkout', '-q', 'brings');
  // The protected files are its own, so nothing is brought.
  await check(repository, { 'git merge main': 'allow', 'git rebase main': 'allow' });
});

test('a rebase asks about what a reverted commit of the other side leaves out', async () => {
  const repository = makeRepository();
  const { git, commit } = repository;
  git('cherry-pick', 'brings');
  git('revert', '--no-edit', 'HEAD');
  commit({ 'a.ts': 'again' });
  git('checkout', '-q', 'brings');
  await check(repository, { 'git rebase main': 'AGENTS.md', 'git merge main': 'allow' });
});

test('a merge asks about changes of a file that was moved to a protected name', async () => {
  const repository = makeRepository();
  const { git, commit } = repository;
  git('checkout', '-q', '-b', 'edits');
  // Something else changes, too.
  commit({ 'src/b.ts': 'bb', 'a.ts': 'aa' });
  git('checkout', '-q', 'main');
  commit({ 'src/b.ts': null, 'tools.json': 'b' });
  const { decision, subjects } = await repository.decide('git merge edits');
  assert.equal(decision, 'ask');
  assert.ok(subjects.some(({ target }) => target === `${repository.root}/tools.json`));
  await check(repository, { 'git merge brings~1': 'allow' });
});

test('cherry-pick and revert ask about what the commit changes', async () => {
  const repository = makeRepository();
  const { git, commit } = repository;
  await check(repository, {
    'git cherry-pick brings': 'AGENTS.md',
    'git cherry-pick -x plain brings': 'AGENTS.md',
    'git cherry-pick plain': 'allow',
    'git cherry-pick -n plain': 'allow',
    'git cherry-pick main..brings': 'unclear',
    'git cherry-pick --continue': 'unclear',
    'git cherry-pick --quit': 'allow',
    'git revert HEAD': 'allow',
    'git revert main~1': '.vscode/tasks.json',
    'git revert --no-edit main..brings': 'unclear',
  });
  git('merge', '-q', '--no-edit', 'brings');
  commit({ 'a.ts': 'last' });
  await check(repository, {
    'git revert -m 1 HEAD~1': 'AGENTS.md',
    'git revert -m 2 HEAD~1': 'allow',
    'git cherry-pick HEAD~1^2': 'allow',
  });
});

test('stash asks about what it brings back and what it takes away', async () => {
  const repository = makeRepository();
  const { git, write } = repository;
  write({ 'a.ts': 'mine' });
  await check(repository, { 'git stash': 'allow', 'git stash push -m text': 'allow' });
  git('stash');
  await check(repository, { 'git stash pop': 'allow', 'git stash apply stash@{0}': 'allow' });
  git('stash', 'pop');
  write({ '.vscode/tasks.json': 'mine' });
  await check(repository, {
    'git stash': '.vscode/tasks.json',
    'git stash push -- a.ts': 'allow',
  });
  git('stash');
  write({ 'AGENTS.md': 'untracked', 'a.ts': 'x' });
  git('stash', '-u');
  await check(repository, {
    'git stash pop': 'AGENTS.md',
    'git stash apply 0': 'AGENTS.md',
    'git stash apply --index stash@{1}': '.vscode/tasks.json',
    'git stash branch other': 'AGENTS.md',
    'git stash list': 'allow',
    'git stash show': 'allow',
  });
});

test('reset and read-tree ask about what changes on disk', async () => {
  const repository = makeRepository();
  await check(repository, {
    'git reset --hard brings': 'AGENTS.md',
    'git reset --keep brings': 'AGENTS.md',
    'git reset --merge brings': 'AGENTS.md',
    'git reset -q --hard brings': 'AGENTS.md',
    'git read-tree -u --reset brings': 'AGENTS.md',
    'git read-tree -mu HEAD brings': 'AGENTS.md',
    'git reset --hard plain': 'allow',
    'git reset --keep plain': 'allow',
    'git reset --hard': 'allow',
    'git reset brings': 'allow',
    'git reset --soft brings': 'allow',
    'git read-tree brings': 'allow',
    'git read-tree -mu HEAD plain': 'allow',
    'git read-tree -u --prefix=x/ plain': 'unclear',
  });
  repository.write({ '.vscode/tasks.json': 'mine' });
  await check(repository, {
    'git reset --hard': '.vscode/tasks.json',
    'git reset --hard plain': '.vscode/tasks.json',
    'git checkout -f plain': '.vscode/tasks.json',
    'git merge --abort': '.vscode/tasks.json',
    'git checkout plain': 'allow',
  });
});

test('paths of a revision or of the index ask about the protected files below them', async () => {
  const repository = makeRepository();
  await check(repository, {
    'git checkout brings -- .': 'AGENTS.md',
    'git checkout brings .': 'AGENTS.md',
    'git checkout brings "*.md"': 'AGENTS.md',
    'git checkout brings -- :/': 'AGENTS.md',
    'git restore --source=brings .': 'AGENTS.md',
    'git restore -s brings :/': 'AGENTS.md',
    'git restore -SW --source brings .': 'AGENTS.md',
    'git restore --staged --source=brings .': 'allow',
    'git checkout brings -- src': 'allow',
    'git restore --source=brings src': 'allow',
    'git checkout plain -- .': 'allow',
    'git checkout .': 'allow',
    'git restore .': 'allow',
  });
  repository.git('checkout', '-q', 'brings');
  await check(repository, {
    'git restore --source=plain src': 'allow',
    'git restore --source=plain .': 'AGENTS.md',
  });
  repository.write({ 'AGENTS.md': 'mine' });
  await check(repository, {
    'git checkout .': 'AGENTS.md',
    'git checkout -- .': 'AGENTS.md',
    'git restore .': 'AGENTS.md',
    'git restore src': 'allow',
  });
});

test('what an earlier command of the line changes is considered', async () => {
  await check(makeRepository(), {
    'git checkout brings && git status': 'AGENTS.md',
    'git status && git checkout plain': 'allow',
    'git checkout plain && git merge brings': 'AGENTS.md',
    'git checkout plain && git checkout main': 'allow',
    'git checkout plain && git checkout -': 'unclear',
    'git fetch && git merge plain': 'unclear',
    'git branch -f plain brings; git checkout plain': 'unclear',
    'git checkout plain; git branch -f plain brings; git checkout plain': 'unclear',
    'git merge plain && git checkout main': 'unclear',
    'git stash && git stash pop': 'unclear',
    'git stash && git checkout plain': 'allow',
    'git reset brings && git checkout .': 'unclear',
    'for x in 1 2; do git fetch; git merge plain; done': 'unclear',
    'cd src && git checkout brings': 'AGENTS.md',
    'cd src && git checkout plain': 'allow',
    'cd src && git checkout brings -- .': 'allow',
  });
});

test('commands that select the revision themselves must be spelled out', async () => {
  const repository = makeRepository();
  await check(repository, {
    'git pull': 'unclear',
    'git pull origin main': 'unclear',
    'git bisect good': 'unclear',
    'git sparse-checkout disable': 'unclear',
    'git sparse-checkout list': 'allow',
    'git merge FETCH_HEAD': 'unclear',
  });
  const { decision, reason } = await makeRepository(['bash git pull allow']).decide('git pull');
  assert.equal(decision, 'allow', reason);
});

test('rules about files hold for what a switch brings', async () => {
  const asks = makeRepository(['fs.write src/c.ts ask']);
  assert.equal((await asks.decide('git checkout brings~0 -- src')).decision, 'ask');
  assert.equal((await asks.decide('git checkout plain')).decision, 'allow');
  const denies = makeRepository(['fs.write src/** deny']);
  const { decision, reason } = await denies.decide('git checkout plain');
  assert.equal(decision, 'deny');
  assert.match(reason, /fs\.write src\/\*\*/);
});

test('a rule of the user about every file counts, and a shipped one about secrets', async () => {
  for (const rules of [rulesOf('fs.write ** ask'), DEFAULT_RULES]) {
    const repository = makeRepository();
    repository.git('checkout', '-q', '-b', 'secret');
    repository.commit({ 'src/.env': 'x' });
    repository.git('checkout', '-q', 'main');
    const allowed = [...rulesOf('bash git * allow'), ...rules];
    const decision = await decideIn('git checkout secret', repository.root, allowed);
    assert.equal(decision, 'ask');
  }
});
