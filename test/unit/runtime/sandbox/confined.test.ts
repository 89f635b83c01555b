import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
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

/** Connects to a socket, or listens on one, in the way of perl. */
const perl = (call: string, file: string) =>
  `perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); print "OPEN" if ${call}(S,pack_sockaddr_un("${file}"))'`;

test('a confined command reaches no service that listens on a socket of the workspace, by none of its names', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  mkdirSync(at('tmp/deep'), { recursive: true });
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    client.destroy();
  });
  await new Promise<void>((resolve) => server.listen(at('tmp/deep/db.sock'), resolve));
  const names = ['tmp/deep/db.sock', 'moved/deep/db.sock', 'hard.sock', 'linked'];
  const line = `ln -s tmp/deep/db.sock linked; ln tmp/deep/db.sock hard.sock; mv tmp moved; ln -s moved tmp
    for f in ${names.join(' ')}; do ${perl('connect', '$ENV{F}').replace('perl', 'F=$f perl')}; done; echo ran`;
  const { output } = await bed.run(live(bed), line);
  assert.match(output, /^ran$/m);
  assert.doesNotMatch(output, /OPEN/);
  // The look for services connects, and nothing else.
  assert.equal(connections, 1);
  server.close();
});

test('no command reaches a service whose socket lies in a folder of programs, and a confined one none in .git', async () => {
  await using bed = await openSandboxBed();
  const tools = path.join(bed.outside, 'tools');
  const git = path.join(bed.workspace, '.git');
  for (const folder of [tools, git]) mkdirSync(folder);
  const sockets = [path.join(tools, 'db.sock'), path.join(git, 'watch.sock')];
  let connections = 0;
  const count = () => {
    connections += 1;
  };
  const servers = sockets.map((file) => createServer(count).listen(file));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const line = `for f in ${sockets.join(' ')}; do ls $f; ${perl('connect', '$ENV{F}').replace('perl', 'F=$f perl')}; done`;
  const env = { PATH: `${process.env['PATH']}:${tools}` };
  const held = await bed.hold();
  for (const start of [held.start({ masks: [] }), live(bed)]) {
    const { output } = await bed.run(start, line, env);
    assert.equal(output, sockets.map((file) => `${file}\n`).join(''));
  }
  // The look for services connects to those of the workspace.
  assert.equal(connections, 1);
  for (const server of servers) server.close();
});

test('a confined command may make a socket anew on which nobody listens any more', async () => {
  await using bed = await openSandboxBed();
  const bind = perl('bind', 's.sock');
  spawnSync('bash', ['-c', bind], { cwd: bed.workspace });
  assert.ok(existsSync(path.join(bed.workspace, 's.sock')));
  const { output } = await bed.run(live(bed), `rm s.sock && ${bind}`);
  assert.equal(output, 'OPEN');
});

test('a confined command writes no repository that some file systems know by another case', async () => {
  await using bed = await openSandboxBed();
  const hooks = path.join(bed.workspace, 'sub/.GIT/hooks');
  mkdirSync(hooks, { recursive: true });
  writeFileSync(path.join(bed.workspace, 'sub/.GIT/config'), '[core]\n');
  const line = 'mv sub moved; echo x >sub/.GIT/hooks/post-checkout; rm -r sub/.GIT; echo ran';
  assert.match((await bed.run(live(bed), line)).output, /ran\n$/);
  assert.deepEqual(readdirSync(path.dirname(hooks)), ['config', 'hooks']);
  assert.deepEqual(readdirSync(hooks), []);
});

test('a confined command writes no repository that a .git names in any way that git reads', async () => {
  const names = {
    'an end of line of Windows': ['repo', 'gitdir: repo\r\n'],
    'two ends of a line': ['repo', 'gitdir: repo\n\n'],
    'a separator of lines': ['re\u2028po', 'gitdir: re\u2028po\n'],
    'a NUL after it': ['repo', 'gitdir: repo\0 of none'],
  } as const;
  for (const [what, [folder, text]] of Object.entries(names)) {
    await using bed = await openSandboxBed();
    const at = (name: string) => path.join(bed.workspace, name);
    spawnSync('git', ['init', '-q', '--separate-git-dir', at(folder), bed.workspace]);
    writeFileSync(at('.git'), text);
    const found = spawnSync('git', ['rev-parse', '--git-dir'], { cwd: bed.workspace });
    assert.equal(found.stdout.toString().trim(), at(folder), what);
    const line = 'for d in re*po/hooks; do echo x >"$d/post-checkout"; done';
    const { output } = await bed.run(live(bed), line);
    assert.match(output, /Read-only file system/, what);
  }
});

test('a confined command writes no folder that a .git shares, or that its links lead to', async () => {
  await using bed = await openSandboxBed();
  const at = (name: string) => path.join(bed.workspace, name);
  spawnSync('git', ['init', '-q', bed.workspace]);
  cpSync(at('.git'), at('shared'), { recursive: true });
  writeFileSync(at('.git/commondir'), '../shared\n');
  rmSync(at('.git/hooks'), { recursive: true });
  mkdirSync(at('scripts/hooks'), { recursive: true });
  symlinkSync('../scripts/hooks', at('.git/hooks'));
  writeFileSync(at('pre-push'), 'own');
  symlinkSync('../../pre-push', at('shared/hooks/pre-push'));
  const line = `echo x >shared/config; rm -rf shared; echo x >.git/hooks/pre-commit
    echo x >scripts/hooks/pre-commit; mv scripts moved; echo x >pre-push; rm pre-push; echo x >file; echo ran`;
  assert.match((await bed.run(live(bed), line)).output, /ran\n$/);
  assert.deepEqual(readdirSync(at('scripts/hooks')), []);
  assert.equal(readFileSync(at('pre-push'), 'utf8'), 'own');
  assert.notEqual(readFileSync(at('shared/config'), 'utf8'), 'x\n');
  assert.equal(readFileSync(at('file'), 'utf8'), 'x\n');
});

test('no command is confined to a folder whose repository lies behind a link, or can not be named', async () => {
  for (const [text, why] of [
    ['gitdir: link/repo\n', 'names a link'],
    [Buffer.from('gitdir: \xff\n', 'latin1'), 'names a folder whose name is not UTF-8'],
  ] as const) {
    await using bed = await openSandboxBed();
    const at = (name: string) => path.join(bed.workspace, name);
    mkdirSync(at('real/repo'), { recursive: true });
    symlinkSync('real', at('link'));
    writeFileSync(at('.git'), text);
    await assert.rejects(bed.run(live(bed), 'true'), { message: new RegExp(`\\.git ${why}\\.$`) });
  }
});
