import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { restoreLineEnds, toLineFeeds } from '../../../src/diff/lineEnds.ts';

test('an edited line keeps its line end, and an added one gets that of the line before', () => {
  const check = (exact: string, edited: string, expected: string) =>
    assert.equal(restoreLineEnds(exact, edited), expected);
  check('a\r\nb\r\n', 'a\nB\n', 'a\r\nB\r\n');
  check('a\nb\n', 'a\r\nb\r\nc\r\n', 'a\nb\nc\n');
  check('a\r\nb\nc\r\n', 'a\nB\nc\n', 'a\r\nB\nc\r\n');
  check('a\r\nb\nc\r\n', 'a\nb\nx\ny\nc\n', 'a\r\nb\nx\ny\nc\r\n');
  check('a\rb\nc', 'a\nb\nc\nd', 'a\rb\nc\nd');
  check('a\r\nb\nc', '', '');
  check('', 'a\nb', 'a\nb');
});

test('a text that was not edited comes back as it was, whatever line ends the editor shows', () => {
  fc.assert(
    fc.property(texts(), fc.constantFrom('\n', '\r\n'), (exact, shown) => {
      const edited = toLineFeeds(exact).replaceAll('\n', shown);
      assert.equal(restoreLineEnds(exact, edited), exact);
    }),
  );
});

test('no character but line ends is ever changed', () => {
  fc.assert(
    fc.property(texts(), texts(), (exact, edited) => {
      assert.equal(toLineFeeds(restoreLineEnds(exact, edited)), toLineFeeds(edited));
    }),
  );
});

test('lines before and after an edit keep their line ends', () => {
  fc.assert(
    fc.property(texts(), fc.nat(), fc.constantFrom('x', 'x\n', '\nx\ny\n'), (exact, at, typed) => {
      const shown = toLineFeeds(exact);
      const offset = at % (shown.length + 1);
      const restored = restoreLineEnds(exact, shown.slice(0, offset) + typed + shown.slice(offset));
      const lines = (text: string) => text.split(/(?<=\n|\r(?!\n))/);
      const before = shown.slice(0, offset).split('\n').length - 1;
      const after = lines(exact).length - before - 1;
      assert.deepEqual(lines(restored).slice(0, before), lines(exact).slice(0, before));
      if (after > 0) assert.deepEqual(lines(restored).slice(-after), lines(exact).slice(-after));
    }),
  );
});

/** Few different lines, so that they repeat, with any line ends. */
function texts(): fc.Arbitrary<string> {
  const line = fc.tuple(fc.constantFrom('', 'a', 'b', 'é😀'), fc.constantFrom('\n', '\r\n', '\r'));
  return fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', 'end'))
    .map(([lines, end]) => lines.flat().join('') + end);
}
