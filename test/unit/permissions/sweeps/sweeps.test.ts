import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { rgPath } from '@vscode/ripgrep';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import type { Policy } from '../../../../src/permissions/rules/policy.ts';
import { bashCall, evaluate, evaluateBash, plantWorkspace, policyOf, rulesOf } from '../ask.ts';

/** README's own rules. */
const README = ['bash npm test* allow', 'fs.write {workspace}/src/** allow', '* **/.env deny'];

interface Tree {
  readonly root: string;
  decide(line: string, rules?: readonly string[], more?: Partial<Policy>): Promise<string>;
  explain(line: string, rules?: readonly string[]): ReturnType<typeof evaluateBash>;
}

function plant(...files: readonly string[]): Tree {
  const root = plantWorkspace(files);
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const explain = (line: string, rules = README) =>
    evaluateBash(line, ['bash * allow', ...rules], { folders });
  return {
    root,
    explain,
    decide: async (line, rules = README, more = {}) =>
      (await evaluateBash(line, ['bash * allow', ...rules], { folders, ...more })).decision,
  };
}

const SWEEPS = [
  'grep -rn TODO src',
  'grep -d recurse TODO src',
  'rgrep TODO src',
  'rg --hidden TODO src',
  'diff -r src lib',
  'colordiff -r src lib',
  'tar czf a.tgz src',
  'zip -r a.zip src',
  'rsync -a src/ host:x',
  'rsync -d src/ out',
  'scp -r src host:x',
  'cp -r src out',
  'docker cp src box:/x',
  'git grep --no-index TODO src/',
  'git diff --no-index src lib',
  'rm -rf src',
  'chmod -R a+r src',
  'chgrp -R staff src',
  'setfacl -R -m u:x:r src',
];

test("README's deny of **/.env leaves sweeps alone where no .env lies", async () => {
  const { decide } = plant('src/a.ts', 'src/deep/b.ts', 'lib/a.ts', 'other/.env');
  for (const line of SWEEPS.filter((each) => !each.startsWith('git grep')))
    assert.equal(await decide(line), 'allow', line);
});

test('and denies them where one lies, naming the file and the rule', async () => {
  const { explain } = plant('src/a.ts', 'src/deep/.env', 'lib/a.ts');
  for (const line of SWEEPS) {
    const { decision, reason } = await explain(line);
    assert.equal(decision, 'deny', line);
    assert.match(reason, /The rule `\* \*\*\/\.env` denies `.*src\/deep\/\.env`, which/, line);
  }
});

test('the command that is offered instead passes, and opens no denied file', async () => {
  const tree = plant('src/a.ts', 'src/.env', 'src/deep/.env', 'lib/a.ts');
  spawnSync('git', ['init', '-q'], { cwd: tree.root });
  spawnSync('git', ['add', '-A', '-f'], { cwd: tree.root });
  for (const [line, expected] of [
    ['grep -rn src src', 'grep --exclude=.env -rn src src'],
    ["grep -rn --include='*' src .", "grep -rn '--include=*' --exclude=.env src ."],
    ['rg --hidden src', "rg -g '!.env' --hidden src"],
    ['rg -uu src -g x -e src', undefined],
    ['git grep --untracked src', "git grep --untracked src -- ':!*.env'"],
    ['diff -r src lib', 'diff --exclude=.env -r src lib'],
    ['tar cf out.tar src', 'tar cf out.tar --exclude=.env src'],
  ] as const) {
    const { instead } = await tree.explain(line);
    if (expected !== undefined) assert.equal(instead, expected);
    if (instead === undefined) continue;
    assert.equal(await tree.decide(instead), 'allow', instead);
    const real = instead.replace(/^rg /, `'${rgPath}' --no-config `);
    const { stdout, status } = spawnSync('bash', ['-c', real], {
      cwd: tree.root,
      encoding: 'utf8',
    });
    assert.ok(status !== null && status < 2, real);
    // Of folders that differ, diff prints its own command.
    assert.doesNotMatch(stdout.replace(/^diff .*/gm, ''), /\.env/, real);
  }
  const { stdout } = spawnSync('tar', ['tf', 'out.tar'], { cwd: tree.root, encoding: 'utf8' });
  assert.deepEqual(stdout.trim().split('\n').sort(), ['src/', 'src/a.ts', 'src/deep/']);
});

