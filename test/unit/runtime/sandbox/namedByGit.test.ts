import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { openSandboxBed, type SandboxBed } from './bed.ts';

function live(bed: SandboxBed) {
  const folder = path.join(bed.base, 'data/live');
  return bed.sandbox.live({ folder, workspace: [bed.workspace], masks: [] });
}

async function openRepository() {
  const bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  spawnSync('git', ['init', '-q', bed.workspace]);
  mkdirSync(at('.git/hooks'), { recursive: true });
  const configure = (text: string) => appendFileSync(at('.git/config'), `\n${text}\n`);
  return { bed, at, configure };
}

test('a confined command writes no configuration or hooks that that of a repository names', async () => {
  const opened = await openRepository();
  const { at, configure } = opened;
  await using bed = opened.bed;
  for (const folder of ['conf/deep', 'hooks', 'more hooks'])
    mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('conf/one'), '[Include]\n\tpath = "deep/\\\n../deep/two" ; more\n');
  writeFileSync(at('conf/deep/two'), '[core] hooksPath = "more hooks"\n');
  writeFileSync(at('conf/work'), '');
  configure('# no line goes on behind this \\\n[include]\n\tPath = ../conf/one');
  configure('[includeIf "gitdir:[x]/\\"y"] path = ../conf/work # of work');
  configure('[core]\n\thooksPath=hooks');
  const hooks = spawnSync('git', ['config', 'core.hooksPath'], {
    cwd: bed.workspace,
  });
  assert.equal(hooks.stdout.toString().trim(), 'hooks');
  const line = `for f in conf/one conf/deep/two conf/work hooks/pre-commit "more hooks/pre-commit"; do
    echo x >"$f"; rm "$f"; done; mv conf moved; mv hooks gone; echo x >file; echo ran`;
  assert.match((await bed.run(live(bed), line)).output, /ran\n$/);
  assert.equal(readFileSync(at('conf/work'), 'utf8'), '');
  assert.match(readFileSync(at('conf/one'), 'utf8'), /deep/);
  assert.match(readFileSync(at('conf/deep/two'), 'utf8'), /more hooks/);
  for (const folder of ['hooks', 'more hooks']) assert.ok(!existsSync(at(`${folder}/pre-commit`)));
  assert.equal(readFileSync(at('file'), 'utf8'), 'x\n');
});

test('a confined command writes no hooks in the folder that core.worktree of a repository names', async () => {
  const opened = await openRepository();
  const { at, configure } = opened;
  await using bed = opened.bed;
  for (const folder of ['tree/run', 'run', 'conf']) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('conf/one'), '[core] worktree = ../tree\n');
  configure('[include] path = ../conf/one\n[core] hooksPath = run');
  const line = `for f in tree/run/pre-commit run/pre-commit; do echo x >"$f"; done; mv tree gone
    echo x >tree/file; echo ran`;
  assert.match((await bed.run(live(bed), line)).output, /ran\n$/);
  for (const folder of ['tree/run', 'run']) assert.deepEqual(readdirSync(at(folder)), [], folder);
  assert.equal(readFileSync(at('tree/file'), 'utf8'), 'x\n');
});

test('a confined command makes nothing that a repository names and that is not there yet', async () => {
  const opened = await openRepository();
  const { at, configure } = opened;
  await using bed = opened.bed;
  for (const folder of ['scripts', 'conf', '.husky', 'sub', 'kept']) mkdirSync(at(folder));
  symlinkSync('../../scripts/new/hook', at('.git/hooks/pre-commit'));
  configure('[include] path = ../conf/missing\n[core] hooksPath = .husky/_');
  writeFileSync(at('sub/.git'), 'gitdir: ../kept/repo\n');
  const line = `mkdir scripts/new && echo x >scripts/new/hook; echo x >conf/missing; mkdir .husky/_
    mkdir kept/repo; echo x >file; echo ran`;
  assert.match((await bed.run(live(bed), line)).output, /ran\n$/);
  for (const name of ['scripts/new', 'conf/missing', '.husky/_', 'kept/repo']) {
    assert.ok(!existsSync(at(name)), name);
  }
  assert.ok(existsSync(at('file')));
});

for (const [what, plant] of Object.entries({
  'hooks in a folder': (at: (name: string) => string) =>
    appendFileSync(at('.git/config'), '\n[core] hooksPath = missing/hooks\n'),
  'a link among its hooks': (at: (name: string) => string) =>
    symlinkSync('../../missing', at('.git/hooks/pre-commit')),
})) {
  test(`where ${what} names something missing at the top, a command makes nothing there, and writes all else`, async () => {
    const opened = await openRepository();
    const { at } = opened;
    await using bed = opened.bed;
    mkdirSync(at('src/deep'), { recursive: true });
    writeFileSync(at('file'), 'old\n');
    writeFileSync(at('tool'), '', { mode: 0o755 });
    plant(at);
    const line = `mkdir -p missing/hooks; echo x >missing; ln -s src missing; mv src missing; mv tool missing
      mkdir src/missing && mv src/missing missing; mv .git old; rm -rf .git; echo x >.git/hooks/post-commit
      echo x >src/deep/new; rm -r src/missing; echo new >file; echo x >/tmp/kept && cat /tmp/kept`;
    assert.match((await bed.run(live(bed), line)).output, /x\n$/);
    assert.equal(lstatSync(at('missing'), { throwIfNoEntry: false }), undefined);
    assert.deepEqual(readdirSync(bed.workspace).sort(), ['.git', 'file', 'src', 'tool']);
    assert.ok(!existsSync(at('.git/hooks/post-commit')));
    assert.deepEqual(readdirSync(at('src')), ['deep']);
    assert.deepEqual(
      ['file', 'src/deep/new'].map((name) => readFileSync(at(name), 'utf8')),
      ['new\n', 'x\n'],
    );
  });
}

