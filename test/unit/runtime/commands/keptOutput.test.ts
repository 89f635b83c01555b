import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeptOutput } from '../../../../src/runtime/commands/keptOutput.ts';

function check(size: { head: number; tail?: number }, parts: readonly string[], expected: object) {
  const kept = createKeptOutput(size);
  for (const part of parts) kept.add(Buffer.from(part, 'latin1'));
  assert.deepEqual(kept.read(), { isUtf8: true, ...expected });
}

test('output that fits in head and tail is kept whole, wherever it was cut', () => {
  check({ head: 3, tail: 3 }, ['ab', 'cd', '', 'ef'], {
    head: 'abcdef',
    tail: '',
    bytes: 6,
    omitted: 0,
  });
  check({ head: 6 }, ['abcdef'], { head: 'abcdef', tail: '', bytes: 6, omitted: 0 });
  check({ head: 2, tail: 2 }, ['\xc3', '\xa4\xc3', '\xb6'], {
    head: 'äö',
    tail: '',
    bytes: 4,
    omitted: 0,
  });
});

test('whole output that is not UTF-8 is marked', () => {
  const other = { head: 'a\ufffd', tail: '', bytes: 2, omitted: 0, isUtf8: false };
  check({ head: 3 }, ['a\xe4'], other);
});

test('of longer output, the beginning and the end are kept', () => {
  check({ head: 2, tail: 3 }, ['abcdefgh'], { head: 'ab', tail: 'fgh', bytes: 8, omitted: 3 });
  const single = 'abcdefgh'.split('');
  check({ head: 2, tail: 3 }, single, { head: 'ab', tail: 'fgh', bytes: 8, omitted: 3 });
  check({ head: 2 }, ['abc'], { head: 'ab', tail: '', bytes: 3, omitted: 1 });
  check({ head: 0 }, ['abc'], { head: '', tail: '', bytes: 3, omitted: 3 });
});

test('a cut never splits a character', () => {
  check({ head: 2, tail: 2 }, ['a\xc3\xa4--\xc3\xa4b'], {
    head: 'a',
    tail: 'b',
    bytes: 8,
    omitted: 4,
  });
});