test('a folder is left out by its name', async () => {
  const { explain, decide } = plant('src/a.ts', 'secrets/a', 'secrets/b/c');
  const rules = ['fs.read secrets/** deny'];
  const { instead, reason } = await explain('grep -rn TODO .', rules);
  assert.equal(instead, 'grep --exclude-dir=secrets -rn TODO .');
  assert.match(reason, /denies `secrets\/`, which this command would read/);
  assert.equal(await decide('grep --exclude-dir=secrets -rn TODO .', rules), 'allow');
  assert.equal(await decide("rg TODO -g '!secrets'", rules), 'allow');
});

test('the command that is offered leaves out what each rule denies, each name once', async () => {
  const { explain } = plant('src/.env', 'lib/.env', 'conf/key.json', 'lib/x', 'src/x/y');
  for (const [rules, expected] of [
    [['fs.read src/.env deny', 'fs.read lib/.env deny'], '--exclude=.env'],
    [['fs.read **/.env deny', 'fs.read **/key.json deny'], '--exclude=key.json --exclude=.env'],
    [['fs.read lib/x deny', 'fs.read src/x/** deny'], '--exclude=x --exclude-dir=x'],
  ] as const) {
    const { instead } = await explain('grep -rn TODO .', rules);
    assert.equal(instead, `grep ${expected} -rn TODO .`);
  }
});

test('a folder is named in place of its files unless an allow is for some of them', async () => {
  const { explain } = plant('secrets/a', 'secrets/b/c', 'docs/d');
  const deny = 'fs.read secrets/** deny';
  for (const rules of [[deny], ['fs.read ** allow', deny], ['fs.read docs/** allow', deny]])
    assert.match((await explain('grep -rn TODO .', rules)).reason, /denies `secrets\/`, which/);
  const { reason, instead } = await explain('grep -rn TODO .', [
    deny,
    'fs.read secrets/b/** allow',
  ]);
  assert.match(reason, /denies `secrets\/a`, which/);
  assert.equal(instead, 'grep --exclude=a -rn TODO .');
});

test('where no rule may count, nothing is looked at, so it takes no time', async () => {
  const { decide } = plant('src/a.ts', 'docs/b.md');
  const none = { lookMs: 0 };
  assert.equal(await decide('grep -rn TODO .', [], none), 'allow');
  assert.equal(await decide('grep -rn TODO src', ['fs.read docs/** deny'], none), 'allow');
  assert.equal(await decide('grep -rn TODO .', ['fs.read docs/** deny'], none), 'ask');
});

test('what looks like an exclusion and is none leaves nothing out', async () => {
  const { decide } = plant('src/.env');
  for (const line of [
    'grep -e --exclude=.env -r src',
    'grep -r x src -- --exclude=.env',
    'grep -r --exclude=.env --include=.env x src',
    'grep -r --exclude=*.en x src',
    'grep -rf --exclude=.env src',
    'grep -r --exclude-dir=.env x src',
    "rg --hidden x src -e -g '!.env'",
    "rg --hidden -g '!.env' -g .env x src",
    "rg --hidden x src -- -g '!.env'",
    'tar cf --exclude=.env src',
    'tar czf a.tgz src --exclude=.env',
    'rsync -a --include=.env --exclude=.env src/ host:x',
    "git grep --no-index -e ':!src/.env' src/",
  ])
    assert.notEqual(await decide(line), 'allow', line);
});

const SEARCHES = [
  'pcre2grep -r TODO src',
  'pcregrep -r TODO src',
  'rga TODO src',
  'sift TODO src',
  'pt TODO src',
  'ug+ TODO src',
];

