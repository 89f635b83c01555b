import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

const DENY = ['bash * allow', 'fs.write out/** deny'];

for (const line of [
  'git repack -ad --expire-to=../x',
  'git repack --expire-to ../x',
  'git gc --exp=../x',
])
  test(`\`${line}\` asks, since it writes packs there`, async () => {
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'ask');
  });

for (const line of ['git repack --expire-to=out/x', 'git gc --ex out/x'])
  test(`\`${line}\` is denied where writing is`, async () => {
    assert.equal((await evaluateBash(line, DENY)).decision, 'deny');
  });

test('packing within the repository is allowed by a wildcard', async () => {
  assert.equal((await evaluateBash('git repack -ad', ['bash * allow'])).decision, 'allow');
});
