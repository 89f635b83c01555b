import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { findKey } from '../../../../src/permissions/repository/configuration.ts';
import { findGitFolder } from '../../../../src/permissions/repository/gitFolder.ts';
import { listTrackedFiles } from '../../../../src/permissions/repository/trackedFiles.ts';
import { bashCall, evaluate, policyOf, rulesOf } from '../ask.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-repository-')));
after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** A new repository with these files committed. */
function makeRepository(name: string, files: readonly string[]): string {
  const root = path.join(base, name);
  mkdirSync(root, { recursive: true });
  for (const file of files) {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), file);
  }
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x@y', ...args]);
  git('init', '-q');
  git('add', '-A', '-f');
  git('commit', '-qm', 'x', '--allow-empty');
  return root;
}

async function decideIn(root: string, line: string, rules = DEFAULT_RULES): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const { decision } = await evaluate(bashCall(line), policyOf(rules, { folders }));
  return decision;
}

const LINES = [
  'git status',
  'git log --oneline',
  'git diff',
  'git show HEAD',
  'git grep x',
  'git branch',
];

test('an ordinary configuration asks about nothing', async () => {
  const root = makeRepository('ordinary', ['a.ts', '.env.example', 'src/b.ts']);
  appendFileSync(path.join(root, '.git/config'), ORDINARY);
  for (const line of LINES) assert.equal(await decideIn(root, line), 'allow', line);
});

const ORDINARY = `[core]
	hooksPath = .husky/_
[remote "origin"]
	url = git@example.com:a/b.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	vscode-merge-base = origin/main
[http "https://example.com/"] extraheader = AUTHORIZATION: basic x
# include.path = x
[user]
	name = x
`;

const HAZARDS = `[extensions] refStorage = reftable:///x
[core] fsmonitor = ./evil
[core]\\n\\tpager = ./evil
[CORE] FSMonitor = ./evil
[core] worktree = /
[core] attributesFile = /x
[core] excludesFile = /x
[core] alternateRefsCommand = ./evil
[core] gitProxy = ./evil
[diff] external = ./evil
[diff "evil"] textconv = ./evil
[diff "evil"] command = ./evil
[diff "a]b"] command = ./evil
[filter "evil"] clean = ./evil
[filter "evil"] process = ./evil
[gpg] program = ./evil
[gpg "ssh"] program = ./evil
[log] showSignature = true
[format] pretty = %G?
[pretty] x = %G?
[include] path = ../x
[includeIf "gitdir:."] path = ../x
[alias] status = !./evil
[pager] log = ./evil
[interactive] diffFilter = ./evil
[extensions] partialClone = origin
[remote "origin"] promisor = true
[remote "origin"] uploadpack = ./evil
[remote "origin"] vcs = evil
[submodule] recurse = true
[status] submoduleSummary = true
[blame] ignoreRevsFile = /x
[mailmap] file = /x
[trailer "x"] cmd = ./evil
[user] name = x\\\\n[user]\\n\\tfsmonitor = evil
[user] name = x\\
[broken
=
[x"y"] a = b`
  .split('\n')
  .map((line) => line.replaceAll('\\n', '\n').replaceAll('\\t', '\t'));

for (const [index, text] of HAZARDS.entries()) {
  test(`git asks under the configuration ${JSON.stringify(text)}`, async () => {
    const root = makeRepository(`hazard${index}`, ['a.ts']);
    appendFileSync(path.join(root, '.git/config'), `${text}\n`);
    for (const line of LINES) assert.equal(await decideIn(root, line), 'ask', line);
    assert.equal(await decideIn(root, 'ls'), 'allow');
    const own = [...DEFAULT_RULES, ...rulesOf('bash git status allow')];
    assert.equal(await decideIn(root, 'git status', own), 'allow');
  });
}

