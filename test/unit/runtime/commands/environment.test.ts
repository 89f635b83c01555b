import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
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

test('no variable of the user changes where cd goes, what a glob matches or how a line is read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-read-'));
  try {
    for (const name of ['one/d', 'two/d']) mkdirSync(join(folder, name), { recursive: true });
    const given = {
      ...process.env,
      CDPATH: join(folder, 'two'),
      GLOBIGNORE: 'd',
      POSIXLY_CORRECT: '1',
      BASH_COMPAT: '3.1',
      PS4: '$(touch ran)',
    };
    const line = 'cd d && pwd; cd ..; echo *; set -x; shopt -o posix; echo "$BASH_COMPAT"';
    const run = spawnSync('bash', ['-c', line], {
      cwd: join(folder, 'one'),
      env: childEnvironment(given),
      encoding: 'utf8',
    });
    const [where = '', matched, posix, compat] = run.stdout.split('\n');
    assert.deepEqual(
      [realpathSync(where), matched, posix, compat],
      [realpathSync(join(folder, 'one/d')), 'd', 'posix          \toff', ''],
    );
    assert.equal(Object.hasOwn(childEnvironment(given), 'PS4'), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('cd - leads nowhere before the line changes the folder', () => {
  const env = childEnvironment({ ...process.env, OLDPWD: '/' });
  const run = (line: string) => spawnSync('bash', ['-c', line], { env, encoding: 'utf8' });
  assert.notEqual(run('cd -').status, 0);
  assert.equal(run('cd / && cd - && echo back').stdout.split('\n').at(-2), 'back');
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
