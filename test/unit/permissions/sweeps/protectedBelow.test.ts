import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import { createReadGit } from '../../../../src/runtime/commands/readGit.ts';
import { evaluateBash, plantWorkspace } from '../ask.ts';

/** Rules as wide as they get. */
const WIDE = ['bash * allow', '* * allow', '* ** allow', 'fs.write ** allow', 'fs.read ** allow'];

const FILES = [
  '.config/Code/User/settings.json',
  '.config/other/a.txt',
  'sub/deep/.vscode/settings.json',
  'sub.d/.github/prompts/a.md',
  'plain/a.ts',
  'plain/node_modules/x/.vscode/settings.json',
  'new/a.ts',
];

function plant(files = FILES, more: Partial<Policy> = {}) {
  const root = plantWorkspace(files);
  const folders = { workspace: [root], adHoc: [], cwd: root, ...more.folders };
  const explain = (line: string) => evaluateBash(line, WIDE, { ...more, folders });
  return { root, explain, decide: async (line: string) => (await explain(line)).decision };
}

test('what makes another folder the one of GitHub asks, because agents act on files in it', async () => {
  const { decide } = plant(['x/agents/a.md', '.github/workflows/ci.yml']);
  const lines = [
    ...['mv x .github', 'mv -T x sub/.github', 'git mv x .GitHub', 'ln -s x .github'],
    ...[
      'cp -r x .github',
      'cp -r x/agents .github/',
      'rsync -a x/ .github/',
      'tar xf a -C .github',
    ],
  ];
  for (const line of lines) assert.equal(await decide(line), 'ask', line);
  for (const line of ['ls .github', 'echo >.github/workflows/ci.yml', 'mv x .github/workflows']) {
    assert.equal(await decide(line), 'allow', line);
  }
});

/** Commands that move, remove, copy or replace the folder `@`. */
const CARRYING = [
  'mv @ old',
  'mv -t old @',
  'mv --target-directory=old @',
  'mv -T @ old',
  'rm -r @',
  'rm -rf ./@/',
  'rm -fr "$PWD/@"',
  'rimraf @',
  'trash @',
  'cp -r @ copy',
  'cp -rT @ copy',
  'cp -a @ new copy',
  'rsync -a @/ copy/',
  'rsync -a --delete new/ @/',
  'git mv @ old',
  'git clean -fd @',
  'find @ -delete',
  "find @ -name '*.json' -delete -o -name '*.md' -delete",
  'cd . && mv @ old',
  'for d in @; do rm -r $d; done',
  'sh -c "rm -r @"',
  'echo @ | xargs rm -r',
];

for (const folder of ['.config', 'sub', 'sub/deep', 'sub.d', 'sub.d/.github']) {
  test(`what carries ${folder} away asks, because a protected file lies below`, async () => {
    const { root, decide } = plant();
    execFileSync('git', ['init', '-q'], { cwd: root });
    const silent: string[] = [];
    for (const line of CARRYING.map((each) => each.replaceAll('@', folder)))
      if ((await decide(line)) === 'allow') silent.push(line);
    assert.deepEqual(silent, []);
  });
}

for (const folder of ['.config', 'sub', 'sub/deep', 'sub.d', 'sub.d/.github']) {
  test(`git rm of ${folder} asks, because a protected file below is tracked`, async () => {
    const { root, decide } = plant();
    execFileSync('git', ['init', '-q'], { cwd: root });
    execFileSync('git', ['add', '.'], { cwd: root });
    for (const line of ['git rm -r @', 'git rm -r --cached @', 'git rm -rf ./@/', 'git rm -r -- @'])
      assert.equal(await decide(line.replaceAll('@', folder)), 'ask', line);
  });
}

test('a folder without protected files is carried by the same commands', async () => {
  const { root, decide } = plant();
  execFileSync('git', ['init', '-q'], { cwd: root });
  const asked: string[] = [];
  // A git move, nested shells, -delete and target folders, which a rule must spell, ask for reasons of their own.
  const own = CARRYING.filter((line) => !/^(?:git mv|sh|echo|for|find)\b| -t |--target/.test(line));
  for (const line of own.map((each) => each.replaceAll('@', 'plain')))
    if ((await decide(line)) !== 'allow') asked.push(line);
  assert.deepEqual(asked, []);
});