test('the configurations of worktrees, submodules and other folders count, too', async () => {
  const evil = '[core]\n\tfsmonitor = ./evil\n';
  const modules = makeRepository('modules', ['a.ts']);
  mkdirSync(path.join(modules, '.git/modules/a/b'), { recursive: true });
  writeFileSync(path.join(modules, '.git/modules/a/b/HEAD'), 'ref: x');
  writeFileSync(path.join(modules, '.git/modules/a/b/config'), evil);
  assert.equal(await decideIn(modules, 'git status'), 'ask');
  const worktree = makeRepository('worktree', ['a.ts']);
  writeFileSync(path.join(worktree, '.git/config.worktree'), evil);
  assert.equal(await decideIn(worktree, 'git status'), 'ask');
  const linked = path.join(base, 'linked');
  mkdirSync(linked);
  writeFileSync(path.join(linked, '.git'), `gitdir: ${path.join(worktree, '.git')}\n`);
  assert.equal(await decideIn(linked, 'git status'), 'ask');
  const outer = makeRepository('outer', ['a.ts']);
  makeRepository('outer/inner', ['a.ts']);
  appendFileSync(path.join(outer, 'inner/.git/config'), evil);
  assert.equal(await decideIn(outer, 'git status'), 'allow');
  assert.equal(await decideIn(outer, 'cd inner && git status'), 'ask');
  mkdirSync(path.join(base, 'none'));
  assert.equal(await decideIn(path.join(base, 'none'), 'git status'), 'allow');
});

test('what prints the content of tracked secrets asks', async () => {
  const root = makeRepository('secrets', ['a.ts', 'app/.env', 'src/b.ts']);
  writeFileSync(path.join(root, 'app/.env'), 'changed');
  const asked = [
    ...[
      'git show',
      'git show HEAD',
      'git log -p',
      'git log -1 --patch',
      'git diff',
      'git diff HEAD~1',
    ],
    ...[
      'git grep x',
      'git grep x -- app',
      'git grep -n x -- .',
      'git stash show -p',
      'git reflog -p',
    ],
    ...[
      'git diff --stat -p',
      'git status -v -v',
      'git status -vv',
      'git status -v',
      'git status -sv',
      'git cat-file blob 1a2b3c',
      'git cat-file -p 1a2b3c^{blob}',
      'git cat-file -p v1-2-g1a2b3c',
      'git cat-file -p v1',
      'git cat-file -p 1a2b3c',
      'git diff --check',
      'git grep -l x',
      'git log -Sx --oneline',
    ],
  ];
  for (const line of asked) assert.equal(await decideIn(root, line), 'ask', line);
  const allowed = [
    ...['git log', 'git log --stat', 'git show --stat', 'git diff --name-only', 'git status -s'],
    ...['git grep -l x -- src', 'git grep x -- src', "git diff -- . ':!app'"],
    ...['git show HEAD:a.ts', 'git diff -- src/b.ts', 'git stash list', 'git cat-file -p HEAD'],
  ];
  for (const line of allowed) assert.equal(await decideIn(root, line), 'allow', line);
});

test('a tracked secret is no reason to ask about what prints other files, as git lists them', async () => {
  const root = makeRepository('listed', ['a.ts', '.env']);
  writeFileSync(path.join(root, 'a.ts'), 'changed');
  for (const line of ['git diff', 'git diff HEAD', 'git grep x -- a.ts'])
    assert.equal(await decideIn(root, line), 'allow', line);
  for (const line of ['git show HEAD', 'git log -p', 'git grep x'])
    assert.equal(await decideIn(root, line), 'ask', line);
});

test('every version of the index is read', () => {
  const root = makeRepository('index', [
    'a.ts',
    'src/long/name.ts',
    'src/long/other.ts',
    '.env',
    'ä.ts',
  ]);
  for (const version of ['2', '3', '4']) {
    execFileSync('git', ['-C', root, 'update-index', '--index-version', version]);
    if (version === '3')
      execFileSync('git', ['-C', root, 'update-index', '--skip-worktree', 'a.ts']);
    const git = findGitFolder(path.join(root, 'src'));
    assert.ok(git);
    const expected = ['.env', 'a.ts', 'src/long/name.ts', 'src/long/other.ts', 'ä.ts'];
    assert.deepEqual(listTrackedFiles(git), expected);
  }
});

test('an index that is cut off can not be told', () => {
  const root = makeRepository('cut', ['a.ts']);
  writeFileSync(path.join(root, '.git/index'), Buffer.from('DIRC\0\0\0\u0002\0\0\0\u0009'));
  const git = findGitFolder(root);
  assert.ok(git);
  assert.equal(listTrackedFiles(git), undefined);
});

test('a line of the configuration after a header counts', () => {
  assert.equal(findKey('[user]\n[core] fsmonitor = x'), 'core.fsmonitor');
  assert.equal(findKey('[branch]\n\tsort = -signature:grade'), 'branch.sort');
  assert.equal(findKey('[tag]\n\tsort = "sig\\nature"'), 'tag.sort');
  assert.equal(findKey('[tag]\n\tsort = -creatordate\n[submodule "x"] update = !x'), undefined);
  assert.equal(findKey('[core] filemode = true\r\n\tbare = false\r\n'), undefined);
});

