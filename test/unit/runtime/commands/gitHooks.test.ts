import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { childEnvironment } from '../../../../src/runtime/commands/environment.ts';

const base = mkdtempSync(path.join(tmpdir(), 'gatehouse-git-hooks-'));
after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));

/** Allowed lines that would update the index, and so run a hook, but for the environment. */
const LINES = [
  'status',
  'status -v',
  'diff',
  'diff HEAD',
  'diff --stat',
  'diff --quiet',
  'diff --name-only',
  'diff -- f',
];

/** Those that the test itself may run in are left out. */
const OUTSIDE = { ...process.env, GIT_CONFIG_COUNT: '0' };

test('in the environment of commands, git updates no index, which would run a hook', () => {
  const ran = path.join(base, 'ran');
  const root = path.join(base, 'top');
  const folders = [root, path.join(root, 'inner')];
  for (const folder of folders) makeRepository(folder, ran);
  git(root, OUTSIDE, 'add', 'inner');
  git(root, OUTSIDE, 'commit', '-qm', 'y');
  const run = (env: NodeJS.ProcessEnv, line: string) => {
    rmSync(ran, { force: true });
    for (const folder of folders) utimesSync(path.join(folder, 'f'), 1, Date.now() / 1000 - 50);
    git(root, env, ...line.split(' '));
    return existsSync(ran);
  };
  assert.ok(run(OUTSIDE, 'diff'), 'the hook runs without it');
  for (const line of LINES) assert.equal(run(childEnvironment(OUTSIDE), line), false, line);
});

function makeRepository(folder: string, ran: string): void {
  const hooks = path.join(folder, '.git/hooks');
  mkdirSync(folder, { recursive: true });
  git(folder, OUTSIDE, 'init', '-q');
  writeFileSync(path.join(folder, 'f'), 'x');
  git(folder, OUTSIDE, 'add', 'f');
  git(folder, OUTSIDE, 'commit', '-qm', 'x');
  mkdirSync(hooks, { recursive: true });
  const hook = path.join(hooks, 'post-index-change');
  writeFileSync(hook, `#!/bin/sh\necho x >> '${ran}'\n`, { mode: 0o755 });
}

function git(folder: string, env: NodeJS.ProcessEnv, ...args: readonly string[]): void {
  const own = ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@y'];
  // `diff --quiet` may take a file for changed by its times, and fails.
  spawnSync('git', [...own, ...args], { env, stdio: 'ignore' });
}
