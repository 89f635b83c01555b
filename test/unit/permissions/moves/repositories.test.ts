import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { type Policy, UNREADABLE } from '../../../../src/permissions/rules/policy.ts';
import { createReadGit } from '../../../../src/runtime/commands/readGit.ts';
import { makeFolder, makeRepository, openRepository } from './repository.ts';

test('a folder without a repository holds nothing to bring', async () => {
  const { decide } = openRepository(makeFolder());
  for (const line of ['git checkout x', 'git pull', 'git stash pop'])
    assert.equal((await decide(line)).decision, 'allow', line);
});

test('without access to git, nothing is looked at', async () => {
  const { root, decide } = makeRepository();
  assert.equal((await decide('git checkout brings')).decision, 'ask');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const asked: string[] = [];
  const readGit = async (_cwd: string, args: readonly string[]) => {
    asked.push(args[0] ?? '');
    return undefined;
  };
  const { decision, reason } = await decide('git checkout plain', { folders, readGit });
  assert.deepEqual([decision, asked[0]], ['ask', 'rev-parse']);
  assert.match(reason, /git can't be asked/);
});

test('a policy that cannot read repositories allows nothing that one that can asks about or denies', async () => {
  const { decide, commit } = makeRepository(['* **/.env deny', '* **/*.pem ask']);
  commit({ '.env': 'KEY=1', 'x.pem': 'key' });
  commit({ '.env': null, 'x.pem': null });
  assert.ok(IS_MANDATORY);
  const readGit = UNREADABLE;
  for (const line of LINES) {
    const known = (await decide(line)).decision;
    const unknown = (await decide(line, { readGit })).decision;
    assert.ok(unknown !== 'allow' || known === 'allow', `${line}: ${known}, ${unknown}`);
  }
  for (const line of ['git checkout plain', 'git log -p', 'git diff HEAD~1 HEAD~2'])
    assert.notEqual((await decide(line, { readGit })).decision, 'allow', line);
});

/** Every policy says how it reads them. */
const IS_MANDATORY: Partial<Policy> extends Pick<Policy, 'readGit'> ? never : true = true;

const LINES = [
  ...['git checkout plain', 'git checkout brings', 'git merge brings', 'git stash pop', 'git pull'],
  ...['git reset --hard HEAD~1', 'git restore .', 'git cherry-pick brings', 'git add .'],
  ...['git show HEAD~1', 'git log -p', 'git show HEAD~1:.env', 'git diff HEAD~2', 'git grep KEY'],
  ...['git ls-files | xargs cat', 'git diff --name-only HEAD~1 | xargs wc -l', 'git clean -fd'],
];

test('a git that does not answer is not waited for', async () => {
  const { decide } = makeRepository();
  const readGit = () => new Promise<undefined>(() => undefined);
  const { decision, reason } = await decide('git checkout plain', { readGit, lookMs: 1 });
  assert.equal(decision, 'ask');
  assert.match(reason, /looking took too long/);
});

test('before the first commit, and without an index, all files are brought', async () => {
  const { root, git } = makeRepository();
  const clone = openRepository(makeFolder());
  clone.git('clone', '-q', '--no-checkout', root, '.');
  assert.equal((await clone.decide('git checkout')).decision, 'ask');
  assert.equal((await clone.decide('git checkout main')).decision, 'ask');
  git('checkout', '-q', '--orphan', 'empty');
  git('rm', '-rfq', '.');
  const unborn = openRepository(root);
  assert.equal((await unborn.decide('git checkout plain')).decision, 'ask');
  assert.equal((await unborn.decide('git merge brings')).decision, 'ask');
  assert.equal((await unborn.decide('git checkout -b other')).decision, 'allow');
});

test('a branch of a remote is found by its short name', async () => {
  const { root } = makeRepository();
  const clone = openRepository(makeFolder());
  clone.git('clone', '-q', root, '.');
  for (const line of ['git checkout brings', 'git switch brings', 'git checkout -t origin/brings'])
    assert.equal((await clone.decide(line)).decision, 'ask', line);
  assert.equal((await clone.decide('git switch plain')).decision, 'allow');
  assert.equal((await clone.decide('git merge')).decision, 'allow');
});

test('a detached HEAD and a linked worktree are looked at like others', async () => {
  const { root, git } = makeRepository();
  git('checkout', '-q', '--detach');
  assert.equal((await openRepository(root).decide('git checkout brings')).decision, 'ask');
  assert.equal((await openRepository(root).decide('git checkout plain')).decision, 'allow');
  const folder = path.join(makeFolder(), 'linked');
  git('worktree', 'add', '-q', folder, 'plain');
  const linked = openRepository(folder);
  assert.equal((await linked.decide('git merge brings')).decision, 'ask');
  assert.equal((await linked.decide('git merge main')).decision, 'allow');
});

test('a submodule is not a protected file that changes', async () => {
  const inner = makeRepository();
  const { root, git, commit, decide } = makeRepository();
  git('submodule', 'add', '-q', inner.root, '.agents');
  commit({ 'a.ts': 'with a submodule' });
  git('checkout', '-q', '-b', 'same');
  commit({ 'a.ts': 'x' });
  assert.equal((await decide('git checkout main')).decision, 'allow');
  assert.equal((await decide('git reset --hard main')).decision, 'allow');
  assert.equal((await decide('git checkout plain')).decision, 'ask', root);
});

test('many changed files are looked at, and too many protected ones must be spelled out', async () => {
  const { git, commit, decide } = makeRepository();
  const files = (count: number, folder: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, each) => [`${folder}/f${each}`, 'x']));
  git('checkout', '-q', '-b', 'many');
  commit(files(3000, 'many'));
  git('checkout', '-q', 'main');
  assert.equal((await decide('git checkout many')).decision, 'allow');
  git('checkout', '-q', 'many');
  commit(files(1001, '.vscode'));
  git('checkout', '-q', 'main');
  const { decision, subjects } = await decide('git checkout many');
  assert.equal(decision, 'ask');
  assert.ok(subjects.length > 1000);
});

