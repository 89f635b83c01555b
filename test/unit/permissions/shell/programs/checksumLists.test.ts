import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

const root = plantWorkspace(['.env', 'a.txt', 'sums']);
writeFileSync(path.join(root, 'sums'), `${'0'.repeat(32)}  .env\n`);
const rules = rulesOf('bash * allow', 'fs.read ** allow', '* **/.env deny');
const policy = policyOf(rules, { folders: { workspace: [root], adHoc: [], cwd: root } });
const decide = async (line: string) => (await evaluate(bashCall(line), policy)).decision;

// The list names the files, and the result tells whether one has an expected content.
for (const line of [
  ...['md5sum -c sums', 'sha1sum --check sums', 'sha256sum --chec sums', 'sha512sum -bc sums'],
  ...[
    'b2sum -c < sums',
    'shasum -a 256 -c sums',
    'cksum -a md5 -c sums',
    'sha384sum --quiet -c sums',
  ],
])
  test(`\`${line}\` asks, since it reads the files that a list names`, async () => {
    assert.equal(await decide(line), 'ask');
  });

for (const line of ['md5sum a.txt', 'sha256sum -b a.txt', 'cksum a.txt', 'shasum -a 256 a.txt'])
  test(`\`${line}\` doesn't ask`, async () => {
    assert.equal(await decide(line), 'allow');
  });

test('a rule with the whole command allows a list', async () => {
  const own = rulesOf('bash md5sum -c sums allow', 'fs.read ** allow', '* **/.env deny');
  const named = policyOf(own, { folders: { workspace: [root], adHoc: [], cwd: root } });
  assert.equal((await evaluate(bashCall('md5sum -c sums'), named)).decision, 'allow');
});
