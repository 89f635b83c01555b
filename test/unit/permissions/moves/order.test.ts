import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { rulesOf } from '../ask.ts';
import { decideIn, makeRepository, type Repository } from './repository.ts';

/** Checks whether a line is allowed, asks about a file it brings, or asks because that is unclear. */
async function check(
  repository: Repository,
  lines: Readonly<Record<string, 'allow' | 'brings' | 'unclear'>>,
): Promise<void> {
  for (const [line, expected] of Object.entries(lines)) {
    const { decision, reason } = await repository.decide(line);
    const unclear = reason.startsWith("Gatehouse can't tell which protected files");
    const found = decision === 'ask' ? (unclear ? 'unclear' : 'brings') : decision;
    assert.equal(found, expected, `${line}: ${reason}`);
  }
}

test('a reset to another commit changes what later revisions mean', async () => {
  await check(makeRepository(), {
    'git reset --hard && git checkout plain': 'allow',
    'git reset --hard HEAD && git checkout plain': 'allow',
    'git reset --hard plain && git checkout plain': 'unclear',
    'git reset --keep plain && git checkout plain': 'unclear',
    'git reset --hard && git checkout HEAD': 'unclear',
    'git reset --hard && git checkout -': 'unclear',
    'git reset --hard && git merge plain': 'allow',
  });
});

test('restored files change no revision, and what is added lies in the work tree', async () => {
  await check(makeRepository(), {
    'git restore src && git checkout HEAD': 'allow',
    'git restore src && git checkout plain': 'allow',
    'git restore --source=plain src && git checkout plain -- src': 'allow',
    'git restore src && git restore src': 'unclear',
    'git add . && git checkout plain': 'allow',
    'git add . && git checkout .': 'allow',
    'git stage . && git checkout .': 'allow',
    'git rm a.ts && git checkout .': 'unclear',
    'git commit -m x && git checkout plain': 'unclear',
  });
});

test('a loop runs its git command again', async () => {
  await check(makeRepository(), {
    'for x in 1 2; do git checkout plain; done': 'allow',
    'for x in 1 2; do git checkout -; done': 'unclear',
    'for x in 1 2; do git checkout .; done': 'allow',
    'for x in 1 2; do git checkout .; git checkout plain; done': 'unclear',
    'for x in 1 2; do git status; git checkout plain; done': 'allow',
  });
});

test('a command that may run in several folders brings the files of each', async () => {
  const repository = makeRepository();
  const above = path.dirname(repository.root);
  const folders = { workspace: [above], adHoc: [], cwd: above };
  const name = path.basename(repository.root);
  for (const [line, expected] of [
    [`cd none || cd ${name}; git checkout brings`, 'brings'],
    [`cd ${name} || cd none; git checkout brings`, 'brings'],
    [`cd none || cd ${name}; git checkout plain`, 'allow'],
    ['cd none; git checkout brings', 'allow'],
    ['cd "$x"; git checkout plain', 'ask'],
  ] as const) {
    const { decision, subjects, reason } = await repository.decide(line, { folders });
    const named = subjects.some(({ target }) => target.endsWith('/AGENTS.md'));
    assert.equal(named ? 'brings' : decision, expected, `${line}: ${reason}`);
  }
});

test('a repository that can not be read asks', async () => {
  const repository = makeRepository();
  await check(repository, { 'git checkout plain': 'allow' });
  writeFileSync(path.join(repository.root, '.git/HEAD'), 'ref: refs/heads/../../x');
  const { decision } = await repository.decide('git checkout brings');
  assert.equal(decision, 'ask');
});

test('many files are not listed', async () => {
  const repository = makeRepository(['fs.write many/** ask']);
  const { git, commit } = repository;
  const files = Array.from({ length: 1001 }, (_, at) => [`many/${at}`, 'x'] as const);
  git('checkout', '-q', '-b', 'lot');
  commit(Object.fromEntries(files));
  git('checkout', '-q', 'main');
  await check(repository, { 'git checkout lot': 'unclear', 'git checkout plain': 'allow' });
});

test('git switch takes branches alone', async () => {
  const repository = makeRepository();
  repository.git('checkout', '-q', 'brings');
  repository.write({ 'AGENTS.md': 'mine' });
  await check(repository, {
    'git switch .': 'allow',
    'git switch --detach': 'allow',
    'git switch -f --detach': 'brings',
    'git checkout AGENTS.md': 'brings',
  });
});

test('one path that covers a protected file is enough', async () => {
  await check(makeRepository(), {
    'git checkout brings -- src': 'allow',
    'git checkout brings -- src "*.md"': 'brings',
    'git checkout brings -- src .': 'brings',
    'git checkout brings -- src AGENTS.md': 'brings',
    'git checkout brings -- src src/c.ts': 'allow',
  });
});

test('what is unclear needs a rule with the whole command, the name of the program included', async () => {
  const { root } = makeRepository();
  const line = 'git reset --hard plain && git checkout plain';
  const decide = (rule: string) =>
    decideIn(line, root, rulesOf('bash git reset * allow', `bash ${rule} allow`));
  assert.equal(await decide('git checkout plain'), 'allow');
  for (const rule of ['git checkout *', '* checkout plain', 'g* checkout plain'])
    assert.equal(await decide(rule), 'ask', rule);
});
