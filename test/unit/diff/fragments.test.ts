import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyFragments, reverseFragments } from '../../../src/diff/fragments.ts';

check('a whole file is replaced', 'a\nb\n', [['a\nb\n', 'c\n']], 'c\n');
check('a fragment is found where it stands', 'a\nb\nc\n', [['b\n', 'B\n']], 'a\nB\nc\n');
check('a fragment that stands twice is not guessed', 'b\nb\n', [['b\n', 'B\n']], undefined);
check('a line number tells which one is meant', 'b\nb\n', [['b\n', 'B\n', 2]], 'b\nB\n');
check(
  'lines are those of the old file',
  'x\nb\ny\nb\n',
  [
    ['x\n', 'x1\nx2\n', 1],
    ['b\n', 'B\n', 4],
  ],
  'x1\nx2\nb\ny\nB\n',
);
check('a fragment that is gone does not fit', 'a\n', [['b\n', 'B\n']], undefined);
check('line ends do not matter', 'a\r\nb\r\n', [['a\nb\n', 'c\n']], 'c\n');
check('a new file begins with nothing', '', [['', 'new\n']], 'new\n');

test('applied fragments are undone in reverse', () => {
  const fragments = [{ oldText: 'a\n', newText: 'A\n' }];
  assert.equal(applyFragments('A\nb\n', reverseFragments(fragments)), 'a\nb\n');
});

function check(
  name: string,
  text: string,
  fragments: readonly (readonly [string, string, number?])[],
  expected: string | undefined,
) {
  test(name, () => {
    const all = fragments.map(([oldText, newText, line]) => ({
      ...{ oldText, newText },
      ...(line !== undefined && { line }),
    }));
    assert.equal(applyFragments(text, all), expected);
  });
}
