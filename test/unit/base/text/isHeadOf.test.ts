import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isHeadOf } from '../../../../src/base/text/isHeadOf.ts';

function check(title: string, text: string, expected: boolean) {
  test(`${JSON.stringify(title)} ${expected ? 'says no more' : 'says something else'} than ${JSON.stringify(text)}`, () => {
    assert.equal(isHeadOf(title, text), expected);
  });
}

check('npm test', 'npm test', true);
check('npm test …', 'npm test\nnpm run build', true);
check('npm run build …', 'npm run build -- --watch', true);
check('echo a␣U+200Bb', 'echo a␣U+200Bb', true);
check('echo a␣U+20…', 'echo a␣U+200Bb', true);
check('echo a\ufffdb', 'echo a␣U+200Bb', false);
check('ls  -l', 'ls\t-l', true);
check('Run the tests', 'npm test', false);
check('Edit src/a.ts', 'src/a.ts', false);
check('npm test', 'npm', false);