test('a script that feeds grep searches the current folder, whatever it names, if grep is recursive', async () => {
  const { decide } = plant('src/.env', 'lib/a.ts');
  for (const line of [
    'zgrep --dereference-recursive -e TODO lib/a.ts',
    'zgrep --dereference-recursive -E -e x -- -r',
    'bzgrep -r TODO lib/a.ts',
    'xzegrep -R TODO lib/a.ts',
  ])
    assert.equal(await decide(line), 'deny', line);
  assert.equal(await decide('zgrep TODO lib/a.ts'), 'allow');
  assert.equal(await decide('cd lib && zgrep --dereference-recursive TODO a.ts'), 'allow');
});

test('a search by another program than grep and rg is denied where a denied file lies', async () => {
  const { decide } = plant('src/.env', 'lib/a.ts');
  for (const line of SEARCHES) {
    assert.equal(await decide(line), 'deny', line);
    assert.equal(await decide(line.replace('src', 'lib')), 'allow', line);
  }
  for (const line of ['rga TODO', 'sift TODO', 'pt TODO', 'ug+ TODO'])
    assert.equal(await decide(line), 'deny', line);
  for (const line of ['semgrep -e TODO .', 'semgrep scan --config auto', 'ast-grep -p TODO'])
    assert.equal(await decide(line), 'ask', line);
  for (const line of ['gitleaks detect -v', 'trufflehog filesystem .', 'detect-secrets scan'])
    assert.equal(await decide(line), 'ask', line);
});

test('no word of a command is named as a file', async () => {
  const { explain } = plant('src/.env');
  const rules = ['fs.read ** ask', 'fs.write ** ask', 'fs.read **/.env deny'];
  for (const line of ['tar czf a.tgz src', '7z a a.7z src', 'ar rcs lib.a src/.env']) {
    const { reason, subjects } = await explain(line, rules);
    const named = subjects.map(({ target }) => target);
    assert.ok(!named.some((target) => /^(czf|a|rcs)$/.test(target)), `${named}`);
    assert.doesNotMatch(reason, /"(czf|a|rcs)"/);
  }
});

const FOLLOWERS = [
  'grep -R x src',
  'grep -rR x src',
  'grep --dereference-recursive x src',
  'grep --deref x src',
  'rg -L x src',
  'rg --follow x src',
  'rg --files -L src',
  'ag -f x src',
  'ag --follow x src',
  'ack --follow x src',
  'ugrep -R x src',
  'diff -r src lib',
  'diff src lib',
  'colordiff -r src lib',
  'find -L src',
  'find -L src -name x',
  'find src -follow',
  'fd -L x src',
  'ls -LR src',
  'ls -lRL src',
  'ls --rec --deref src',
  'tree -l src',
  'eza --follow-symlinks -T src',
  'du -L src',
  'du -shL src',
  'cp -rL src out',
  'cp --dereference -a src out',
  'tar chf a.tar src',
  'tar -chf a.tar src',
  'tar --dereference -cf a.tar src',
  'bsdtar -cLf a.tar src',
  'zip -r a.zip src',
  '7z a a.7z src',
  'rsync -aL src/ host:x',
  'rsync -ak src/ host:x',
  'rsync -a --copy-unsafe-links src/ host:x',
  'scp -r src host:x',
  'chmod -R -L a+r src',
  'chown -RL me src',
  'setfacl -R -L -m u:x:r src',
  'aws s3 sync src s3://x',
];
const STAYERS = [
  'grep -r x src',
  'rg x src',
  'find src',
  'ls -lR src',
  'ls -L src',
  'du -sh src',
  'cp -r src out',
  'tar cf a.tar src',
  'rsync -a src/ host:x',
  'zip -ry a.zip src',
  'diff -r --no-dereference src lib',
  'chmod -R a+r src',
  'grep -eR x src',
];

