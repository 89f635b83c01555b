import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { evaluateBash, plantWorkspace } from '../../ask.ts';

function check(expected: string, ...commands: readonly string[]) {
  for (const command of commands) {
    test(`a link of the line's own: ${command} is ${expected}`, async () => {
      const { decision, reason } = await evaluateBash(command, ['bash * allow', 'fs.* ** allow']);
      assert.equal(decision, expected, reason);
    });
  }
}

check(
  'ask',
  'ln -s / x; cat x/etc/z',
  'gln -s / x; cat x/etc/z',
  'link a x; cat x',
  '/bin/ln a x; cat x',
  'ln -s a x/; cat x',
  'ln -s a sub/x; cat sub/x',
  // Without a second name the link bears the first one's last.
  'ln -s /a/up; cat up/z',
  'ln -s ../up .; cat up/z',
  'cp -s a x; cat x',
  'cp -rs a x; cat x/b',
  'cp --symbolic-link a x; cat x',
  'ln -s a x; ls > x',
);
check(
  'allow',
  'ln -s a b',
  'ln -s a b; cat c',
  'ln -s a b; cat ln',
  'ln -s a .; cat ./c',
  'cp a x; cat x',
  'cp -r a x; cat x/b',
  'cp --sparse=always a x; cat x',
  'ls -s x; cat x',
);

/** A workspace with links to a folder outside, one of them deep in a folder. */
function plant(): string {
  const root = plantWorkspace([
    'src/a.ts',
    'src/deep/c.ts',
    'sub/x.ts',
    'b.ts',
    '../outside/secret',
  ]);
  symlinkSync(path.join(root, '..', 'outside'), path.join(root, 'src', 'out'));
  return root;
}

const MOVING = ['bash * allow', 'fs.write {workspace}/** allow', 'fs.read ** ask'];
const READING = [...MOVING, 'fs.read {workspace}/** allow'];

async function decide(line: string, root: string): Promise<string> {
  return (await evaluateIn(line, root, READING)).decision;
}

function evaluateIn(line: string, root: string, rules: readonly string[]) {
  return evaluateBash(line, rules, { folders: { workspace: [root], adHoc: [], cwd: root } });
}

/** Rules that spell out what copies or moves, as some of its options need. */
function spellOut(line: string): readonly string[] {
  const parts = line.split(/; | && | & /).filter((part) => /^(?:cp|mv) /.test(part));
  return parts.map((part) => `bash ${part} allow`);
}

for (const line of [
  'mv src s2; cat s2/out/secret',
  'mv -T src s2 && cat s2/out/secret',
  'cp -r src s2; cat s2/out/secret',
  'cp -a src s2; head s2/out/secret',
  'cp -R src s2 && grep x s2/out/secret',
  'timeout 5 mv src s2; cat s2/out/secret',
  'mv src s2; (cd s2; cat out/secret)',
  'mv src s2; cd s2 && cat out/secret',
  'mv src s2; cat s2/deep/../out/secret',
  'mv src s2; mv s2 s3; cat s3/out/secret',
  'mkdir n; mv src n; cat n/src/out/secret',
  'mkdir n; mv b.ts src n; cat n/src/out/secret',
  'mkdir n; mv -t n src; cat n/src/out/secret',
  'mkdir n; mv -t n b.ts src; cat n/src/out/secret',
  'mkdir n; cp -r --target-directory=n src; cat n/src/out/secret',
  'mkdir n; cp -r --target-directory=n b.ts src; cat n/src/out/secret',
  'cp -rT src n; cat n/out/secret',
  'cd sub && cp -r ../src/. . && cat out/secret',
  'cd sub && cp -r ../b.ts ../src/. . && cat out/secret',
  'cd sub && cp -rT ../src . && cat ./out/secret',
  'mkdir n; cp -r src/. n; cat n/out/secret',
  'd=s2; mv src $d; cat $d/out/secret',
  'cat s2/out/secret & mv src s2; wait',
  'git init -q; git add src/a.ts; git mv src s2; cat s2/out/secret',
]) {
  test(`a link that the line carries along is not read through unasked: ${line}`, async () => {
    const root = plant();
    const { decision, reason } = await evaluateIn(line, root, [...READING, ...spellOut(line)]);
    assert.equal(decision, 'ask');
    assert.match(reason, /goes through a link that the same command may move or copy/);
    if (line.includes(' & ')) return;
    writeFileSync(path.join(root, '..', 'outside', 'secret'), 'the x secret\n');
    const { stdout } = spawnSync('bash', ['-c', line], { cwd: root, encoding: 'utf8' });
    assert.match(stdout, /secret/);
  });
}

for (const line of ['mv src s2; echo x > s2/out/new', 'mv src s2; rm s2/out/secret']) {
  test(`a link that the line carries along is not written through unasked: ${line}`, async () => {
    assert.notEqual(await decide(line, plant()), 'allow');
  });
}

