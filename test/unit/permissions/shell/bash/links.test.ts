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
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluateBash(line, READING, { folders })).decision;
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
  'mkdir n; cp -r --target-directory=n src; cat n/src/out/secret',
  'cp -rT src n; cat n/out/secret',
  'cp -r src/. .; cat out/secret',
  'cd sub; cp -r ../src/. .; cat out/secret',
  'cd sub && cp -rT ../src . && cat ./out/secret',
  'mkdir n; cp -r src/. n; cat n/out/secret',
  'd=s2; mv src $d; cat $d/out/secret',
  'cat s2/out/secret & mv src s2; wait',
  'git init -q; git add src/a.ts; git mv src s2; cat s2/out/secret',
]) {
  test(`a link that the line carries along is not read through unasked: ${line}`, async () => {
    const root = plant();
    assert.notEqual(await decide(line, root), 'allow');
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
