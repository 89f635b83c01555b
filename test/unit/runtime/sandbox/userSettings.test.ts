import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createIsNamedByGit } from '../../../../src/host/session/copy/findNamedByGit.ts';
import { findRepositoryPins } from '../../../../src/runtime/sandbox/linux/repositoryPins.ts';

const VARIABLES = ['HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'XDG_CONFIG_HOME'];

/** A repository with another one inside, and a HOME, whose settings the test writes. */
function open(t: TestContext) {
  const base = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-settings-'));
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  });
  const at = (name: string) => path.join(base, name);
  for (const folder of ['home', 'ws/.git', 'ws/run', 'ws/lib/.git', 'ws/lib/run', 'ws/conf']) {
    mkdirSync(at(folder), { recursive: true });
  }
  for (const name of VARIABLES) delete process.env[name];
  process.env['HOME'] = at('home');
  process.env['GIT_CONFIG_SYSTEM'] = at('none');
  const pin = async () => {
    const found = await findRepositoryPins([at('ws')]);
    assert.ok(found.ok);
    const { readOnly, closed } = found.data;
    const toName = (file: string) => path.relative(at('ws'), file);
    return { readOnly: readOnly.map(toName).sort(), closed: closed.map(toName) };
  };
  return { at, pin };
}

const HOOKS = '[core]\n  hooksPath = run\n';

test('a relative folder of hooks in the user’s own git settings is pinned in each repository', async (t) => {
  const { at, pin } = open(t);
  const bare = { readOnly: ['.git', 'lib/.git'], closed: [] };
  const pinned = { readOnly: ['.git', 'lib/.git', 'lib/run', 'run'], closed: [] };
  assert.deepEqual(await pin(), bare);
  writeFileSync(at('home/.gitconfig'), HOOKS);
  assert.deepEqual(await pin(), pinned);
  const isNamed = createIsNamedByGit();
  assert.equal(isNamed(at('ws/lib/run/pre-commit'), at('ws')), true);
  assert.equal(isNamed(at('ws/lib/other'), at('ws')), false);
  rmSync(at('home/.gitconfig'));
  mkdirSync(at('home/.config/git'), { recursive: true });
  writeFileSync(at('home/.config/git/config'), HOOKS);
  assert.deepEqual(await pin(), pinned);
  process.env['GIT_CONFIG_GLOBAL'] = at('none');
  assert.deepEqual(await pin(), bare);
  process.env['GIT_CONFIG_GLOBAL'] = at('home/.config/git/config');
  assert.deepEqual(await pin(), pinned);
  delete process.env['GIT_CONFIG_GLOBAL'];
  rmSync(at('home/.config'), { recursive: true });
  process.env['GIT_CONFIG_SYSTEM'] = at('home/system');
  writeFileSync(at('home/system'), HOOKS);
  assert.deepEqual(await pin(), pinned);
});

test('settings of the user that lie in the workspace, and what they include there, are pinned', async (t) => {
  const { at, pin } = open(t);
  writeFileSync(at('ws/conf/gitconfig'), '[include]\n  path = more\n');
  writeFileSync(at('ws/conf/more'), '');
  process.env['GIT_CONFIG_GLOBAL'] = at('ws/conf/gitconfig');
  assert.deepEqual((await pin()).readOnly, ['.git', 'conf/gitconfig', 'conf/more', 'lib/.git']);
  delete process.env['GIT_CONFIG_GLOBAL'];
  // As programs that keep settings in a repository do.
  writeFileSync(at('ws/conf/gitconfig'), HOOKS);
  symlinkSync(at('ws/conf/gitconfig'), at('home/.gitconfig'));
  assert.deepEqual((await pin()).readOnly, [
    ...['.git', 'conf/gitconfig', 'lib/.git', 'lib/run', 'run'],
  ]);
});

test('where the hooks that the user’s settings name are missing, nothing can be made in their place', async (t) => {
  const { at, pin } = open(t);
  for (const name of ['ws/run', 'ws/lib']) rmSync(at(name), { recursive: true });
  writeFileSync(at('home/.gitconfig'), HOOKS);
  assert.deepEqual(await pin(), { readOnly: ['.git'], closed: [''] });
});
