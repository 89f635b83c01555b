import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printsContent } from '../../../../src/permissions/repository/printed.ts';

for (const [line, prints] of [
  ['grep x', true],
  ['for-each-ref --format=%(raw) refs/tags', true],
  ['for-each-ref refs/tags --format=%(*raw:size)', true],
  ['for-each-ref --format=%(refname) refs/tags', false],
  ['tag --format=%(raw) -l', true],
  ['branch -a', false],
  ['stash show', true],
  ['stash list', false],
  ['stash list -p', true],
  ['log', false],
  ['log -p', true],
  ['status', false],
] as const)
  test(`whether git prints the content of files that aren't named: git ${line}`, () => {
    const [sub = '', ...given] = line.split(' ');
    assert.equal(printsContent(sub, given), prints);
  });
