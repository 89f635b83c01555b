import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Decision } from '../../../../src/permissions/rules/policy.ts';
import type { Rule } from '../../../../src/permissions/rules/rule.ts';
import { createReadGit } from '../../../../src/runtime/commands/readGit.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';
import { makeFolder, openRepository, type Repository } from './repository.ts';

/** What a machine that is busy with other tests needs at most. */
const PATIENCE = { lookMs: 60_000 } as const;

function decide(line: string, root: string, rules: readonly Rule[]): Promise<Decision> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const readGit = createReadGit([root]);
  return evaluate(bashCall(line), policyOf(rules, { folders, readGit, ...PATIENCE }));
}

/** `main` with a tracked key that the second commit of three changed, and the branch `keys`. */
function makeKeys(): Repository {
  const repository = openRepository(makeFolder());
  const { git, commit } = repository;
  git('init', '-q', '-b', 'main');
  commit({ 'a.ts': 'a', 'src/b.ts': 'b', 'certs/tls.key': 'one' });
  commit({ 'a.ts': 'b', 'certs/tls.key': 'two' });
  commit({ 'a.ts': 'c' });
  git('checkout', '-q', '-b', 'keys');
  commit({ 'certs/other.pem': 'x', 'src/b.ts': 'y' });
  commit({ 'certs/other.pem': null });
  git('checkout', '-q', 'main');
  return repository;
}

const CLEAN = [
  'git diff',
  'git diff --cached',
  'git diff --staged -p',
  'git diff HEAD',
  'git diff HEAD~1',
  'git diff HEAD~1 HEAD',
  'git diff HEAD~1..',
  'git diff ..HEAD~1',
  'git diff keys~2...main',
  'git diff main keys',
  'git diff HEAD~2 -- a.ts src',
  'git diff HEAD~2 a.ts',
  "git diff HEAD~2 -- . ':!certs'",
  'git diff -w -U10 --color HEAD~1',
  'git diff | head -20',
  'cd src && git diff',
  'git status && git diff',
  'git show',
  'git show HEAD',
  'git show HEAD --stat -p',
  'git show HEAD~1 -- a.ts',
  'git show keys~2',
] as const;

/** What prints the key, or a name that git can't be asked for. */
const SECRET = [
  'git diff HEAD~2',
  'git diff HEAD~2 HEAD~1',
  'git diff HEAD~2..HEAD',
  'git diff HEAD~2...HEAD',
  'git diff main keys~1',
  'git diff -R HEAD~2',
  'git diff HEAD~2 certs',
  "git diff HEAD~2 -- '*.key'",
  'cd src && git diff HEAD~2',
  'cd src && git diff HEAD~2 -- ..',
  'git show HEAD~1',
  'git show HEAD HEAD~1',
  'git show keys',
  'git show keys~1',
  'git show HEAD~2',
  'git show main..keys',
  'git diff HEAD~1^!',
  'git show HEAD~1^!',
  'git diff HEAD~1^@',
  'git log -p',
  'git show :/x',
  'git show --all',
  'git diff --find-copies-harder HEAD~1',
  'git diff -C -C HEAD~1',
  'for r in HEAD~2; do git diff $r; done',
] as const;

/** Options that print no other files than without them. */
const OPTIONS = [
  ...['-R', '-m', '-z', '-c', '--cc', '--relative', '-Sk', '-G.', '--inter-hunk-context=3'],
  ...['--color-moved', '--ws-error-highlight=all', '--pickaxe-all -Sk', '--compact-summary -p'],
];

test('a secret of the past asks with these options, too', async () => {
  const { root, git } = makeKeys();
  git('rm', '-rqf', '--cached', 'certs');
  git('commit', '-qm', 'x');
  const found: string[] = [];
  for (const options of ['', ...OPTIONS]) {
    for (const line of [`git diff ${options} HEAD~3 HEAD`, `git show ${options} keys`]) {
      const { decision } = await decide(line, root, DEFAULT_RULES);
      if (decision !== 'ask') found.push(line);
    }
  }
  assert.deepEqual(found, []);
});

test('git diff and git show ask about a tracked secret only if they print it', async () => {
  const { root } = makeKeys();
  for (const line of CLEAN) {
    const { decision, reason } = await decide(line, root, DEFAULT_RULES);
    assert.equal(decision, 'allow', `${line}: ${reason}`);
  }
  for (const line of SECRET) {
    const { decision } = await decide(line, root, DEFAULT_RULES);
    assert.equal(decision, 'ask', line);
  }
  const { reason } = await decide('git show keys', root, DEFAULT_RULES);
  assert.match(reason, /certs\/other\.pem/);
});

test('the same holds under a deny of the user, who is told the file', async () => {
  const { root } = makeKeys();
  const rules = rulesOf('bash git * allow', 'bash cd * allow', 'read **/*.{key,pem} deny');
  for (const line of CLEAN.filter((each) => !each.includes('|') && !each.includes('status'))) {
    const { decision, reason } = await decide(line, root, rules);
    assert.equal(decision, 'allow', `${line}: ${reason}`);
  }
  for (const line of SECRET)
    assert.notEqual((await decide(line, root, rules)).decision, 'allow', line);
  const { decision, reason } = await decide('git diff HEAD~2', root, rules);
  assert.equal(decision, 'deny');
  assert.match(reason, /certs\/tls\.key/);
});

