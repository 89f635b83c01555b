import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../src/permissions/defaults/defaults.ts';
import { mayNameFiles } from '../../../../src/permissions/repository/npmSettings.ts';
import { bashCall, evaluate, plantWorkspace, policyOf } from '../ask.ts';

const LINES = ['npm -v', 'npm --version', 'timeout 5 npm -v', 'bash -c "npm -v"'];

async function decide(line: string, workspace: string, cwd = workspace) {
  const folders = { workspace: [workspace], adHoc: [], cwd };
  const { decision } = await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }));
  return decision;
}

const HARMLESS = `# pnpm, too
registry=https://registry.example.com/
@scope:registry = https://\${HOST}/npm/
//registry.example.com/:_authToken=\${NPM_TOKEN}
; cache=/x
save-exact=true
tag-version-prefix=""
public-hoist-pattern[]=*eslint*
engine-strict
`;

/** npm reads or writes the file that they name, before it prints its version. */
const NAMING = [
  'globalconfig=../../.ssh/id_rsa',
  'userconfig = /etc/shadow',
  'cache=../elsewhere',
  'logs-dir=../elsewhere',
  'prefix=../elsewhere',
  'a=b\rglobalconfig=/x',
  '"global\\u0063onfig"=/x',
  'global${X}config=/x',
  '\uFEFFcache=/x',
  'cache[]=/x',
  '[cache]',
];

test('the version of npm is printed unasked where a project has usual settings', async () => {
  const workspace = plantWorkspace(['src/a.ts']);
  for (const line of LINES) assert.equal(await decide(line, workspace), 'allow', line);
  writeFileSync(path.join(workspace, '.npmrc'), HARMLESS);
  for (const line of LINES) assert.equal(await decide(line, workspace), 'allow', line);
  assert.equal(await decide('cd src && npm -v', workspace), 'allow');
});

test('settings of a project that name files ask before npm reads them', async () => {
  for (const text of NAMING) {
    const workspace = plantWorkspace(['src/a.ts']);
    writeFileSync(path.join(workspace, '.npmrc'), `${HARMLESS}${text}\n`);
    for (const line of LINES) assert.equal(await decide(line, workspace), 'ask', `${line} ${text}`);
    assert.equal(await decide('cd src && npm -v', workspace), 'ask', text);
    assert.equal(await decide('npm -v', workspace, path.join(workspace, 'src')), 'ask', text);
    assert.equal(await decide('node -v', workspace), 'allow');
  }
  assert.equal(mayNameFiles('\uFEFFcache=/x'), true);
  assert.equal(mayNameFiles(''), false);
});

test('the settings that count lie in the folder that the line enters', async () => {
  const workspace = plantWorkspace(['sub/a.ts', 'src/a.ts']);
  writeFileSync(path.join(workspace, 'sub/.npmrc'), 'cache=../../elsewhere');
  symlinkSync('sub', path.join(workspace, 'link'));
  for (const line of ['cd sub && npm -v', 'cd link; npm -v'])
    assert.equal(await decide(line, workspace), 'ask', line);
  for (const line of ['npm -v', 'cd src && npm -v'])
    assert.equal(await decide(line, workspace), 'allow', line);
});

test('settings that are a link to a file that asks, or that can not be read, ask', async () => {
  const workspace = plantWorkspace(['.env', 'plain', 'folder/.npmrc/x']);
  const outside = path.join(path.dirname(workspace), 'secret');
  writeFileSync(outside, 'SECRET\n');
  for (const target of [outside, '../.env', '.npmrc']) {
    const folder = path.join(workspace, path.basename(target));
    mkdirSync(`${folder}-link`);
    symlinkSync(target, `${folder}-link/.npmrc`);
    assert.equal(await decide('npm -v', workspace, `${folder}-link`), 'ask', target);
  }
  assert.equal(await decide('npm -v', workspace, path.join(workspace, 'folder')), 'ask');
  mkdirSync(path.join(workspace, 'well'));
  symlinkSync('../plain', path.join(workspace, 'well/.npmrc'));
  assert.equal(await decide('npm -v', workspace, path.join(workspace, 'well')), 'allow');
});

test('the settings count in the shells of Windows, too', async () => {
  const workspace = plantWorkspace(['src/a.ts']);
  writeFileSync(path.join(workspace, '.npmrc'), 'cache=/x');
  const folders = { workspace: [workspace], adHoc: [], cwd: workspace };
  for (const shell of ['cmd', 'pwsh'] as const) {
    const policy = policyOf(DEFAULT_RULES, { folders, shell });
    assert.equal((await evaluate(bashCall('npm -v'), policy)).decision, 'ask', shell);
  }
});

test('the settings above a workspace count, too', async () => {
  const workspace = plantWorkspace(['src/a.ts']);
  writeFileSync(path.join(path.dirname(workspace), '.npmrc'), 'cache=/x');
  assert.equal(await decide('npm -v', workspace), 'ask');
});
