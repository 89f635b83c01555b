import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { childEnvironment, NEUTRAL } from '../../../../src/runtime/commands/environment.ts';
import { runSystemProgram } from '../../../../src/runtime/commands/systemProgram.ts';
import { runRipgrep } from '../../../../src/runtime/search/runRipgrep.ts';
import { ALLOW_ALL, openBed } from '../../tools/bed.ts';
import { dataOf, openSession } from '../../tools/session.ts';

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

test('pip contacts no index to look for a newer pip', () => {
  const given = { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '0' };
  for (const passes of [[], ['PIP_*'], ['PIP_DISABLE_PIP_VERSION_CHECK']])
    assert.equal(childEnvironment(given, passes)['PIP_DISABLE_PIP_VERSION_CHECK'], '1');
  assert.equal(NEUTRAL['PIP_DISABLE_PIP_VERSION_CHECK'], '1');
});

test('cd - leads nowhere before the line changes the folder', () => {
  const env = childEnvironment({ ...process.env, OLDPWD: '/' });
  const run = (line: string) => spawnSync('bash', ['-c', line], { env, encoding: 'utf8' });
  assert.notEqual(run('cd -').status, 0);
  assert.equal(run('cd / && cd - && echo back').stdout.split('\n').at(-2), 'back');
});

test('no folder that a command enters is searched for programs, whatever PATH says', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-path-')));
  try {
    for (const name of ['', 'bin', '~/bin']) {
      mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, name, 'nproc'), '#!/bin/sh\necho own\n', { mode: 0o755 });
    }
    const system = '/usr/bin:/bin';
    for (const PATH of [
      `.:${system}`,
      `:${system}`,
      `bin:${system}`,
      `${system}::`,
      '.',
      ':',
      'bin',
      `~/bin:${system}`,
    ]) {
      const env = childEnvironment({ HOME: '/nonexistent', PATH });
      for (const line of ['nproc', 'command -v nproc', 'env nproc']) {
        const { stdout } = spawnSync('/bin/bash', ['-c', line], {
          cwd: folder,
          env,
          encoding: 'utf8',
        });
        assert.doesNotMatch(stdout, /own|^\.|^bin/, `${PATH}: ${line}`);
      }
    }
    const kept = (PATH: string) => childEnvironment({ HOME: '/home/ann', PATH })['PATH'];
    assert.equal(kept('/a:~/bin:b:/c'), '/a:/home/ann/bin:/c');
    assert.equal(kept('.'), undefined);
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
  const env = childEnvironment(own, Object.keys(own));
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
  const env = childEnvironment({ GIT_CONFIG_COUNT: 'x' }, ['GIT_CONFIG_COUNT']);
  assert.equal(env['GIT_CONFIG_COUNT'], 'x');
});

const WORDS = ['key', 'token', 'secret', 'passw', 'passphrase', 'credential', 'auth', 'cookie'];

test('no name with a word for a secret is passed, whatever its case, place and prefix', () => {
  const styles = [
    (word: string) => word,
    (word: string) => word.toUpperCase(),
    (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
    (word: string) => [...word].map((c, at) => (at % 2 === 0 ? c.toUpperCase() : c)).join(''),
  ];
  const places = ['LC_@', 'npm_config_@', 'XDG_@_X', 'NVM_x@x', 'MY_@', '@', 'MY_A@'];
  for (const word of WORDS) {
    for (const style of styles) {
      for (const place of places) {
        const name = place.replace('@', style(word));
        const env = { [name]: 'v' };
        const passed = (passes?: readonly string[]) => childEnvironment(env, passes)[name];
        assert.equal(passed(), undefined, name);
        assert.equal(passed(['MY_*', 'LC_*', 'npm_config_*', 'XDG_*', 'NVM_*']), undefined, name);
        assert.equal(passed([name]), 'v', name);
      }
    }
  }
});

/** Those of the given variables that a command gets. */
function passed(given: Readonly<Record<string, string>>, passes?: readonly string[]) {
  const kept = childEnvironment(given, passes);
  return Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(kept, name)));
}