test('nothing of a hostile repository is run', async () => {
  const { root, git, write, decide } = makeRepository();
  const script = path.join(root, 'run');
  const ran = path.join(root, 'ran');
  writeFileSync(script, `#!/bin/sh\ntouch '${ran}'\ncat\n`);
  chmodSync(script, 0o755);
  write({ '.gitattributes': '* filter=x diff=x merge=x textconv=x\n' });
  git('add', '.gitattributes');
  for (const key of HOSTILE) git('config', key, script);
  git('config', 'extensions.worktreeConfig', 'true');
  git('config', 'pager.diff-tree', 'true');
  git('config', 'remote.origin.promisor', 'true');
  git('config', 'remote.origin.url', `ext::${script}`);
  git('config', 'protocol.ext.allow', 'always');
  for (const line of ['git checkout brings', 'git merge brings', 'git reset --hard brings'])
    assert.equal((await decide(line)).decision, 'ask', line);
  assert.equal((await decide('git merge plain')).decision, 'allow');
  assert.equal(existsSync(ran), false);
});

const HOSTILE = [
  'core.fsmonitor',
  'core.pager',
  'core.editor',
  'core.sshCommand',
  'core.askPass',
  'diff.external',
  'diff.x.textconv',
  'diff.x.command',
  'filter.x.smudge',
  'filter.x.clean',
  'filter.x.process',
  'merge.x.driver',
  'alias.rev-parse',
  'gpg.program',
  'credential.helper',
];

test('git is never taken from the workspace', async () => {
  const { root, write } = makeRepository();
  // A folder whose name begins with two dots lies in the workspace too.
  for (const folder of ['bin', '..bin']) {
    write({ [`${folder}/git`]: `#!/bin/sh\ntouch '${path.join(root, 'ran')}'\n` });
    chmodSync(path.join(root, folder, 'git'), 0o755);
  }
  const own = `${root}/bin:${root}/..bin`;
  const env = { ...process.env, PATH: `${own}:bin:${process.env['PATH']}` };
  const args = ['rev-parse', '--show-toplevel'] as const;
  const { signal } = new AbortController();
  const answer = await createReadGit([root], env)(root, args, signal);
  assert.equal(answer?.output.trim(), root);
  assert.equal(existsSync(path.join(root, 'ran')), false);
  const only = { PATH: own };
  assert.equal(await createReadGit([root], only)(root, args, signal), undefined);
});

test("the host's own variables for git do not select another repository", async () => {
  const { root } = makeRepository();
  const other = makeRepository();
  const env = { ...process.env, GIT_DIR: path.join(other.root, '.git'), GIT_TRACE: '1' };
  const read = createReadGit([root], env);
  const answer = await read(
    root,
    ['rev-parse', '--absolute-git-dir'],
    new AbortController().signal,
  );
  assert.equal(answer?.output.trim(), path.join(root, '.git'));
  assert.ok(execFileSync('git', ['--version'], { encoding: 'utf8' }).startsWith('git'));
});