test('a link below that leads out asks where it is followed, and only there', async () => {
  const tree = plant('w/src/a', 'w/lib/a', 'outside/x');
  const root = path.join(tree.root, 'w');
  symlinkSync('../../outside', path.join(root, 'src/link'));
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const decide = (line: string, ...rules: readonly string[]) =>
    tree.decide(line, rules, { folders });
  for (const line of FOLLOWERS) {
    assert.equal(await decide(line), 'ask', line);
    const writes = /^(chmod|chown|setfacl)/.test(line) ? 'fs.write' : 'fs.read';
    const deny = `${writes} ${tree.root}/outside/** deny`;
    const expected = /^(7z|aws)/.test(line) ? 'ask' : 'deny';
    assert.notEqual(await decide(line, deny), 'allow', line);
    if (expected === 'deny') assert.equal(await decide(line, deny), 'deny', line);
  }
  for (const line of STAYERS) assert.equal(await decide(line), 'allow', line);
  const allows = [`fs.read ${tree.root}/outside allow`];
  assert.equal(await decide('grep -R x src', ...allows), 'allow');
  const { reason, candidates } = await evaluateBash('grep -R x src', ['bash * allow'], { folders });
  assert.equal(
    reason,
    `The command follows the link \`src/link\`, which leads out to \`${tree.root}/outside\`. No rule covers fs.read of it.`,
  );
  assert.equal(candidates[0]?.rules[0]?.pattern, `${tree.root}/outside`);
  assert.deepEqual(candidates[0]?.alsoMatches, [`${tree.root}/outside/any/file`]);
  // A denied file behind the link is found, whatever allows the folder.
  writeFileSync(path.join(tree.root, 'outside/.env'), 'x');
  assert.equal(await decide('grep -R x src', ...allows, 'fs.read **/.env deny'), 'deny');
});

test('links that stay inside are followed once, in circles and to denied files', async () => {
  const { root, decide } = plant('src/a', 'src/deep/b', 'secrets/key');
  symlinkSync('..', path.join(root, 'src/deep/up'));
  symlinkSync('nowhere', path.join(root, 'src/dangling'));
  assert.equal(await decide('grep -R x src', ['fs.read secrets/** deny']), 'allow');
  symlinkSync('../../secrets', path.join(root, 'src/deep/s'));
  assert.equal(await decide('grep -R x src', ['fs.read src/none deny']), 'allow');
  assert.equal(await decide('grep -R x src', ['fs.read secrets/** deny']), 'deny');
  assert.equal(await decide('grep -r x src', ['fs.read secrets/** deny']), 'allow');
  symlinkSync('deep/b', path.join(root, 'src/.env'));
  assert.equal(await decide('grep -R x src', ['fs.read **/.env deny']), 'deny');
});

test('another name of a denied file is denied', async () => {
  const { root, decide } = plant('.env', 'src/.env', 'src/a');
  linkSync(path.join(root, '.env'), path.join(root, 'src/notes.txt'));
  assert.equal(await decide('grep -r x src', ['fs.read .env deny']), 'deny');
  assert.equal(await decide('rg x src', ['fs.read .env deny']), 'deny');
  rmSync(path.join(root, 'src/notes.txt'));
  assert.equal(await decide('grep -r x src', ['fs.read .env deny']), 'allow');
  linkSync(path.join(root, 'src/.env'), path.join(root, 'src/other'));
  assert.equal(await decide('grep -r --exclude=.env x src', ['fs.read **/.env deny']), 'deny');
});

test('hidden, ignored and oddly named folders are looked into; a pipe is never opened', async () => {
  const { root, decide } = plant('src/.cache/a/.env', '.gitignore');
  assert.equal(await decide('grep -r x .'), 'deny');
  assert.equal(await decide('rg x'), 'allow');
  const odd = Buffer.concat([Buffer.from(`${root}/lib/caf`), Buffer.from([0xe9])]);
  mkdirSync(path.join(root, 'lib'));
  mkdirSync(odd);
  assert.equal(await decide('grep -r x lib'), 'ask');
  spawnSync('mkfifo', [path.join(root, 'src/pipe')]);
  assert.equal(await decide('grep -r x src/pipe src', []), 'allow');
});

test('a narrower allow holds below', async () => {
  const { decide } = plant('src/.env', 'src/test/.env');
  const rules = ['fs.read **/.env deny', 'fs.read src/test/.env allow'];
  assert.equal(await decide('grep -r x src/test', rules), 'allow');
  assert.equal(await decide('grep -r x src', rules), 'deny');
});

