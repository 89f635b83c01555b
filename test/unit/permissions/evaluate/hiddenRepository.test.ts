import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-hidden-')));
after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

function git(root: string, ...args: readonly string[]): string {
  const user = ['-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'advice.addEmbeddedRepo=false'];
  return execFileSync('git', ['-C', root, ...user, ...args], { encoding: 'utf8' });
}

function makeRepository(name: string, file = 'a.ts'): string {
  const root = path.join(base, name);
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(root, file), 'TOKEN=x');
  git(root, 'init', '-q');
  git(root, 'add', '-A', '-f');
  git(root, 'commit', '-qm', 'x');
  return root;
}

async function decideIn(root: string, line: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const { decision } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }));
  return decision;
}

const evil = (mark: string) => `[core]\n\tfsmonitor = "touch ${mark}; false"\n`;

test('a submodule with a repository of its own counts', async () => {
  const root = makeRepository('submodule');
  makeRepository('submodule/inner');
  git(root, 'add', 'inner');
  assert.equal(await decideIn(root, 'git status'), 'allow');
  const mark = path.join(base, 'ran');
  appendFileSync(path.join(root, 'inner/.git/config'), evil(mark));
  git(root, 'status');
  assert.ok(existsSync(mark), 'git runs it');
  for (const line of ['git status', 'git diff', 'git diff --stat HEAD', 'git log'])
    assert.equal(await decideIn(root, line), 'ask', line);
});

test('a submodule counts wherever its repository is, and so do its own submodules', async () => {
  const root = makeRepository('linked');
  const inner = makeRepository('linked/inner');
  makeRepository('linked/inner/deep');
  git(inner, 'add', 'deep');
  git(root, 'add', 'inner');
  git(inner, 'init', '-q', '--separate-git-dir', path.join(root, 'elsewhere'));
  assert.equal(await decideIn(root, 'git status'), 'allow');
  appendFileSync(path.join(inner, 'deep/.git/config'), evil('x'));
  assert.equal(await decideIn(root, 'git status'), 'ask');
  writeFileSync(path.join(inner, 'deep/.git/config'), '');
  assert.equal(await decideIn(root, 'git status'), 'allow');
  appendFileSync(path.join(root, 'elsewhere/config'), evil('x'));
  assert.equal(await decideIn(root, 'git status'), 'ask');
});

test('git looks above a ".git" that is no repository', async () => {
  const root = makeRepository('above', '.env');
  mkdirSync(path.join(root, 'sub/.git'), { recursive: true });
  assert.match(git(path.join(root, 'sub'), 'log', '-p'), /TOKEN/);
  assert.equal(await decideIn(root, 'cd sub && git log -p'), 'ask');
  assert.equal(await decideIn(path.join(root, 'sub'), 'git log -p'), 'ask');
  appendFileSync(path.join(root, '.git/config'), evil('x'));
  assert.equal(await decideIn(root, 'cd sub && git status'), 'ask');
  // Nearly one: whether git takes it can't be told.
  for (const part of ['objects', 'refs']) mkdirSync(path.join(root, 'sub/.git', part));
  writeFileSync(path.join(root, 'sub/.git/HEAD'), 'odd');
  assert.equal(await decideIn(path.join(root, 'sub'), 'git status'), 'ask');
});

test('the name in a ".git" file is read as git reads it', async () => {
  const root = makeRepository('named');
  for (const name of ['clean ', 'clean\nx', 'clean']) {
    git(root, 'init', '-q', '--bare', path.join(root, name));
    git(path.join(root, name), 'config', 'core.bare', 'false');
  }
  mkdirSync(path.join(root, 'sub'));
  for (const name of ['clean ', 'clean\nx']) {
    writeFileSync(path.join(root, 'sub/.git'), `gitdir: ../${name}\n`);
    assert.equal(await decideIn(root, 'cd sub && git status'), 'allow');
    appendFileSync(path.join(root, name, 'config'), evil('x'));
    assert.equal(await decideIn(root, 'cd sub && git status'), 'ask', name);
  }
});

test('an object is asked about if it is the content of a tracked secret', async () => {
  const root = makeRepository('objects', '.env');
  writeFileSync(path.join(root, 'a.ts'), 'a');
  git(root, 'add', 'a.ts');
  git(root, 'commit', '-qm', 'y');
  const secret = git(root, 'rev-parse', 'HEAD:.env').trim();
  const other = git(root, 'rev-parse', 'HEAD').trim();
  for (const options of ['-s', '-q', '--stat', '--name-only', '--format=%B -s']) {
    assert.match(git(root, 'show', ...options.split(' '), secret), /TOKEN/);
    for (const id of [secret, secret.slice(0, 7), secret.toUpperCase(), `${secret}^{blob}`])
      assert.equal(await decideIn(root, `git show ${options} ${id}`), 'ask', `${options} ${id}`);
    assert.equal(await decideIn(root, `git show ${options} ${other}`), 'allow', options);
  }
});