test('ordinary variables are passed; others only by their name or prefix', () => {
  const given = {
    LANG: 'a',
    LC_TIME: 'b',
    NVM_DIR: 'c',
    FOO: 'd',
    MY_A: 'e',
    MYA: 'f',
    LD_PRELOAD: 'g',
  };
  const names = (passes?: readonly string[]) => Object.keys(passed(given, passes));
  assert.deepEqual(names(), ['LANG', 'LC_TIME', 'NVM_DIR']);
  assert.deepEqual(names(['FOO']), ['LANG', 'LC_TIME', 'NVM_DIR', 'FOO']);
  assert.deepEqual(names(['MY_*', 'LD_PRELOAD']), [
    'LANG',
    'LC_TIME',
    'NVM_DIR',
    'MY_A',
    'LD_PRELOAD',
  ]);
  assert.deepEqual(names(['*', 'F*', 'foo', '']), ['LANG', 'LC_TIME', 'NVM_DIR']);
});

test('a variable that changes what an evaluated line does is passed by no setting', () => {
  for (const name of ['BASH_ENV', 'ENV', 'CDPATH', 'NODE_OPTIONS', 'GATEHOUSE_MODEL_API_KEY']) {
    const passed = childEnvironment({ [name]: 'x' }, [name, 'BASH_*', 'NODE_*', 'GATEHOUSE_*']);
    assert.equal(Object.hasOwn(passed, name), false, name);
  }
});

test('a URL with a password is passed only by its name', () => {
  const given = {
    HTTPS_PROXY: 'http://me:word@proxy:3128',
    http_proxy: 'me:word@proxy:3128',
    npm_config_registry: 'https://token@npm.example/',
    GOPROXY: 'https://goproxy.example',
    NO_PROXY: 'localhost',
    DOCKER_HOST: 'ssh://me@example.com',
  };
  const names = (passes?: readonly string[]) => Object.keys(passed(given, passes));
  assert.deepEqual(names(), ['GOPROXY', 'NO_PROXY', 'DOCKER_HOST']);
  assert.deepEqual(names(['HTTPS_PROXY']), ['HTTPS_PROXY', 'GOPROXY', 'NO_PROXY', 'DOCKER_HOST']);
});

const PLANTED = {
  AWS_SECRET_ACCESS_KEY: 'planted-1',
  OPENAI_API_KEY: 'planted-2',
  MY_passwd: 'planted-3',
  MY_TOKEN: 'planted-4',
  FOO: 'planted-5',
};

test('a command gets ordinary variables, and those that the user passes', async () => {
  using bed = openBed();
  const printed = async (passes: readonly string[]) => {
    const env = { ...process.env, ...PLANTED, LC_TIME: 'C.UTF-8' };
    const runtime = { env, passes: () => passes };
    await using session = openSession(bed, { rules: ALLOW_ALL, runtime });
    const ran = dataOf(await session.call('bash', { command: 'env', description: 'Print' }));
    const lines = String(Object(ran)['output'] ?? ran).split('\n');
    assert.ok(lines.includes('LC_TIME=C.UTF-8'));
    return lines.filter((line) => line.includes('planted'));
  };
  assert.deepEqual(await printed([]), []);
  assert.deepEqual((await printed(['FOO', 'MY_*'])).sort(), ['FOO=planted-5']);
  assert.deepEqual((await printed(['MY_TOKEN'])).sort(), ['MY_TOKEN=planted-4']);
});

test('programs of the system and ripgrep get no other variable of the host', async () => {
  using bed = openBed();
  const script = join(bed.root, 'rg');
  writeFileSync(script, '#!/bin/sh\nexec env\n', { mode: 0o755 });
  Object.assign(process.env, PLANTED);
  try {
    const rows: string[] = [];
    const { signal } = new AbortController();
    const ran = await runRipgrep(script, [], {
      ...{ cwd: bed.workspace, signal, separator: 10 },
      onRow: (row) => rows.push(row.toString()) > 0,
    });
    assert.ok(ran.ok);
    const printed = [...rows, ...(await runSystemProgram(['env'])).split('\n')];
    assert.equal(printed.filter((line) => line.startsWith('PATH=')).length, 2);
    assert.deepEqual(
      printed.filter((line) => line.includes('planted')),
      [],
    );
  } finally {
    for (const name of Object.keys(PLANTED)) delete process.env[name];
  }
});