test('a remote that is written as a URL with a password counts, since git prints names of remotes', async () => {
  const url = 'https://me:pass@a.test/x.git';
  assert.equal(findKey(`[branch "x"]\n\tremote = ${url}`), 'branch.x.remote');
  assert.equal(
    findKey(`[branch "x"]\n\tpushRemote = "https://me:pa""ss@a.test"`),
    'branch.x.pushRemote',
  );
  assert.equal(findKey('[branch "x"]\n\tremote = "https:\\\\/me@a.test"'), 'branch.x.remote');
  assert.equal(findKey(`[branch.x]\n\tremote = ${url}`), 'branch.x.remote');
  assert.equal(findKey(`[remote "${url}"]\n\tfetch = x`), `remote.${url}.fetch`);
  assert.equal(findKey('[branch "x"]\n\tremote = ssh://git@a.test/x'), undefined);
  assert.equal(findKey('[branch "x"]\n\tremote = https://a.test/x.git\n\tmerge = a@b'), undefined);
  assert.equal(findKey(`[remote "origin"]\n\turl = ${url}`), undefined);
  const root = makeRepository('urls', ['a.ts']);
  const lines = [
    "git for-each-ref --format='%(push:remotename)'",
    'git rev-parse @{push}',
    'git log @{push}..',
  ];
  const decide = () => Promise.all(lines.map((line) => decideIn(root, line)));
  assert.deepEqual(await decide(), ['allow', 'allow', 'allow']);
  execFileSync('git', ['-C', root, 'config', 'branch.main.pushRemote', url]);
  assert.deepEqual(await decide(), ['ask', 'ask', 'ask']);
});

test('a log of references that notes a pull from a URL with a password asks', async () => {
  const root = makeRepository('noted', ['a.ts']);
  const branch = readFileSync(path.join(root, '.git/HEAD'), 'utf8').slice(5).trim();
  const lines = [
    'git reflog',
    'git reflog show HEAD',
    'git -C . reflog',
    'cd .git && git reflog',
    'git log --walk-reflogs --oneline',
    'git stash list',
    'cat .git/logs/HEAD',
    'git log --oneline',
    'git status',
  ];
  const decide = () => Promise.all(lines.map((line) => decideIn(root, line)));
  assert.deepEqual(await decide(), Array(9).fill('allow'));
  const logs = ['HEAD', branch].map((name) => path.join(root, '.git/logs', name));
  const note = (where: string) => {
    for (const file of logs) {
      const entry = `${'0'.repeat(40)} ${'0'.repeat(40)} x <x@y> 1 +0000\tpull ${where}: Fast-forward\n`;
      appendFileSync(file, entry);
    }
  };
  note('ssh://git@a.test/x');
  assert.deepEqual(await decide(), Array(9).fill('allow'));
  note('https://me:token@a.test/x');
  assert.deepEqual(await decide(), [...Array(7).fill('ask'), 'allow', 'allow']);
});

test('a log of references that is too large or can not be read asks', async () => {
  const root = makeRepository('largeLogs', ['a.ts']);
  const log = path.join(root, '.git/logs/refs/heads/large');
  writeFileSync(log, '');
  truncateSync(log, 16 * 1024 * 1024);
  assert.equal(await decideIn(root, 'git reflog'), 'allow');
  truncateSync(log, 16 * 1024 * 1024 + 1);
  assert.equal(await decideIn(root, 'git reflog'), 'ask');
  rmSync(log);
  assert.equal(await decideIn(root, 'git reflog'), 'allow');
  symlinkSync('nowhere', log);
  assert.equal(await decideIn(root, 'git reflog'), 'ask');
});

test('a log of references that git keeps in tables, which are not read, asks', async () => {
  const tables = 'reftable/0x01-0x02-abc.ref';
  const config = '\n[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n';
  for (const folder of ['.git', '.git/worktrees/tree']) {
    const root = makeRepository(`tables${folder.length}`, ['a.ts']);
    mkdirSync(path.join(root, folder, path.dirname(tables)), { recursive: true });
    writeFileSync(path.join(root, folder, tables), 'REFT');
    appendFileSync(path.join(root, '.git/config'), config);
    for (const line of ['git reflog', 'git log --walk-reflogs', 'git stash list'])
      assert.equal(await decideIn(root, line), 'ask', line);
    for (const line of ['git log --oneline', 'git status'])
      assert.equal(await decideIn(root, line), 'allow', line);
  }
});