test('what a line moves or copies is free to be read where no link leads', async () => {
  const root = plant();
  for (const line of [
    'mv src s2; cat s2/a.ts',
    'mv b.ts c.ts && cat c.ts',
    'cp b.ts c.ts; cat c.ts',
    'cp -r src s2; cat s2/deep/c.ts',
    'mv sub src/deep; cat src/deep/sub/x.ts',
    'cat src/a.ts; mv src s2',
    'cd sub && cp -r ../src/. . && cat x.ts',
  ])
    assert.equal(await decide(line, root), 'allow', line);
});

test('a line that moves a lot is decided in time', async () => {
  const root = plant();
  const many = Array.from({ length: 400 }, (_, at) => `n${at}`).join(' ');
  const started = performance.now();
  assert.notEqual(
    await decide(`mv src ${many} sub; cat ${many.replaceAll('n', 'sub/n')}`, root),
    'deny',
  );
  const often = Array.from({ length: 120 }, (_, at) => `mv a${at} b${at}`).join('; ');
  assert.notEqual(await decide(`${often}; cat b1`, root), 'allow');
  assert.ok(performance.now() - started < 20_000);
});

/** Under rules that spell out the command that brings files, as unpacking needs, and allow what reads. */
function checkBrought(expected: string, command: string, brings: string) {
  test(`what an archive, a patch or a clone may link: ${command} is ${expected}`, async () => {
    const rules = [`bash ${brings} allow`, ...'cat rm ls echo'.split(' ').map(toWide)];
    const { decision, reason } = await evaluateBash(command, [...rules, 'fs.* ** allow']);
    assert.equal(decision, expected, reason);
    if (expected === 'ask') assert.match(reason, /may go through a link that .* brings/);
  });
}

function toWide(program: string): string {
  return `bash ${program} * allow`;
}

for (const brings of [
  'tar xf a.tar',
  'tar -C sub -xzf a.tgz',
  'bsdtar --extract -f a.tar',
  'unzip -q a.zip',
  '7z x a.7z',
  'cpio -id',
  'git clone u',
  'git -C sub clone u',
  'git apply x.patch',
  'git am x.patch',
  'git submodule update --init',
  'patch -p1 -i x.patch',
]) {
  checkBrought('ask', `${brings} && cat sub/x`, brings);
  checkBrought('ask', `${brings}; echo x > sub/x`, brings);
}
for (const command of [
  'for i in 1 2; do cat sub/x; tar xf a.tar; done',
  'cat sub/x & tar xf a.tar',
  'tar xf a.tar & cat sub/x',
  // Only the last name of what is removed may be a link.
  'tar xf a.tar && rm sub/x',
  'tar xf a.tar && rm a.tar > log',
])
  checkBrought('ask', command, 'tar xf a.tar');
for (const [command, brings] of [
  ['tar xf a.tar', 'tar xf a.tar'],
  ['for i in 1 2; do tar xf a.tar; done', 'tar xf a.tar'],
  ['tar xf a.tar && rm a.tar', 'tar xf a.tar'],
  ['tar xf a.tar && echo x > /dev/null', 'tar xf a.tar'],
  ['cat sub/x && tar xf a.tar', 'tar xf a.tar'],
  ['tar tf a.tar && cat sub/x', 'tar tf a.tar'],
  ['unzip -l a.zip && cat sub/x', 'unzip -l a.zip'],
  ['git apply --check x.patch && cat sub/x', 'git apply --check x.patch'],
  ['git log clone && cat sub/x', 'git log clone'],
] as const)
  checkBrought('allow', command, brings);

check(
  'ask',
  // The link `b` is called `b~` then.
  'mv -bT a b; cat b~/x',
  'mv -b a b; cat b~',
  'mv --backup=numbered a b; cat b.~1~/x',
  'mv -S .old a b; cat b.old/x',
  'cp -b a b; cat b~',
  'cp --suffix=.old a b; cat b.old',
  'install -b a b; cat b~',
  'ln -bf a b; cat b~',
  'gmv -b a b; cat b~',
);
check('allow', 'mv -b a b', 'cp -b a b; cat c', 'mv a b; cat b~', 'cp a b; cat b~');

for (const command of ['mv -b a .env', 'cp -b a .env', 'ln -bf a .env', 'install -b a .env']) {
  test(`a backup of a denied file has another name: ${command}; cat .env~`, async () => {
    const rules = ['bash * allow', 'fs.* ** allow', 'fs.read **/.env deny'];
    assert.equal((await evaluateBash(`${command}; cat .env~`, rules)).decision, 'deny');
    const into = command.replace(/a \.env$/, 'x/.env .');
    assert.equal((await evaluateBash(into, rules)).decision, 'deny');
    assert.notEqual((await evaluateBash(command.replace('.env', 'b'), rules)).decision, 'deny');
  });
}
