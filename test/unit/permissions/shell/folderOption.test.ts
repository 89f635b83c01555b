import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../ask.ts';
import { decideIn, makeFolder, openRepository } from '../moves/repository.ts';

/** A workspace with repositories: a harmless one, and one whose configuration runs a program. */
function makeWorkspace(): string {
  const files = ['.env', 'a.json', 'good/src/x', 'good/.env', 'bad/src/x', 'plain/x', 'tree/src/x'];
  const root = plantWorkspace(files);
  for (const name of ['good', 'bad', 'tree'])
    execFileSync('git', ['init', '-q', path.join(root, name)], { stdio: 'ignore' });
  execFileSync('git', ['-C', path.join(root, 'bad'), 'config', 'core.fsmonitor', './x']);
  execFileSync('git', ['-C', path.join(root, 'tree'), 'config', 'core.worktree', '../src']);
  mkdirSync(path.join(root, '..', 'outside'));
  symlinkSync('../outside', path.join(root, 'out'));
  writeFileSync(path.join(root, 'good', 'json.py'), '');
  return root;
}

const root = makeWorkspace();
const folders = { workspace: [root], adHoc: [], cwd: root };

async function decide(line: string, rules = DEFAULT_RULES): Promise<string> {
  return (await evaluate(bashCall(line), policyOf(rules, { folders }))).decision;
}

function check(name: string, expected: string, lines: readonly string[], rules = DEFAULT_RULES) {
  test(name, async () => {
    const other: string[] = [];
    for (const line of lines) if ((await decide(line, rules)) !== expected) other.push(line);
    assert.deepEqual(other, []);
  });
}

check('git -C folder is read as git in that folder', 'allow', [
  'git -C good status',
  'git -C good/src log --oneline -5',
  `git -C ${root}/good diff`,
  'git --no-pager -C good log -p',
  'git -C good --no-pager show',
  "git -C 'good' ls-files",
  'git -C plain status',
  'git -C good -C src log -1',
  'git -C good/src -C .. -C src status',
  'git -C good -C ../plain status',
  'git --no-pager -C plain/../good log',
]);

check('and asks where that git would', 'ask', [
  // What `cd folder && git …` asks about.
  'git -C bad status',
  'git -C bad/src log',
  'git -C good push',
  'git -C good commit -m x',
  'git -C good log --output=x',
  'git -C good grep -Ovim x',
  'git -C good remote -v',
  'git -C good checkout main',
  'git -C good clean -fdx',
  'git -C good clean status',
  'git -C status commit',
  'git -C good frobnicate',
  // Folders that aren't certain, or that lie outside.
  'git -C .. status',
  'git -C good/../bad status',
  'git -C out status',
  'git -C out/x status',
  'git -C /etc status',
  'git -C ~/x status',
  'git -C "$D" status',
  'git -C g* status',
  'git -C {good,bad} status',
  "git -C '' status",
  'cd /tmp; git -C good status',
  'cd $X; git -C good status',
  // More options that select the repository or run something.
  'git -C good -C ../bad status',
  'git -C good -C .. -C bad status',
  'git -C good -C ../.. status',
  'git -C good -C /etc status',
  "git -C good -C '' status",
  'git -C good -C "$D" status',
  'git -C good -C src push',
  'git -C out -C .. status',
  'git -C out/.. status',
  'git -C good -c core.fsmonitor=./x status',
  'git -c core.fsmonitor=./x -C good status',
  'git -C good --git-dir=../bad/.git status',
  'git --git-dir=bad/.git -C good status',
  'git -C good --exec-path=. status',
  'git -C good -p log',
  'git -Cgood status',
  'git -C',
  'git -C good',
  'GIT_DIR=bad/.git git -C good status',
  'GIT_WORK_TREE=/ git -C good status',
  'env GIT_DIR=bad/.git git -C good status',
  'export GIT_EXTERNAL_DIFF=./x; git -C good diff',
  'git() { rm -rf x; }; git -C good status',
  './git -C good status',
  'git -C good status; git -C bad status',
  'git -C bad\\\n status',
]);

test('rules for a subcommand hold in every folder', async () => {
  const rules = [...DEFAULT_RULES, ...rulesOf('bash git log deny', 'bash git -C good diff deny')];
  assert.deepEqual(
    await Promise.all(
      ['git -C good log', 'git -C good diff', 'git -C good status'].map((line) =>
        decide(line, rules),
      ),
    ),
    ['deny', 'deny', 'allow'],
  );
  // A rule of the user's own says nothing about other folders.
  assert.equal(await decide('git -C good status', rulesOf('bash git status allow')), 'ask');
  assert.equal(
    await decide('git -C good status', rulesOf('bash git -C good status allow')),
    'allow',
  );
});

const TOP = '$(git rev-parse --show-toplevel)';

