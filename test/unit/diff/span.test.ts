import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applySpans, changedSpan, changedTextSpan } from '../../../src/diff/span.ts';
import { cpuTime } from '../cpuTime.ts';
import { textPair } from './texts.ts';

const RUNS = { seed: 11, numRuns: 3000 };

test('a byte span turns the old text into the new one and splits no character or CRLF', () => {
  fc.assert(
    fc.property(textPair, (pair) => {
      const [before, after] = pair.map((text) => text.toWellFormed());
      assert.ok(before !== undefined && after !== undefined);
      const utf8 = Buffer.from(before);
      const span = changedSpan(utf8, after);
      assert.equal(applySpans(utf8, [span]), after);
      const start = utf8.toString('utf8', 0, span.start).length;
      assert.ok(!splits(before, start) && !splits(after, start));
      const tail = utf8.toString('utf8', span.end).length;
      assert.ok(!splits(before, before.length - tail) && !splits(after, after.length - tail));
    }),
    RUNS,
  );
});

test('a text span turns the old text into the new one and splits no surrogate pair or CRLF', () => {
  fc.assert(
    fc.property(textPair, ([before, after]) => {
      const { start, end, text } = changedTextSpan(before, after);
      assert.equal(before.slice(0, start) + text + before.slice(end), after);
      for (const at of [start, end]) assert.ok(!splits(before, at));
      for (const at of [start, start + text.length]) assert.ok(!splits(after, at));
    }),
    RUNS,
  );
});

test('a span is no longer than what differs', () => {
  const utf8 = Buffer.from('one two three');
  assert.deepEqual(changedSpan(utf8, 'one 2 three'), { start: 4, end: 7, text: '2' });
  assert.deepEqual(changedTextSpan('aa', 'aaa'), { start: 2, end: 2, text: 'a' });
  assert.deepEqual(changedTextSpan('x\r\n', 'x\n'), { start: 1, end: 3, text: '\n' });
});

check('one word in the middle', 'a b c', 'a X c', [2, 3, 'X']);
check('something at the end', 'ab', 'abc', [2, 2, 'c']);
check('nothing at all', 'abc', 'abc', [3, 3, '']);
check('a repeated letter', 'aa', 'aaa', [2, 2, 'a']);
check('half of a surrogate pair is never cut', '\u{1F600}', '\u{1F601}', [0, 2, '\u{1F601}']);

test('10 MB are compared in the time of a few reads', async () => {
  const old = Buffer.alloc(10 * 1024 * 1024, 'x\n');
  const text = old.toString('utf8');
  const next = `${text.slice(0, -2)}y\n`;
  const bytes = await cpuTime(() => assert.equal(changedSpan(old, next).text, 'y'));
  const units = await cpuTime(() => assert.equal(changedTextSpan(text, next).text, 'y'));
  assert.ok(bytes < 1000 && units < 1000, `${bytes} ms, ${units} ms`);
});

function splits(text: string, at: number): boolean {
  const [a, b] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  if (a === 13 && b === 10) return true;
  return a >= 0xd800 && a < 0xdc00 && b >= 0xdc00 && b < 0xe000;
}

function check(
  name: string,
  before: string,
  after: string,
  [start, end, text]: [number, number, string],
): void {
  test(`changed span: ${name}`, () => {
    assert.deepEqual(changedTextSpan(before, after), { start, end, text });
  });
}
