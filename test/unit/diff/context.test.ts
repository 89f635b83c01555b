import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changedWindow, countLineEnds, groupSpans } from '../../../src/diff/context.ts';
import { edited } from './texts.ts';

const TEXT = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join('');

check('near spans share their context', ['line 3\n', 'line 5\n', 'line 25\n'], [2, 1]);
check('spans whose context only meets are one group', ['line 3\n', 'line 9\n'], [2]);
check('spans farther apart are two', ['line 3\n', 'line 12\n'], [1, 1]);

test('strings and bytes are grouped alike, and groups are whole lines', () => {
  const spans = [{ start: TEXT.indexOf('line 10\n'), end: TEXT.indexOf('line 11\n'), text: '' }];
  const groups = groupSpans(TEXT, spans, 3);
  assert.deepEqual(groupSpans(Buffer.from(TEXT), spans, 3), groups);
  const [first] = groups;
  const lines = [7, 8, 9, 10, 11, 12, 13].map((n) => `line ${n}\n`).join('');
  assert.equal(TEXT.slice(first?.from, first?.to), lines);
});

test('line ends are counted in a part of a text', () => {
  assert.equal(countLineEnds('a\nb\r\nc\n', 1, 6), 2);
  assert.equal(countLineEnds(Buffer.from('a\nb\r\nc\n'), 2, 7), 2);
  assert.equal(countLineEnds('a\rb\r', 0, 4, '\r'), 2);
});

test('a window holds every difference, and its line is that of the old text', () => {
  fc.assert(
    fc.property(edited, fc.nat(3), ([before, after], contextLines) => {
      const { oldText, newText, line } = changedWindow(before, after, contextLines);
      const from =
        before
          .split('\n')
          .slice(0, line - 1)
          .join('\n').length + (line > 1 ? 1 : 0);
      assert.equal(before.slice(from, from + oldText.length), oldText);
      assert.equal(before.slice(0, from) + newText + before.slice(from + oldText.length), after);
    }),
    { seed: 3, numRuns: 2000 },
  );
});

function check(name: string, lines: readonly string[], expected: readonly number[]): void {
  test(name, () => {
    const spans = lines.map((line) => {
      const start = TEXT.indexOf(line);
      return { start, end: start + line.length, text: '' };
    });
    assert.deepEqual(
      groupSpans(TEXT, spans, 3).map((group) => group.spans.length),
      expected,
    );
  });
}