test('what takes too long, or cannot be read, asks', async () => {
  const { root, explain, decide } = plant('src/private/a', 'src/a');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const cut = await evaluateBash('grep -r x src', ['bash * allow', ...README], {
    folders,
    lookMs: 0,
  });
  assert.equal(cut.decision, 'ask');
  assert.equal(
    cut.reason,
    "Looking through `src` takes longer than 0 ms, so Gatehouse can't tell whether it holds files that the rule `* **/.env` covers. Name a smaller folder.",
  );
  assert.equal(await decide('grep -R x src', [], { lookMs: 0 }), 'ask');
  // An exclusion of every name that the rule has needs no look.
  assert.equal(await decide('grep -r --exclude=.env x src', README, { lookMs: 0 }), 'allow');
  if (process.getuid?.() === 0) return;
  chmodSync(path.join(root, 'src/private'), 0);
  const { decision, reason } = await explain('grep -r x src');
  chmodSync(path.join(root, 'src/private'), 0o700);
  assert.equal(decision, 'ask');
  assert.match(reason, /^"src\/private" can't be read, so Gatehouse can't tell/);
});

test('the shipped rules ask about a secret that is there, and about no other sweep', async () => {
  const shipped = async (root: string, line: string) => {
    const folders = { workspace: [root], adHoc: [], cwd: root };
    return (await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }))).decision;
  };
  assert.equal(await shipped(plant('src/a.ts').root, 'grep -rn TODO .'), 'allow');
  assert.equal(await shipped(plant('src/.env').root, 'grep -rn TODO .'), 'ask');
  assert.equal(await shipped(plant('src/.env').root, 'grep -rn TODO src'), 'ask');
});

test('an ask is stored for the file that it is about', async () => {
  const { root } = plant('src/.env');
  const folders = { workspace: [root], adHoc: [], cwd: root };
  const rules = ['bash * allow', 'fs.read **/.env ask'];
  const { decision, candidates } = await evaluateBash('grep -rn x src', rules, { folders });
  assert.equal(decision, 'ask');
  assert.deepEqual(candidates[0]?.rules, [
    { permission: 'fs.read', pattern: '{workspace}/src/.env', action: 'allow' },
  ]);
});

test('the host answers while it looks', async () => {
  const tree = plant();
  for (let folder = 0; folder < 60; folder += 1) {
    mkdirSync(path.join(tree.root, `d${folder}`));
    for (let file = 0; file < 50; file += 1)
      writeFileSync(path.join(tree.root, `d${folder}/f${file}`), '');
  }
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 0);
  await tree.decide('grep -r x .');
  clearInterval(timer);
  assert.ok(turns > 0);
});

test('rules that cannot reach below cost no look', async () => {
  const { decide } = plant('src/.env');
  assert.equal(await decide('grep -r x src', ['fs.read docs/** deny'], { lookMs: 0 }), 'allow');
  assert.deepEqual(rulesOf(...README).length, 3);
});

test('what an earlier part of the line may bring there asks', async () => {
  const { decide, explain } = plant('src/a');
  for (const line of [
    'git checkout other && grep -rn x src',
    'git stash pop; grep -r x .',
    'mv a src/b; grep -r x src',
    'for i in 1 2; do grep -r x src; npm run build; done',
    'make && tar cf a.tar src',
  ])
    assert.equal(await decide(line), 'ask', line);
  for (const line of [
    'cd src && grep -rn x .',
    'mkdir -p out; grep -rn x src | sort | head -n 3',
    'git status && timeout 9 grep -rn x src',
    'grep -rn x src && npm test',
  ])
    assert.equal(await decide(line), 'allow', line);
  const { reason } = await explain('git pull && grep -rn x src');
  assert.equal(
    reason,
    "Another part of the command line may change what is in `src`, so Gatehouse can't tell whether it holds files that the rule `* **/.env` covers. Run it as a command of its own.",
  );
});