test('git notes a pull with the URL as it was given, and the log of any reference counts', async () => {
  const from = makeRepository('pulled', ['a.ts']);
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { encoding: 'utf8', cwd: base });
  git('clone', '-q', from, 'pulling');
  const names = ['-c', 'user.name=x', '-c', 'user.email=x@y'];
  git('-C', from, ...names, 'commit', '-q', '--allow-empty', '-m', 'y');
  const url = 'https://me:token@a.test/';
  git('-C', 'pulling', '-c', `url.${base}/.insteadOf=${url}`, 'pull', '-q', `${url}pulled`);
  assert.match(git('-C', 'pulling', 'reflog'), /pull -q https:\/\/me:token@/);
  const root = path.join(base, 'pulling');
  assert.equal(await decideIn(root, 'git reflog'), 'ask');
  // As after the work tree in which it was pulled has been removed.
  rmSync(path.join(root, '.git/logs/HEAD'));
  const branch = git('-C', 'pulling', 'branch', '--show-current').trim();
  assert.match(git('-C', 'pulling', 'reflog', branch), /https:\/\/me:token@/);
  assert.equal(await decideIn(root, `git reflog ${branch}`), 'ask');
  assert.equal(await decideIn(root, 'git log --oneline'), 'allow');
});

test('a search asks if an ignore file is a link that leads out', async () => {
  const root = path.join(base, 'ignores');
  mkdirSync(path.join(root, 'src/sub'), { recursive: true });
  writeFileSync(path.join(base, 'secret'), '[secret');
  writeFileSync(path.join(root, 'own'), 'x');
  symlinkSync(path.join(root, 'own'), path.join(root, '.gitignore'));
  assert.equal(await decideIn(root, 'rg x src/sub'), 'allow');
  symlinkSync(path.join(base, 'secret'), path.join(root, 'src/.rgignore'));
  for (const line of ['rg x src', 'rg x src/sub', 'fd x src', 'cd src && rg x'])
    assert.equal(await decideIn(root, line), 'ask', line);
  assert.equal(await decideIn(root, 'rg x own'), 'allow');
  // A name that begins with two dots leads nowhere else.
  mkdirSync(path.join(root, '..x/sub'), { recursive: true });
  assert.equal(await decideIn(root, 'rg x ..x/sub'), 'allow');
  symlinkSync(path.join(base, 'secret'), path.join(root, '..x/.rgignore'));
  for (const line of ['rg x ..x', 'rg x ..x/sub'])
    assert.equal(await decideIn(root, line), 'ask', line);
});

for (const name of ['config', 'index', 'commondir'] as const) {
  test(`a pipe or a device in place of .git/${name} asks at once`, async () => {
    for (const make of [
      (file: string) => execFileSync('mkfifo', [file]),
      (file: string) => symlinkSync('/dev/zero', file),
      (file: string) => mkdirSync(file),
    ]) {
      const root = mkdtempSync(path.join(base, 'pipe-'));
      makeRepository(path.relative(base, root), ['a.ts']);
      const file = path.join(root, '.git', name);
      rmSync(file, { force: true });
      make(file);
      assert.equal(await decideIn(root, 'git log -p'), 'ask');
    }
  });
}

test('git -C reads the repository of any workspace folder, and asks about others', async () => {
  const [one, two, outside] = ['folder-one', 'folder-two', 'folder-out'].map((name) =>
    makeRepository(name, ['a.ts']),
  ) as [string, string, string];
  const decideAt = async (line: string, workspace: readonly string[]) => {
    const folders = { workspace, adHoc: [], cwd: one };
    const rules = [...DEFAULT_RULES, ...rulesOf(`fs.read ${base}/** allow`)];
    return evaluate(bashCall(line), policyOf(rules, { folders }));
  };
  for (const workspace of [
    [one, two],
    [two, one],
  ]) {
    for (const root of workspace)
      assert.equal((await decideAt(`git -C ${root} status`, workspace)).decision, 'allow', root);
    const { decision, reason } = await decideAt(`git -C ${outside} status`, workspace);
    assert.equal(decision, 'ask');
    assert.match(reason, /reads a repository outside the workspace/);
  }
});
