import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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