test('no command is confined where something is missing in a folder that holds another workspace folder', async () => {
  const opened = await openRepository();
  const { at, configure } = opened;
  await using bed = opened.bed;
  mkdirSync(at('inner'));
  configure('[core] hooksPath = missing/hooks');
  const folder = path.join(bed.base, 'data/live');
  const workspace = [bed.workspace, at('inner')];
  const both = bed.sandbox.live({ folder, workspace, masks: [] });
  await assert.rejects(bed.run(both, 'true'), {
    message: /names .*, which doesn't exist \(create it, or remove the setting/,
  });
});

test('no command is confined to a folder whose repository uses what can not be kept', async () => {
  type At = (name: string) => string;
  const configure = (at: At, text: string) => appendFileSync(at('.git/config'), `\n${text}\n`);
  const cases: readonly (readonly [make: (at: At, outside: string) => void, why: RegExp])[] = [
    [(at) => configure(at, '[core] hooksPath = .'), /names the workspace folder itself/],
    [
      (at, outside) => {
        writeFileSync(path.join(outside, 'hook'), '');
        symlinkSync(path.join(outside, 'hook'), at('link'));
        symlinkSync('../../link', at('.git/hooks/x'));
      },
      /names a link/,
    ],
    [
      (at) => {
        mkdirSync(at('a'));
        symlinkSync('../b', at('a/link'));
        symlinkSync('../../a/link/x', at('.git/hooks/x'));
      },
      /names a link/,
    ],
  ];
  for (const [make, why] of cases) {
    const opened = await openRepository();
    await using bed = opened.bed;
    make(opened.at, bed.outside);
    await assert.rejects(bed.run(live(bed), 'true'), { message: why });
  }
});

test('a confined command writes no hook or configuration by another name of it, in the workspace or beside it', async () => {
  const opened = await openRepository();
  const { at } = opened;
  await using bed = opened.bed;
  mkdirSync(at('deep/er'), { recursive: true });
  writeFileSync(at('.git/hooks/pre-commit'), 'own');
  linkSync(at('.git/hooks/pre-commit'), at('deep/er/hook'));
  linkSync(at('.git/config'), at('conf'));
  // One that nobody reaches from the sandbox.
  linkSync(at('.git/config'), path.join(bed.outside, 'conf'));
  const config = readFileSync(at('conf'), 'utf8');
  const line = `for f in deep/er/hook conf; do echo x >$f; rm $f; mv $f moved; ln $f third && echo y >third; done
    mv deep gone; echo x >file; echo ran`;
  assert.match((await bed.run(live(bed), line)).output, /ran\n$/);
  assert.equal(readFileSync(at('.git/hooks/pre-commit'), 'utf8'), 'own');
  assert.equal(readFileSync(at('.git/config'), 'utf8'), config);
  assert.ok(existsSync(at('deep/er/hook')) && existsSync(at('conf')) && existsSync(at('file')));
});

test('no command is confined where such a name is not UTF-8', async () => {
  const opened = await openRepository();
  await using bed = opened.bed;
  const odd = Buffer.concat([Buffer.from(`${bed.workspace}/`), Buffer.from([0xff])]);
  linkSync(opened.at('.git/config'), odd);
  const why = { message: /configuration of git has a name there that is not UTF-8/ };
  await assert.rejects(bed.run(live(bed), 'true'), why);
});

test('no command is confined beside a socket or a repository below a name that is not UTF-8', async () => {
  const opened = await openRepository();
  await using bed = opened.bed;
  const odd = Buffer.concat([Buffer.from(`${bed.workspace}/`), Buffer.from([0xff])]);
  mkdirSync(odd);
  assert.equal((await bed.run(live(bed), 'echo ran')).output, 'ran\n');
  const below = (name: string) => Buffer.concat([odd, Buffer.from(name)]);
  mkdirSync(below('/deep'));
  mkdirSync(below('/deep/.git'));
  const why = { message: /lies in a folder whose name is not UTF-8/ };
  // The folder that holds it has changed, and none above it.
  await assert.rejects(bed.run(live(bed), 'true'), why);
  rmSync(below('/deep'), { recursive: true });
  assert.equal((await bed.run(live(bed), 'echo ran')).output, 'ran\n');
  const server = createServer().unref();
  await new Promise<void>((resolve) => server.listen(path.join(bed.outside, 's'), resolve));
  linkSync(path.join(bed.outside, 's'), below('/s'));
  await assert.rejects(bed.run(live(bed), 'true'), why);
  server.close();
});
