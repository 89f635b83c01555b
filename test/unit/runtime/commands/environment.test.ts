import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { childEnvironment } from '../../../../src/runtime/commands/environment.ts';

test('nothing in the configuration of a fake bare repository is run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bare-'));
  const touched = join(folder, 'touched');
  try {
    for (const name of ['objects', 'refs']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(
      join(folder, 'config'),
      `[core]\n\tbare = false\n\tworktree = ${folder}\n\tfsmonitor = "touch ${touched}; false"\n`,
    );
    const env = childEnvironment(process.env);
    assert.throws(() => execFileSync('git', ['status'], { cwd: folder, env, stdio: 'pipe' }));
    assert.equal(existsSync(touched), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('git configuration is appended to what the environment sets', () => {
  const own = {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Ann',
  };
  const env = childEnvironment(own);
  const git = Object.entries(env).filter(([name]) => name.startsWith('GIT_CONFIG_'));
  assert.deepEqual(Object.fromEntries(git), {
    ...own,
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_1: 'safe.bareRepository',
    GIT_CONFIG_VALUE_1: 'explicit',
    GIT_CONFIG_KEY_2: 'diff.autoRefreshIndex',
    GIT_CONFIG_VALUE_2: 'false',
  });
});

test('an invalid count is left for git to reject', () => {
  const env = childEnvironment({ GIT_CONFIG_COUNT: 'x' });
  assert.equal(env['GIT_CONFIG_COUNT'], 'x');
});