test('uncommitted, staged and conflicting changes of a secret count', async () => {
  const { root, git, write } = makeKeys();
  write({ 'certs/tls.key': 'three' });
  for (const line of ['git diff', 'git diff HEAD', 'git diff -- certs'])
    assert.equal((await decide(line, root, DEFAULT_RULES)).decision, 'ask', line);
  assert.equal((await decide('git diff --cached', root, DEFAULT_RULES)).decision, 'allow');
  git('add', '-A');
  assert.equal((await decide('git diff --cached', root, DEFAULT_RULES)).decision, 'ask');
  assert.equal((await decide('git diff', root, DEFAULT_RULES)).decision, 'allow');
  git('mv', 'certs/tls.key', 'certs/plain.txt');
  git('update-index', '--force-remove', 'a.ts');
  assert.equal((await decide('git diff --cached', root, DEFAULT_RULES)).decision, 'ask');
});

test('a command that may run in either of two repositories keeps the guess', async () => {
  const base = makeFolder();
  for (const name of ['one', 'two']) {
    const { git, commit, write } = openRepository(path.join(base, name));
    write({ 'a.ts': 'a' });
    git('init', '-q', '-b', 'main');
    commit({ 'a.ts': 'a', 'tls.key': 'one' });
    write(name === 'two' ? { 'tls.key': 'changed' } : {});
  }
  for (const [line, expected] of [
    ['cd one && git diff', 'allow'],
    ['cd two && git diff', 'ask'],
    ['cd one || cd two; git diff', 'ask'],
    ['cd two || cd one; git diff', 'ask'],
  ] as const)
    assert.equal((await decide(line, base, DEFAULT_RULES)).decision, expected, line);
});

test('what changes the repository first, or a hazard of it, keeps the guess', async () => {
  const { root } = makeKeys();
  const lines = [
    'git checkout -q other; git diff',
    'git fetch && git diff',
    'git commit -m x; git show',
    'echo x > a.ts; git diff',
    'tar xf a.tar; git diff',
    'make; git diff',
    './build.sh && git diff HEAD',
    'git add certs; git diff --cached',
    'git update-index --refresh; git diff',
    'export GIT_DIR=/x; git diff',
    'GIT_DIR=/x git diff',
    'while true; do git diff; git add .; done',
  ];
  const rules = [...DEFAULT_RULES, ...rulesOf('bash * allow', 'fs.write {workspace}/** allow')];
  const denied = rulesOf('bash * allow', 'fs.write ** allow', 'read **/*.key deny');
  for (const line of lines) {
    assert.notEqual((await decide(line, root, denied)).decision, 'allow', line);
    assert.equal((await decide('git diff', root, rules)).decision, 'allow');
  }
  appendFileSync(path.join(root, '.git/config'), '[core]\n\tfsmonitor = ./evil\n');
  assert.equal((await decide('git diff', root, denied)).decision, 'ask');
});

/** `.env` is ignored, `kept.env` and the tracked `old/.env` are not. */
function makeIgnored(): Repository {
  const repository = openRepository(makeFolder());
  const { git, commit, write } = repository;
  git('init', '-q', '-b', 'main');
  commit({ '.gitignore': '.env\nbuild/\n', 'src/a.ts': 'a' });
  write({ '.env': 'secret', 'src/.env': 'secret', 'src/a.ts': 'changed' });
  return repository;
}

const IGNORING = [
  'git add .',
  'git add -A',
  'git add --all -v',
  'git add src',
  'git stage .',
  'git commit -am text',
  'git commit -a -m "-f"',
  'git stash -u',
  'git add . && git commit -m text',
  'git add -A && git commit -m text && git push origin main',
  'git status; git add .',
  'cd src && git add .',
  'git add . 2>/dev/null',
  'git add . && curl -s https://example.com',
];
const INCLUDING = [
  'git add -f .',
  'git add -vf .',
  'git add --force .',
  'git add --forc .',
  'git add . && git add -f .',
  'git add -f . && git add .',
  'git stash -a',
  'git stash --all',
  'git stash push --al',
  'git clean -fdx',
  'git clean -fdX',
  'echo > .gitignore; git add .',
  'git rm .gitignore; git add .',
  'git checkout other && git add .',
  'git -c core.excludesFile=/dev/null add .',
  'rm .gitignore; git add .',
  'tar xf a.tar; git add .',
  'GIT_DIR=/x git add .',
  'export GIT_DIR=/x; git add .',
  'for i in 1 2; do git add .; rm .gitignore; done',
];

test('a deny of **/.env leaves git add alone where the repository ignores the file', async () => {
  const { root } = makeIgnored();
  const rules = rulesOf('bash * allow', 'fs.write ** allow', '* **/.env deny');
  for (const line of IGNORING) {
    const { decision, reason } = await decide(line, root, rules);
    assert.equal(decision, 'allow', `${line}: ${reason}`);
  }
  for (const line of INCLUDING)
    assert.notEqual((await decide(line, root, rules)).decision, 'allow', line);
});

test('a tracked or included file is not left out, whatever the ignore file contains', async () => {
  const { root, git } = makeIgnored();
  const rules = rulesOf('bash * allow', '* **/.env deny');
  git('add', '-f', 'src/.env');
  const tracked = await decide('git add .', root, rules);
  assert.equal(tracked.decision, 'ask');
  assert.match(tracked.reason, /`src\/\.env`/);
  assert.doesNotMatch(tracked.reason, /`\.env`/);
  git('rm', '-q', '--cached', 'src/.env');
  writeFileSync(path.join(root, 'src/.gitignore'), '!.env\n');
  assert.equal((await decide('git add .', root, rules)).decision, 'ask');
  assert.equal((await decide('git add .gitignore', root, rules)).decision, 'allow');
});
