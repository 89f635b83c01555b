import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, policyOf } from '../../ask.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'gatehouse-derived-')));
after(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
const root = path.join(base, 'workspace');
mkdirSync(path.join(root, 'links'), { recursive: true });
mkdirSync(path.join(base, 'outside/inner'), { recursive: true });
for (const name of ['a.txt', 'own.gz', 'own.zip']) writeFileSync(path.join(root, name), 'x');
writeFileSync(path.join(base, 'outside/secret'), 'x');
for (const ending of ['.gz', '.z', '-z', '.Z', '.zip', '.ZIP'])
  symlinkSync('../outside/secret', path.join(root, `q${ending.slice(1)}${ending}`));
symlinkSync('../../outside/inner', path.join(root, 'links/inner'));

async function decide(line: string): Promise<string> {
  const folders = { workspace: [root], adHoc: [], cwd: root };
  return (await evaluate(bashCall(line), policyOf(DEFAULT_RULES, { folders }))).decision;
}

for (const line of [
  ...['zcat qgz', 'zcat qz', 'zcat a.txt qZ', 'gzip -dc qgz', 'gunzip -c qz', 'zgrep x qgz'],
  ...['gzip -l qgz', 'unzip -p qzip', 'unzip -l qZIP', 'zipinfo -1 qzip'],
  ...["unzip -p '*'", "unzip -l 'q*'", "unzip -p '[q]zip.zip'", "zipinfo 'qzip.zi?'"],
])
  test(`a file that the name stands for is outside: ${line}`, async () => {
    assert.equal(await decide(line), 'ask');
  });

for (const line of [
  ...['zcat own', 'zcat own.gz', 'gunzip -c own', "zgrep '/api/v1' own.gz", 'unzip -l own'],
  ...["unzip -p own.zip '*.txt'", 'zipinfo own.zip'],
])
  test(`it is inside: ${line}`, async () => {
    assert.equal(await decide(line), 'allow');
  });

// Bash enters the path as written if the folder without `..` doesn't exist.
for (const line of [
  'cd links/inner/../../outside && cat secret',
  'cd links/inner/.. && cat secret',
  'cd ./links/inner/..; cat secret',
  `cd ${root}/links/inner/.. && cat secret`,
  'cd links/inner && cd .. && cat secret',
  'cd links/inner/../inner && git log',
])
  test(`".." may follow a link: ${line}`, async () => {
    assert.equal(await decide(line), 'ask');
  });

for (const line of [
  'cd links/.. && cat a.txt',
  'cd links && cd .. && cat a.txt',
  'cd missing/../links && ls',
])
  test(`".." follows no link: ${line}`, async () => {
    assert.equal(await decide(line), 'allow');
  });

for (const line of ['docker top x e', 'docker top x auxe', 'docker --debug top x auxe'])
  test(`ps prints environments: ${line}`, async () => {
    assert.equal(await decide(line), 'ask');
  });

test('the processes of a container are listed', async () => {
  assert.equal(await decide('docker top x'), 'allow');
});