test('a repository that is elsewhere is decided by the rules about files there', async () => {
  const out = makeRepository('out', '.env');
  const root = makeRepository('leads');
  const other = path.join(root, 'other');
  mkdirSync(other);
  const decideAll = async (expected: string) => {
    for (const line of ['git -C other log -p', 'cd other && git status'])
      assert.equal(await decideIn(root, line), expected, line);
  };
  symlinkSync(path.join(out, '.git'), path.join(other, '.git'));
  await decideAll('ask');
  rmSync(path.join(other, '.git'));
  writeFileSync(path.join(other, '.git'), `gitdir: ${out}/.git\n`);
  await decideAll('ask');
  rmSync(other, { recursive: true });
  // The other repository knows its worktree.
  git(out, 'worktree', 'add', '-q', '--detach', other);
  rmSync(path.join(other, '.env'));
  git(out, 'update-index', '--force-remove', '.env');
  assert.equal(await decideIn(root, 'cd other && git status'), 'allow');
  const fake = path.join(root, 'fake');
  mkdirSync(fake);
  writeFileSync(path.join(fake, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(path.join(fake, 'gitdir'), path.join(other, '.git'));
  writeFileSync(path.join(fake, 'commondir'), path.join(out, '.git'));
  writeFileSync(path.join(other, '.git'), `gitdir: ${fake}\n`);
  await decideAll('ask');
});

for (const name of [
  ...['info/exclude', 'BISECT_LOG', 'info/sparse-checkout', 'packed-refs', 'objects'],
  ...['rebase-merge/done', 'worktrees/x/locked', 'logs/refs/heads/a/b', 'objects/pack/x.pack'],
])
  test(`a link in .git that leads out asks: ${name}`, async () => {
    const root = makeRepository(`link-${name.replaceAll('/', '-')}`);
    assert.equal(await decideIn(root, 'git check-ignore -v x'), 'allow');
    const file = path.join(root, '.git', name);
    rmSync(file, { recursive: true, force: true, maxRetries: 5 });
    mkdirSync(path.dirname(file), { recursive: true });
    mkdirSync(path.join(base, 'outside'), { recursive: true });
    symlinkSync(path.join(base, 'outside'), file);
    assert.equal(await decideIn(root, 'git check-ignore -v x'), 'ask');
    if (name === 'objects') return;
    rmSync(file);
    symlinkSync('config', file);
    assert.equal(await decideIn(root, 'git check-ignore -v x'), 'allow');
  });

test('git prints what a link in the state of a rebase leads to', async () => {
  const root = makeRepository('rebasing');
  const file = path.join(base, 'private');
  writeFileSync(file, 'TOKEN=x\n');
  mkdirSync(path.join(root, '.git/rebase-merge'));
  for (const [name, text] of Object.entries({
    'head-name': 'refs/heads/x',
    onto: 'x',
    interactive: '',
  }))
    writeFileSync(path.join(root, '.git/rebase-merge', name), text);
  writeFileSync(path.join(root, '.git/rebase-merge/git-rebase-todo'), '\n');
  assert.equal(await decideIn(root, 'git status'), 'allow');
  symlinkSync(file, path.join(root, '.git/rebase-merge/done'));
  assert.match(git(root, 'status'), /TOKEN=x/);
  assert.equal(await decideIn(root, 'git status'), 'ask');
});

test('a repository that borrows objects from outside asks', async () => {
  const out = makeRepository('lender');
  const root = makeRepository('borrower');
  const file = path.join(root, '.git/objects/info/alternates');
  writeFileSync(file, `${out}/.git/objects\n`);
  assert.equal(await decideIn(root, 'git cat-file -t HEAD'), 'ask');
  writeFileSync(file, '# none\n../objects\n');
  assert.equal(await decideIn(root, 'git cat-file -t HEAD'), 'allow');
});

test('a folder that git takes for a bare repository counts', async () => {
  const root = makeRepository('bare');
  const inner = path.join(root, 'inner');
  git(root, 'init', '-q', '--bare', inner);
  mkdirSync(path.join(inner, 'below'));
  for (const line of ['cd inner && git log', 'git -C inner branch', 'cd inner/below && git log'])
    assert.equal(await decideIn(root, line), 'allow', line);
  const mark = path.join(base, 'ran-bare');
  writeFileSync(
    path.join(inner, 'config'),
    `${evil(mark)}\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n`,
  );
  git(inner, 'status');
  assert.ok(existsSync(mark), 'git runs it');
  for (const line of ['cd inner && git status', 'git -C inner log', 'cd inner/below && git diff'])
    assert.equal(await decideIn(root, line), 'ask', line);
  assert.equal(await decideIn(inner, 'git status'), 'ask');
  // A repository of its own comes first.
  git(inner, 'init', '-q', '.', '--template=');
  assert.equal(await decideIn(root, 'cd inner && git status'), 'allow');
});

test('a submodule whose repository lies in the one around it is free', async () => {
  const lib = makeRepository('lib', 'lib.ts');
  const root = makeRepository('around');
  git(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', lib, 'mods/lib');
  const inner = path.join(root, 'mods/lib');
  for (const line of ['git status', 'git log', 'cd mods/lib && git diff'])
    assert.equal(await decideIn(root, line), 'allow', line);
  assert.equal(await decideIn(inner, 'git log -p'), 'allow');
  const config = path.join(root, '.git/modules/mods/lib/config');
  for (const tree of ['../../../../..', '/', '"../../../../mods/lib"']) {
    git(root, 'config', '-f', config, 'core.worktree', tree);
    assert.equal(await decideIn(root, 'git status'), 'ask', tree);
    assert.equal(await decideIn(inner, 'git status'), 'ask', tree);
  }
  appendFileSync(config, `\tworktree = ../../../../mods/lib\n${evil('x')}`);
  assert.equal(await decideIn(inner, 'git status'), 'ask');
});

test("a wildcard of the user's covers no program of a repository in the workspace", async () => {
  const root = makeRepository('own');
  const inner = makeRepository('own/inner');
  const rules = [...DEFAULT_RULES, ...rulesOf('bash git * allow', 'bash cd * allow')];
  const decideOwn = async (line: string, more: readonly string[] = []) => {
    const folders = { workspace: [root], adHoc: [], cwd: root };
    const policy = policyOf([...rules, ...rulesOf(...more)], { folders });
    return (await evaluate(bashCall(line), policy)).decision;
  };
  const commit = 'git commit -qm x --allow-empty';
  assert.equal(await decideOwn(`cd inner && ${commit}`), 'allow');
  const hook = path.join(inner, '.git/hooks/pre-commit');
  mkdirSync(path.dirname(hook), { recursive: true });
  const mark = path.join(base, 'ran-hook');
  writeFileSync(hook, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
  git(inner, 'commit', '-qm', 'x', '--allow-empty');
  assert.ok(existsSync(mark), 'git runs it');
  assert.equal(await decideOwn(`cd inner && ${commit}`), 'ask');
  assert.equal(await decideOwn(`cd inner && ${commit}`, [`bash ${commit} allow`]), 'allow');
  assert.equal(await decideOwn('cd inner && git init'), 'allow');
  rmSync(hook);
  for (const setting of [
    'core.hooksPath x',
    'core.sshCommand x',
    'credential.helper !x',
    'alias.x y',
    'submodule.x.update !x',
    'gc.recentObjectsHook x',
  ]) {
    const [key = '', value = ''] = setting.split(' ');
    git(inner, 'config', key, value);
    assert.equal(await decideOwn(`cd inner && ${commit}`), 'ask', setting);
    git(inner, 'config', '--unset', key);
  }
  assert.equal(await decideOwn(`cd inner && ${commit}`), 'allow');
  // The repository of the workspace is the user's own, and so are its worktrees.
  git(root, 'config', 'core.hooksPath', '.husky');
  git(root, 'worktree', 'add', '-q', '--detach', path.join(root, 'tree'));
  for (const line of [commit, `cd tree && ${commit}`])
    assert.equal(await decideOwn(line), 'allow', line);
});

test('what brings files that no word names must be spelled out', async () => {
  const decideWith = async (line: string, ...more: readonly string[]) =>
    (await evaluate(bashCall(line), policyOf(rulesOf('bash git * allow', ...more)))).decision;
  for (const line of [
    'git clone https://example.com/a/b',
    'git clone https://example.com/a/b.git x',
    'git clone . x',
    'git worktree add x main',
    'git submodule update --init',
  ]) {
    assert.equal(await decideWith(line), 'ask', line);
    assert.equal(await decideWith(line, `bash ${line} allow`), 'allow', line);
  }
  for (const rule of ['git clone *', 'git worktree add *'])
    assert.equal(await decideWith(rule.replace('*', 'a b'), `bash ${rule} allow`), 'allow', rule);
  for (const line of ['git init x', 'git worktree list', 'git submodule status'])
    assert.equal(await decideWith(line), 'allow', line);
});

test('a folder that names the repository of the workspace as its common one has settings of its own', async () => {
  const root = makeRepository('common');
  git(root, 'config', 'extensions.worktreeConfig', 'true');
  git(root, 'worktree', 'add', '-q', '--detach', 'tree');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = async (line: string) =>
    (await evaluate(bashCall(line), policyOf(rulesOf('bash * allow'), { folders }))).decision;
  assert.equal(await decide('cd tree && git status'), 'allow');
  const own = path.join(root, 'evil');
  mkdirSync(path.join(root, 'inner'));
  mkdirSync(own);
  for (const name of ['HEAD', 'index'])
    writeFileSync(path.join(own, name), readFileSync(path.join(root, '.git', name)));
  writeFileSync(path.join(own, 'commondir'), '../.git\n');
  const mark = path.join(base, 'ran-common');
  writeFileSync(path.join(own, 'config.worktree'), evil(mark));
  writeFileSync(path.join(root, 'inner/.git'), 'gitdir: ../evil\n');
  git(path.join(root, 'inner'), 'status');
  assert.ok(existsSync(mark), 'git runs it');
  assert.equal(await decide('cd inner && git status'), 'ask');
});
