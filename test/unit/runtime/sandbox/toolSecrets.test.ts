import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  findToolFolders,
  listNpmSettings,
} from '../../../../src/runtime/sandbox/linux/toolFolders.ts';
import { openSandboxBed, type SandboxBed } from './bed.ts';

async function look(bed: SandboxBed, names: readonly string[], bins: readonly string[]) {
  for (const name of [...names, ...bins.map((bin) => `${bin}/tool`)]) {
    mkdirSync(path.dirname(path.join(bed.home, name)), { recursive: true });
    writeFileSync(path.join(bed.home, name), '//registry/:_authToken=of-the-user\n');
  }
  const held = await bed.hold();
  const search = [...bins.map((bin) => path.join(bed.home, bin)), process.env['PATH']].join(':');
  const line = names.map((name) => `cat ~/${name}`).join('; ');
  const ran = await bed.run(held.start({ masks: [] }), `${line}; ls ~`, { PATH: search });
  return ran.output;
}

test('commands in a copy see no settings with tokens of other versions than that on PATH', async () => {
  await using bed = await openSandboxBed();
  const names = [
    '.nvm/versions/node/v18/etc/npmrc',
    '.nvm/versions/node/v22/etc/npmrc',
    '.asdf/installs/nodejs/20/etc/npmrc',
    '.pyenv/versions/3.12/pip.conf',
    '.volta/tools/image/node/20/etc/npmrc',
    '.local/share/mise/installs/node/20/etc/npmrc',
  ];
  const bins = ['.nvm/versions/node/v22/bin', '.asdf/shims', '.pyenv/shims', '.volta/bin'];
  const output = await look(bed, names, bins);
  assert.doesNotMatch(output, /of-the-user|No such file/);
});

for (const [how, settings] of Object.entries({
  'a dotted key': 'registries.mine.token = "t"\n',
  'an inline table': '[registries]\nmine = { index = "i", token = "t" }\n',
  'single quotes': "[registry]\n'token' = 't'\n",
})) {
  test(`a token of Cargo is hidden that ${how} sets`, async () => {
    await using bed = await openSandboxBed();
    mkdirSync(path.join(bed.home, '.cargo/bin'), { recursive: true });
    const config = path.join(bed.home, '.cargo/config.toml');
    writeFileSync(config, settings);
    const mask = () => findToolFolders(`${bed.home}/.cargo/bin`, bed.home, [bed.workspace]).mask;
    assert.deepEqual(mask(), [config]);
    writeFileSync(
      config,
      '[registry]\nglobal-credential-providers = ["cargo:token"]\n# token = ""\n',
    );
    assert.deepEqual(mask(), []);
  });
}

test("the settings of the system's npm are among those that are covered", () => {
  const settings = listNpmSettings('/usr/local/bin:/opt/node/bin', []);
  for (const file of ['/usr/local/etc/npmrc', '/opt/node/etc/npmrc']) assert.ok(settings.has(file));
});