test('the reason names the file, and no rule is offered', async () => {
  const { explain } = plant();
  const decision = await explain('mv .config old');
  assert.match(decision.reason, /`\.config\/Code` with its folder\. That always asks/);
  assert.deepEqual(decision.offers().allow, []);
});

test('links, and links with protected names, count', async () => {
  const { root, decide } = plant(['a/x.ts', 'b/x.ts', 'c/.vscode/settings.json']);
  symlinkSync('../elsewhere', path.join(root, 'a', '.vscode'));
  symlinkSync('c', path.join(root, 'linked'));
  assert.equal(await decide('rm -r a'), 'ask');
  assert.equal(await decide('rm -r b'), 'allow');
  assert.equal(await decide('rm -r linked/'), 'ask');
});

test("this user's settings and the host's state count wherever they are", async () => {
  const root = plantWorkspace(['conf/rules.json', 'data/User/x', 'store/state/a', 'free/a']);
  const at = (name: string) => path.join(root, name);
  const folders = {
    ...{ workspace: [root], adHoc: [], cwd: root, state: at('store/state') },
    ...{ settings: [at('conf/rules.json')], editors: [at('data/User')] },
  };
  for (const name of ['conf', 'data', 'store'])
    assert.notEqual(
      (await evaluateBash(`mv ${name} old`, WIDE, { folders })).decision,
      'allow',
      name,
    );
  assert.equal((await evaluateBash('mv free old', WIDE, { folders })).decision, 'allow');
});

test('git clean asks about untracked protected files only', async () => {
  const { root, decide } = plant(['src/a.ts', '.vscode/settings.json']);
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'All.');
  assert.equal(await decide('git clean -fd'), 'allow');
  mkdirSync(path.join(root, 'src/.vscode'));
  writeFileSync(path.join(root, 'src/.vscode/tasks.json'), '{}');
  assert.equal(await decide('git clean -fd'), 'ask');
  assert.equal(await decide('git clean -nd'), 'allow');
});

test('a look that is cut short asks', async () => {
  const { explain } = plant(['plain/a.ts'], { lookMs: 0 });
  const { decision, reason } = await explain('rm -r plain');
  assert.equal(decision, 'ask');
  assert.match(reason, /can't tell whether it holds protected files/);
});

test('folders of the system need no look, unless a workspace lies there', async () => {
  const { explain } = plant(['plain/a.ts'], { lookMs: 0 });
  const unknown = /can't tell whether it holds protected files/;
  assert.doesNotMatch((await explain('cp -r /usr/share/x copy')).reason, unknown);
  const folders = { workspace: ['/usr/src/app'], adHoc: [], cwd: '/usr/src/app' };
  const inside = await evaluateBash('rm -r /usr/src/app/x', WIDE, { folders, lookMs: 0 });
  assert.match(inside.reason, unknown);
});

test('PowerShell and cmd move and remove folders too', async () => {
  const { root } = plant();
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const wide = [...WIDE, 'pwsh * allow', 'cmd * allow'];
  const decide = async (line: string, shell: Policy['shell']) =>
    (await evaluateBash(line, wide, { folders, shell })).decision;
  for (const line of ['Remove-Item -Recurse sub', 'Move-Item sub old', 'Copy-Item -Recurse sub x'])
    assert.equal(await decide(line, 'pwsh'), 'ask', line);
  for (const line of ['rd /s /q sub', 'move sub old', 'xcopy /s /e sub x'])
    assert.equal(await decide(line, 'cmd'), 'ask', line);
  assert.equal(await decide('Remove-Item -Recurse new', 'pwsh'), 'allow');
});

test('what is moved or copied out of a folder that programs fill asks', async () => {
  const { decide } = plant([
    ...['node_modules/evil/template/.vscode/tasks.json', 'node_modules/good/a.js'],
    ...['sub/.venv/lib/.envrc', 'packages/app/a.ts'],
  ]);
  for (const line of [
    'cp -r node_modules/evil/template packages/app',
    'cp -r node_modules/evil/template/. packages/app',
    'cp -rT node_modules packages/app',
    'mv node_modules/evil/template packages/app',
    'rsync -a node_modules/evil/template/ packages/app/',
    'mv sub/.venv/lib packages/app',
  ])
    assert.equal(await decide(line), 'ask', line);
  for (const line of [
    'cp -r node_modules/good packages/app',
    'rm -rf node_modules',
    'rm -rf node_modules/evil/template',
    'mv sub old',
  ])
    assert.equal(await decide(line), 'allow', line);
});

test('git clean keeps ignored files, which do not ask unless an option includes them', async () => {
  const files = ['.idea/a.xml', '.vscode/settings.json', '.envrc', 'out/x/.envrc', 'new/a.ts'];
  const { root } = plant([...files, '.gitignore']);
  const ignore = (...names: readonly string[]) =>
    writeFileSync(path.join(root, '.gitignore'), `${names.join('\n')}\n`);
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['init', '-q', 'out/repository'], { cwd: root });
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const policy = { folders, readGit: createReadGit([root]), lookMs: 60_000 };
  const decide = async (line: string) => (await evaluateBash(line, WIDE, policy)).decision;
  ignore('.idea/', '.vscode/', '.envrc');
  assert.equal(await decide('git clean -fd'), 'ask', 'a repository in a folder');
  rmSync(path.join(root, 'out/repository'), { recursive: true });
  ignore('.idea/', '.vscode/', '.envrc', 'out/');
  for (const line of ['git clean -fd', 'git clean -fd .', 'git clean -fd out'])
    assert.equal(await decide(line), 'allow', line);
  for (const line of ['git clean -fdx', 'git clean -fdX', 'git clean -fd -x'])
    assert.equal(await decide(line), 'ask', line);
  ignore('.vscode/', '.envrc', 'out/');
  assert.equal(await decide('git clean -fd'), 'ask');
  execFileSync('git', ['clean', '-fdq', '.', 'out'], { cwd: root });
  const kept = files.map((name) => existsSync(path.join(root, name)));
  assert.deepEqual(kept, [false, true, true, true, false]);
});

