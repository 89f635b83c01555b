import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCallInput } from '../../../src/agent/callInput.ts';

check('{"path":"a"}', { path: 'a' });
check('  ', {});
check('[1]', [1]);
check('"text"', 'text');
check('null', null);
check('{"constructor":"a word"}', { constructor: 'a word' });
check('{"path":', undefined);
check('{"__proto__":{"allowed":true}}', undefined);
check('{"a":[{"\\u005f_proto__":1}]}', undefined);
check('{"a":{"constructor":{"prototype":{}}}}', undefined);

function check(text: string, expected: unknown) {
  test(`arguments ${text} are ${expected === undefined ? 'no call' : 'taken'}`, () =>
    assert.deepEqual(parseCallInput(text)?.value, expected));
}
