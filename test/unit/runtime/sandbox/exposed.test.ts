import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { findLayoutFault } from '../../../../src/runtime/sandbox/linux/layout.ts';
import { findToolFolders } from '../../../../src/runtime/sandbox/linux/toolFolders.ts';
import { findRepositories } from '../../../../src/runtime/sandbox/linux/worktrees.ts';
import { openSandboxBed } from './bed.ts';

function write(file: string, content = 'SECRET\n'): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function temporary(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'exposed-')));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

test('links of the workspace lead no folder of HOME into a sandbox, though PATH or an accepted entry names them', async () => {
  await using bed = await openSandboxBed();
  const { workspace, home } = bed;
  write(path.join(home, '.ssh/id'));
  write(path.join(home, '.config/git/ignore'), '*.log\n');
  mkdirSync(path.join(workspace, 'node_modules'));
  mkdirSync(path.join(workspace, 'lib'));
  for (const name of ['node_modules/.bin', 'bin', 'data', 'lib/.cargo']) {
    const up = '../'.repeat(name.split('/').length);
    symlinkSync(`${up}home/.ssh`, path.join(workspace, name));
  }
  // As if the user's own folders were links to the workspace, such as that of dotfiles.
  symlinkSync(path.join(workspace, 'data'), path.join(home, '.local'));
  const folders = ['node_modules/.bin', 'bin', 'lib/.cargo/bin'];
  const search = [...folders.map((name) => path.join(workspace, name)), `${home}/.local/bin`];
  const env = { PATH: `${search.join(':')}:${process.env['PATH']}` };
  const held = await bed.hold();
  const live = bed.sandbox.live({
    ...{ folder: path.join(bed.base, 'data/live'), workspace: [workspace], masks: [] },
  });
  for (const start of [held.start({ masks: [] }), live]) {
    const confined = {
      ...start,
      prepare: (launch: Parameters<typeof start.prepare>[0]) =>
        start.prepare({ ...launch, reads: [path.join(workspace, 'data')] }),
    };
    const line = 'cat ~/.ssh/id data/id bin/id ~/.local/id; cat ~/.config/git/ignore';
    const ran = await bed.run(confined, line, env);
    assert.doesNotMatch(ran.output, /SECRET/);
    assert.match(ran.output, /\.log/);
  }
});

test('of the data that programs keep in HOME, only programs are shown', async () => {
  await using bed = await openSandboxBed();
  const share = path.join(bed.home, '.local/share');
  write(path.join(bed.home, '.local/bin/tool'), 'PROGRAM\n');
  for (const name of ['fish/fish_history', 'mkcert/rootCA-key.pem', 'uv/credentials/x']) {
    write(path.join(share, name));
  }
  write(path.join(share, 'uv/tools/ruff/bin/ruff'), 'PROGRAM\n');
  const held = await bed.hold();
  const env = { PATH: `${bed.home}/.local/bin:${process.env['PATH']}` };
  const line = 'cat ~/.local/bin/tool; cat $(find ~/.local/share -type f)';
  const { output } = await bed.run(held.start({ masks: [] }), line, env);
  assert.equal(output, 'PROGRAM\nPROGRAM\n');
});

test('folders of programs that are covered are shown to no command, and what lies in them neither', async () => {
  await using bed = await openSandboxBed();
  const [one, two] = ['one', 'two'].map((name) => path.join(bed.base, `tools/${name}`));
  for (const tool of [one, two]) {
    write(`${tool}/bin/key`);
    write(`${tool}/bin/other`, 'PROGRAM\n');
  }
  const PATH = `${one}/bin:${two}/bin:${process.env['PATH']}`;
  const held = await bed.hold();
  const masks = [`${one}/bin/key`, `${two}`, '/etc', '/nonexistent/x', bed.home];
  const line = `cat ${one}/bin/* ${two}/bin/*; ls ~ /nonexistent; [ -s /etc/passwd ] && echo seen`;
  const { output } = await bed.run(held.start({ masks }), line, { PATH });
  assert.equal(output.match(/PROGRAM/g)?.length, 1);
  // Errors come by another pipe, before or after.
  assert.match(output, /^seen$/m);
  assert.doesNotMatch(output, /SECRET/);
  assert.deepEqual(held.report()?.homeWrites, []);
});

test('tokens of package registries beside the programs of version managers are covered', (t) => {
  const home = temporary(t);
  write(path.join(home, '.nvm/v20/etc/npmrc'), '//registry.example/:_authToken=SECRET');
  mkdirSync(path.join(home, '.nvm/v20/bin'));
  write(path.join(home, '.cargo/config.toml'), '[registry]\ntoken = "SECRET"\n');
  write(path.join(home, '.cargo/config'), '[build]\njobs = 1\n');
  mkdirSync(path.join(home, '.cargo/bin'));
  const search = ['.nvm/v20/bin', '.cargo/bin'].map((name) => path.join(home, name)).join(':');
  const covered = findToolFolders(search, home, []).mask.map((file) => path.relative(home, file));
  assert.deepEqual(covered.sort(), ['.cargo/config.toml', '.nvm/v20/etc/npmrc']);
});

test('a workspace folder names no repository for another one, and none that HOME lies in', (t) => {
  const base = temporary(t);
  const [first, second] = [path.join(base, 'first'), path.join(base, 'home/worktrees/second')];
  write(path.join(first, '.git'), `gitdir: ${second}\n`);
  write(path.join(second, 'gitdir'), path.join(first, '.git'));
  assert.deepEqual(findRepositories([first, second], '/nonexistent'), []);
  assert.deepEqual(findRepositories([first], path.join(base, 'home')), []);
  // As the kernel finds it: HOME may be named by a link.
  symlinkSync(path.join(base, 'home'), path.join(base, 'linked'));
  assert.deepEqual(findRepositories([first], path.join(base, 'linked')), []);
  assert.deepEqual(findRepositories([first], '/nonexistent'), [path.join(base, 'home')]);
});

test('HOME and the data of Gatehouse are found in a workspace though links name them', (t) => {
  const base = temporary(t);
  for (const name of ['home', 'home/data']) mkdirSync(path.join(base, name));
  symlinkSync(path.join(base, 'home'), path.join(base, 'linked'));
  const apart = { folder: '/nonexistent', workspace: [path.join(base, 'home')] };
  assert.match(
    findLayoutFault(apart, path.join(base, 'linked')) ?? '',
    /the home folder lies there/,
  );
  const inside = { ...apart, folder: path.join(base, 'linked/data/new') };
  assert.match(findLayoutFault(inside, '/nonexistent') ?? '', /keeps its data there/);
  assert.equal(findLayoutFault(apart, '/nonexistent'), undefined);
});
