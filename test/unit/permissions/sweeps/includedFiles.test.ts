import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { rgPath } from '@vscode/ripgrep';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { cpuTime } from '../../cpuTime.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

const SECRETS = ['.env', 'a/.env', 'a/.hidden/x.pem', 'b/.env'];

function makeRoot(): string {
  const root = plantWorkspace([...SECRETS, 'a/x.ts', 'b/.hidden/y.ts']);
  for (const name of SECRETS) writeFileSync(path.join(root, name), 'TOKEN\n');
  execFileSync('git', ['-C', root, 'init', '-q']);
  return root;
}

async function decide(line: string, root: string): Promise<string> {
  const policy = policyOf(DEFAULT_RULES, {
    folders: { workspace: [root], adHoc: [], cwd: root },
    lookMs: 60_000,
  });
  return (await evaluate(bashCall(line), policy)).decision;
}

function search(root: string): string {
  return spawnSync(rgPath, ['--no-config', 'TOKEN', '.'], { cwd: root, encoding: 'utf8' }).stdout;
}

for (const [file, line] of [
  ['.gitignore', '!.env'],
  ['.ignore', '!.*'],
  ['.rgignore', '!*'],
  ['.ignore', 'x\r\n!.env\r'],
  ['.ignore', '!a/.env'],
  ['.ignore', '!/a/.env'],
  ['.ignore', '!**/.env'],
  ['.ignore', '!.hidden'],
  ['.ignore', '!.hidden/'],
  ['.ignore', '!.en[v]'],
  ['.ignore', '!.{env,x}'],
  ['.ignore', '!\\.env'],
  ['.ignore', '!?env'],
  ['.ignore', '!/b/**'],
  ['.ignore', '!a/*'],
  ['a/.ignore', '!.env'],
  ['.git/info/exclude', '!.env'],
  ['../.ignore', '!.env'],
] as const)
  test(`rg asks about hidden secrets that ${file} includes: ${JSON.stringify(line)}`, async () => {
    const root = makeRoot();
    for (const each of ['rg TOKEN', 'rg TOKEN .', 'rg -l0 x | xargs -0 cat'])
      assert.equal(await decide(each, root), 'allow', each);
    writeFileSync(path.join(root, file), line);
    assert.match(search(root), /TOKEN/);
    for (const each of ['rg TOKEN', 'rg TOKEN .', 'rg -l0 x | xargs -0 cat'])
      assert.equal(await decide(each, root), 'ask', each);
    rmSync(path.join(root, file));
  });

/** Lines of a configuration that name an ignore file, and where it lies in the home folder. */
const GLOBAL = [
  ['', '.config/git/ignore'],
  ['[core]\n\texcludesFile = ~/mine', 'mine'],
  ['[core]\n\texcludesfile="~/mine"', 'mine'],
] as const;

