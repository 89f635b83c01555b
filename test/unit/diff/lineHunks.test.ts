import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findLineHunks, isSelected, keepLines } from '../../../src/diff/lineHunks.ts';

test('hunks have the lines of both sides, and line ends alone are no change', () => {
  const hunks = findLineHunks('a\r\nb\r\nc\r\n', 'a\nB\nc\nd\n');
  assert.deepEqual(hunks, [
    { oldLine: 2, oldCount: 1, oldText: 'b\n', newLine: 2, newCount: 1, newText: 'B\n' },
    { oldLine: 4, oldCount: 0, oldText: '', newLine: 4, newCount: 1, newText: 'd\n' },
  ]);
  assert.deepEqual(findLineHunks('a\r\nb', 'a\nb'), []);
});

test('selected lines of a hunk are kept or rejected on their own', () => {
  const check = (
    [oldText, newText]: readonly [string, string],
    selected: { side: 'old' | 'new'; range: { from: number; to: number } },
    [kept, rejected]: readonly [string, string],
  ) => {
    const [hunk] = findLineHunks(oldText, newText);
    assert.ok(hunk);
    assert.equal(
      keepLines(hunk, (pair) => isSelected(pair, selected)),
      kept,
    );
    assert.equal(
      keepLines(hunk, (pair) => !isSelected(pair, selected)),
      rejected,
    );
  };
  const two = { side: 'new', range: { from: 2, to: 3 } } as const;
  check(['a\nb\nc\n', 'A\nB\nC\n'], two, ['a\nB\nc\n', 'A\nb\nC\n']);
  check(['', 'A\nB\nC\n'], two, ['B\n', 'A\nC\n']);
  check(['a\nb\nc\n', 'A\n'], { side: 'old', range: { from: 3, to: 4 } }, ['A\n', 'a\nb\nc\n']);
  check(['a\nb\n', ''], { side: 'new', range: { from: 1, to: 2 } }, ['', 'a\nb\n']);
  check(['a', 'X\nY'], two, ['a\nY', 'X\n']);
});

test('keeping all lines of a hunk gives its new text, and rejecting all the old one', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 6 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      for (const hunk of findLineHunks(before, after)) {
        assert.equal(
          keepLines(hunk, () => true),
          hunk.newText,
        );
        assert.equal(
          keepLines(hunk, () => false),
          hunk.oldText,
        );
      }
    }),
  );
});
