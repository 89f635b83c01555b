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

check(nested(200), JSON.parse(nested(200)));
check(nested(201), undefined);
check(nested(4000), undefined);
check(`{"a":${nested(199)}}`, JSON.parse(`{"a":${nested(199)}}`));
check(`{"a":${nested(200)}}`, undefined);

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

function check(text: string, expected: unknown) {
  const shown = text.length > 99 ? `${text.length / 2} deep` : text;
  test(`arguments ${shown} are ${expected === undefined ? 'no call' : 'taken'}`, () => {
    const parsed = parseCallInput(text);
    assert.deepEqual('value' in parsed ? parsed.value : undefined, expected);
  });
}