check('the top of the work tree and the current folder are known', 'allow', [
  `cd good/src && cd "${TOP}" && ls`,
  `cd good/src && cd "${TOP}" && git status`,
  `cd good/src && cd -- "${TOP}"; cat src/x`,
  'cd good && cat "$(pwd)/src/x"',
  'cd good && ls $(pwd)/src "$(pwd)"',
]);

check('but what lies there counts, and a git that fails prints nothing', 'ask', [
  `cd good/src && cd "${TOP}" && cat .env`,
  `cd good/src && cd "${TOP}/.." && ls`,
  `cd good/src && cd ${TOP} && ls`,
  `cd good/src && cat "${TOP}/x"`,
  `cd good/src && cat "${TOP}/etc/passwd"`,
  `cd bad/src && cd "${TOP}" && ls`,
  `cd tree/src && cd "${TOP}" && ls`,
  `cd plain && cd "${TOP}" && ls`,
  `cd out && cd "${TOP}" && ls`,
  `cd $X && cd "${TOP}" && ls`,
  'cd good && cat "$(pwd)/.env"',
  'cd good && cat "$(pwd)/../../x"',
  'cd $X && cat "$(pwd)/x"',
  '$(pwd)/x',
]);

test('a variable may hold them, and is evaluated with what it holds', async () => {
  const { root, git, write } = openRepository(makeFolder());
  git('init', '-q');
  write({ 'a.txt': 'x', 'sub/b.txt': 'x', '.env': 'x' });
  const decideAll = (lines: readonly string[]) =>
    Promise.all(lines.map((line) => decideIn(line, root, DEFAULT_RULES)));
  const known = [
    `root=${TOP}; cd "$root" && ls`,
    `root="${TOP}" && cd "$root" && cat a.txt`,
    'here=$(pwd); cd sub; cat "$here/a.txt"',
    'here="$(pwd)"; cat "$here/sub/b.txt"',
  ];
  assert.deepEqual(
    await decideAll(known),
    known.map(() => 'allow'),
  );
  const asking = [
    `root=${TOP}; cd "$root" && cat .env`,
    `root=${TOP}; cd "$root/.." && ls`,
    `root=${TOP}; cat "$root/etc/passwd"`,
    `root=${TOP}; root=/etc; cd "$root" && cat passwd`,
    `root=/etc; false && root=${TOP}; cd "$root" && ls`,
    `for i in 1 2; do root=${TOP}; cd "$root" && ls; cd /etc; done`,
    `cd $X; root=${TOP}; cd "$root" && ls`,
    'here=$(pwd); cat "$here/.env"',
    'here=$(pwd); cat "$here/../../x"',
    'cd sub; here=$(pwd); cat "$here/../.env"',
  ];
  assert.deepEqual(
    await decideAll(asking),
    asking.map(() => 'ask'),
  );
});

test('nor is the top known if the line may change the repository', async () => {
  const rules = [...DEFAULT_RULES, ...rulesOf('bash git * allow', 'bash mkdir * allow')];
  for (const line of [
    `cd good/src; git config core.worktree /etc; cd "${TOP}" && cat passwd`,
    `cd good/src; git init ../..; cd "${TOP}" && ls`,
    `cd good/src; for i in 1 2; do cd "${TOP}" && ls; git config core.worktree /; done`,
    `cd good/src; GIT_DIR=x cd "${TOP}" && ls`,
    `export GIT_WORK_TREE=/etc; cd good/src; cd "${TOP}" && ls`,
  ])
    assert.equal(await decide(line, rules), 'ask', line);
});

check('python -I prints JSON', 'allow', [
  'python3 -I -m json.tool a.json',
  'cat a.json | python3 -I -m json.tool --sort-keys',
  'python -I -m json.tool --indent=2 a.json',
]);

check('but not what the folder may replace, or with a file to write', 'ask', [
  'python3 -m json.tool a.json',
  'python3 -m json.tool -I a.json',
  'python3 -I -m json a.json',
  'python3 -I -m json.tool a.json out.json',
  'python3 -I -m json.tool -- a.json out.json',
  'python3 -I -m json.tool - out.json',
  'python3 -I -m json.tool --indent 2 a.json out.json',
  'python3 -I -m json.tool .env',
  'python3 -I -m json.tool /etc/passwd',
  'python3 -Im json.tool a.json',
  'python3 -I -X importtime -m json.tool a.json',
  'python3 -I -c x -m json.tool',
  'python3 -I -m json.tool a.json -c x',
  'PYTHONPATH=. python3 -I -m json.tool a.json',
  './python3 -I -m json.tool a.json',
  "'python -I -m json.tool' a.json",
  'python3 -I -m json.tool a.json > out.json',
  'cd good; python3 -m json.tool ../a.json',
  'python3 -I -m json.tool "$X"',
  'echo x | xargs python3 -I -m json.tool a.json',
]);
