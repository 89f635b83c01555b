import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { evaluateBash, plantWorkspace } from '../ask.ts';

const WIDE = ['bash * allow', 'fs.write ** allow', 'fs.read ** allow'];
const FILES = ['docs/a.md', 'docs/.envrc', 'sub/deep/.envrc', 'src/a.ts', 'src/b.ts'];

/** A repository that tracks the files matched by the pathspecs. */
function plant(...tracked: readonly string[]) {
  const root = plantWorkspace(FILES);
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...words], { cwd: root });
  git('init', '-q');
  git('add', ...tracked);
  git('commit', '-qm', 'All.');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = async (line: string) => (await evaluateBash(line, WIDE, { folders })).decision;
  return { root, git, decide };
}

test('git rm asks about no file that git does not track, nor about the repository', async () => {
  const { root, git, decide } = plant('docs/a.md', 'src');
  const lines = [
    ...['git rm -r --cached .', 'git rm -r .', 'git rm -rf docs', 'git rm -r --cached docs src'],
    ...["git rm '*.md'", 'cd docs && git rm -r .', 'git rm -r sub'],
    ...['git rm -r src && git rm -r docs', 'git status && git rm -r .'],
    'for d in docs src; do git rm -r "$d"; done',
  ];
  for (const line of lines) assert.equal(await decide(line), 'allow', line);
  git('rm', '-rfq', '.');
  const left = execFileSync('find', ['.', '-name', '.envrc'], { cwd: root }).toString();
  assert.deepEqual(left.trim().split('\n').sort(), ['./docs/.envrc', './sub/deep/.envrc']);
});

test('git rm asks about a protected file that git tracks', async () => {
  const { decide } = plant('.');
  const lines = [
    ...['git rm -r .', 'git rm -r --cached .', 'git rm -rf docs', 'git rm -r src sub'],
    ...['git -C docs rm -r .', 'cd sub && git rm -r .', "git rm 'docs/*'", "git rm 'do*'"],
    ...["git rm 'd*c'", "git rm ':(glob)**/.envrc'", "git rm ':(icase)DOCS/*'", 'git rm -r :/'],
    ...['git rm --pathspec-from-file=list', 'git rm -r :/docs'],
    ...[
      "git rm 'docs/.e\\nvrc'",
      "git rm 'do\\cs/.envrc'",
      "git rm 'd\\ocs/*'",
      "git rm ':/docs/.e\\nvrc'",
    ],
    // A question mark is a slash, too.
    ...["git rm 'docs???????'", "git rm 'do?s???????'", "git rm 'sub/deep???????'"],
  ];
  for (const line of lines) assert.equal(await decide(line), 'ask', line);
  for (const line of ['git rm -r src', "git rm 'src/?.ts'", "git rm 'src/a.t?'"])
    assert.equal(await decide(line), 'allow', line);
});

test('what the same line may track before git rm asks', async () => {
  const { decide } = plant('docs/a.md', 'src');
  const lines = [
    ...['git add -f docs && git rm -r docs', 'npm run x && git rm -r docs'],
    ...['git reset --hard HEAD~1 && git rm -r docs', 'git -C docs add -f . ; git rm -r docs'],
    'for d in docs; do git rm -r "$d"; git add -f docs; done',
  ];
  for (const line of lines) assert.equal(await decide(line), 'ask', line);
});

test('git rm asks where another repository may be meant', async () => {
  const { git, decide } = plant('docs/a.md', 'src');
  for (const line of [
    'git --work-tree=. --git-dir=docs/other rm -r docs',
    'git -c core.worktree=/elsewhere rm -r docs',
    'cd "$X" && git rm -r docs',
  ])
    assert.equal(await decide(line), 'ask', line);
  git('config', 'core.worktree', '/elsewhere');
  assert.equal(await decide('git rm -r docs'), 'ask');
});

test('a rule that spells out the other repository does not let git rm carry off a protected file', async () => {
  const { root } = plant('docs/a.md', 'src');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  for (const line of [
    'git --git-dir=docs/other --work-tree=. rm -r docs',
    'git --work-tree=. rm -r docs',
    'git -c a.b=c rm -r docs',
    // Another program may have the name.
    '/opt/other/git rm -r docs',
  ]) {
    const rules = [...WIDE, `bash ${line} allow`];
    const { decision, reason } = await evaluateBash(line, rules, { folders });
    assert.equal(decision, 'ask', line);
    assert.match(reason, /`docs\/\.envrc`/, line);
  }
});

test('git rm of a submodule asks, and of an index that can not be read', async () => {
  const { root, git, decide } = plant('docs/a.md', 'src');
  const id = git('rev-parse', 'HEAD').toString().trim();
  git('update-index', '--add', '--cacheinfo', `160000,${id},vendor/lib`);
  mkdirSync(path.join(root, 'vendor/lib/.vscode'), { recursive: true });
  writeFileSync(path.join(root, 'vendor/lib/.vscode/tasks.json'), '{}');
  for (const line of ['git rm -r vendor', 'git rm -rf vendor/lib', 'git rm -r .'])
    assert.equal(await decide(line), 'ask', line);
  assert.equal(await decide('git rm -r docs'), 'allow');
  writeFileSync(path.join(root, '.git/index'), 'broken');
  assert.equal(await decide('git rm -r docs'), 'ask');
});

test('git mv still carries what git does not track', async () => {
  const { decide } = plant('docs/a.md', 'src');
  assert.equal(await decide('git mv docs old'), 'ask');
  assert.equal(await decide('git mv src old'), 'allow');
});

test('a pattern of git means files below the folders that it matches', async () => {
  const { root } = plant('docs/a.md', 'src');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = ['bash * allow', 'fs.read **/.envrc deny'];
  const decide = async (line: string) => (await evaluateBash(line, rules, { folders })).decision;
  for (const pattern of [
    'do*',
    '*ocs*',
    'd?cs*',
    'doc[s]*',
    ':(icase)DOCS',
    'docs?.envrc',
    '*/.e*',
  ])
    assert.equal(await decide(`git add '${pattern}'`), 'ask', pattern);
  for (const pattern of ['*.md', 'do*.ts', '*.t?', 'docs/*.md'])
    assert.equal(await decide(`git add '${pattern}'`), 'allow', pattern);
});