test('git clean keeps repositories in ignored folders, and many ignored files', async () => {
  const many = Array.from({ length: 300 }, (_, index) => `build/${index}/.envrc`);
  const { root } = plant(['src/a.ts', '.gitignore', 'logs/a.log', ...many]);
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['init', '-q', 'build/deps/repository'], { cwd: root });
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const policy = { folders, readGit: createReadGit([root]), lookMs: 60_000 };
  const decide = async (line: string) => (await evaluateBash(line, WIDE, policy)).decision;
  writeFileSync(path.join(root, '.gitignore'), 'build/\n*.log\n');
  assert.equal(await decide('git clean -fd'), 'allow');
  assert.equal(await decide('git clean -ffd'), 'allow');
  execFileSync('git', ['clean', '-ffdq'], { cwd: root });
  assert.ok(existsSync(path.join(root, 'build/deps/repository/.git')));
  assert.ok(existsSync(path.join(root, 'build/299/.envrc')));
  assert.equal(await decide('git clean -fdx'), 'ask');
  // All that git lists in this folder is ignored, but the folder isn't.
  mkdirSync(path.join(root, 'logs/.git'));
  assert.equal(await decide('git clean -fd'), 'ask');
  rmSync(path.join(root, 'logs/.git'), { recursive: true });
  mkdirSync(path.join(root, 'new'));
  writeFileSync(path.join(root, 'new/.envrc'), '');
  assert.equal(await decide('git clean -fd'), 'ask');
  rmSync(path.join(root, 'new'), { recursive: true });
  writeFileSync(path.join(root, '.gitignore'), 'build/*\n!build/deps\n*.log\n');
  assert.equal(await decide('git clean -ffd'), 'ask');
});

test('git mv of a file asks about no rule for other files', async () => {
  const { root } = plant(['src/a.ts', 'sub/.env']);
  execFileSync('git', ['init', '-q'], { cwd: root });
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = ['bash git mv * allow', 'fs.write **/.env deny'];
  const decide = async (line: string) => (await evaluateBash(line, rules, { folders })).decision;
  assert.equal(await decide('git mv src/a.ts src/b.ts'), 'allow');
  assert.notEqual(await decide('git mv sub old'), 'allow');
});

test('git mv takes no file away from the name by which a rule denies reading it', async () => {
  const { root } = plant(['src/a.ts', 'sub/private.txt']);
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', '-A'], { cwd: root });
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = ['bash * allow', 'fs.write ** allow', 'fs.read sub/private.txt deny'];
  const decide = async (line: string) => (await evaluateBash(line, rules, { folders })).decision;
  for (const line of ['mv sub old', 'git mv sub old', 'git -C sub mv ../sub ../old'])
    assert.notEqual(await decide(`${line} && cat old/private.txt`), 'allow', line);
  assert.equal(await decide('git mv src old && cat old/a.ts'), 'allow');
});