for (const [text, file] of GLOBAL)
  test(`rg asks about hidden secrets that the user's own ignore file includes: ${text}`, async () => {
    const root = makeRoot();
    const home = path.join(root, '../home');
    const { HOME, XDG_CONFIG_HOME } = process.env;
    try {
      process.env['HOME'] = home;
      delete process.env['XDG_CONFIG_HOME'];
      mkdirSync(path.join(home, '.config/git'), { recursive: true });
      writeFileSync(path.join(home, '.gitconfig'), text);
      assert.equal(await decide('rg TOKEN', root), 'allow');
      writeFileSync(path.join(home, file), '!.env');
      assert.match(search(root), /TOKEN/);
      assert.equal(await decide('rg TOKEN', root), 'ask');
      // Elsewhere it is no ignore file of this user.
      process.env['HOME'] = path.join(root, '../other');
      assert.equal(await decide('rg TOKEN', root), 'allow');
      process.env['XDG_CONFIG_HOME'] = path.join(home, '.config');
      assert.equal(await decide('rg TOKEN', root), text === '' ? 'ask' : 'allow');
    } finally {
      for (const [name, value] of Object.entries({ HOME, XDG_CONFIG_HOME }))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
  });

test('a work tree has the excludes of its repository', async () => {
  const root = makeRoot();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=x', '-c', 'user.email=x@y', ...args]);
  git('add', 'a/x.ts');
  git('commit', '-qm', 'x');
  git('worktree', 'add', '-q', '--detach', 'tree');
  const tree = path.join(root, 'tree');
  writeFileSync(path.join(tree, '.env'), 'TOKEN\n');
  assert.equal(await decide('rg TOKEN', tree), 'allow');
  writeFileSync(path.join(root, '.git/info/exclude'), '!.env');
  assert.equal(await decide('rg TOKEN', tree), 'ask');
  assert.equal(await decide('cd tree && rg TOKEN', root), 'ask');
  rmSync(path.join(root, '.git/info/exclude'));
  mkdirSync(path.join(root, '.git/worktrees/tree/info'));
  writeFileSync(path.join(root, '.git/worktrees/tree/info/exclude'), '!.env');
  assert.equal(await decide('rg TOKEN', tree), 'ask');
});

for (const [file, line] of [
  ['.gitignore', '.env*\n!.env.example'],
  ['.ignore', '!b'],
  ['.ignore', '# !.env'],
  ['.ignore', '!*.ts'],
  ['.fdignore', '!.env'],
  ['b/.ignore', '!.hidden'],
] as const)
  test(`rg does not ask if ${file} includes other names: ${JSON.stringify(line)}`, async () => {
    const root = makeRoot();
    writeFileSync(path.join(root, file), line);
    assert.doesNotMatch(search(root), /TOKEN/);
    assert.equal(await decide('rg TOKEN', root), 'allow');
  });

for (const [name, line] of [
  ['lists', `!${'{a,b}'.repeat(20)}`],
  ['sets', `!${'['.repeat(100_000)}`],
  ['stars', '!*a*b*c*d*e*f*\n'.repeat(60_000)],
  ['lines', '!.x\n'.repeat(200_000)],
] as const)
  test(`an ignore file of many ${name} takes no time`, async () => {
    const root = makeRoot();
    writeFileSync(path.join(root, '.ignore'), line);
    const spent = await cpuTime(async () => {
      assert.equal(await decide('rg TOKEN', root), 'ask');
    });
    assert.ok(spent < 5000, `${spent} ms`);
  });

test('an ignore file that can not be read may include anything', async () => {
  const root = makeRoot();
  mkdirSync(path.join(root, 'a/.ignore'));
  assert.equal(await decide('rg TOKEN', root), 'ask');
  rmSync(path.join(root, 'a/.ignore'), { recursive: true });
  symlinkSync('x.ts', path.join(root, 'a/.ignore'));
  assert.equal(await decide('rg TOKEN a', root), 'allow');
});

test('git ls-files also lists hidden files that are tracked', async () => {
  const root = makeRoot();
  const lines = [
    'git ls-files -z | xargs -0 cat',
    'git ls-files | xargs wc -l',
    'git diff --name-only -z | xargs -0 head',
    'git ls-files -z a | xargs -0 cat',
  ];
  execFileSync('git', ['-C', root, 'add', 'a/x.ts', 'b/.hidden/y.ts']);
  for (const line of lines) assert.equal(await decide(line, root), 'allow', line);
  for (const secret of ['a/.hidden/x.pem', 'b/.env']) {
    execFileSync('git', ['-C', root, 'add', secret]);
    for (const line of lines) {
      // With a path, git only prints what is tracked below it.
      const printed = !line.includes('-z a') || secret.startsWith('a/');
      assert.equal(await decide(line, root), printed ? 'ask' : 'allow', line);
    }
    execFileSync('git', ['-C', root, 'rm', '-q', '--cached', secret]);
  }
  writeFileSync(path.join(root, '.git/index'), 'odd');
  for (const line of lines) assert.equal(await decide(line, root), 'ask', line);
});

test('a file counts by its name as it is, whatever signs it has', async () => {
  const root = plantWorkspace(['secrets/[id].ts', 'secrets/*', 'secrets/{a}', 'a.ts']);
  const rules = rulesOf('bash * allow', 'fs.read ** allow', 'fs.read secrets/** deny');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const judge = async (line: string) =>
    (await evaluate(bashCall(line), policyOf(rules, { folders, lookMs: 60_000 }))).decision;
  for (const line of [
    "grep -r --include='*' x .",
    "grep -r --include='*.ts' x .",
    "grep -r --include='?id*' x .",
    "find . -name '*' -exec cat {} +",
    `grep -r --include='${'['.repeat(20_000)}' x .`,
  ])
    assert.equal(await judge(line), 'deny', line.slice(0, 40));
  assert.equal(await judge("grep -r --include='*.md' x ."), 'allow');
});

test('a deny of a folder covers other names of its files elsewhere', async () => {
  const root = plantWorkspace(['b/secrets/deep/key', 'a/x.ts']);
  linkSync(path.join(root, 'b/secrets/deep/key'), path.join(root, 'a/plain.ts'));
  const rules = rulesOf('bash * allow', 'fs.read ** allow', 'fs.read b/secrets/** deny');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  for (const line of ['cat a/plain.ts', 'grep -r x a', 'tar c a', 'rg x a', 'cp -r a c'])
    assert.equal(
      (await evaluate(bashCall(line), policyOf(rules, { folders }))).decision,
      'deny',
      line,
    );
});

test('git grep reads tracked hidden files, and excludes what it is told to', async () => {
  const root = makeRoot();
  execFileSync('git', ['-C', root, 'add', 'a', 'b/.hidden']);
  const rules = rulesOf('bash * allow', 'fs.read ** allow', 'fs.read **/.env deny');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const judge = async (line: string) =>
    (await evaluate(bashCall(line), policyOf(rules, { folders, lookMs: 60_000 }))).decision;
  for (const line of ['git grep TOKEN', 'git grep TOKEN a', 'git grep --untracked TOKEN'])
    assert.equal(await judge(line), 'deny', line);
  for (const line of ["git grep TOKEN ':!*.env'", "git grep --untracked TOKEN ':!*.env'"])
    assert.equal(await judge(line), 'allow', line);
  execFileSync('git', ['-C', root, 'rm', '-q', '--cached', 'a/.env']);
  assert.equal(await judge('git grep TOKEN'), 'allow');
});

test('a file counts if both the glob of the command and that of the rule match its name', async () => {
  const root = plantWorkspace(['d/.env.local', 'd/x.ts']);
  for (const line of [
    "grep -r --include='*' x d",
    "grep -r --include='*.local' x d",
    "find d -name '*.local' -print0 | xargs -0 cat",
  ])
    assert.equal(await decide(line, root), 'ask', line);
  for (const line of ["grep -r --include='*.ts' x d", "find d -name '*.ts' -print0 | xargs -0 cat"])
    assert.equal(await decide(line, root), 'allow', line);
});
