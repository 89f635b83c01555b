import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyHunks, findHunks, keepHunks, reverseHunks } from '../../../src/diff/hunks.ts';
import { findLineEnd } from '../../../src/diff/lines.ts';
import { cpuTime } from '../cpuTime.ts';
import { textPair } from './texts.ts';

const RUNS = { seed: 17, numRuns: 3000 };

test('all hunks give the new text, none the old one, and reversed hunks undo them', () => {
  fc.assert(
    fc.property(textPair, ([before, after]) => {
      const hunks = findHunks(before, after);
      assert.equal(applyHunks(before, hunks), after);
      assert.equal(applyHunks(before, []), before);
      assert.equal(applyHunks(after, reverseHunks(hunks)), before);
      assert.equal(hunks.length === 0, before === after);
    }),
    RUNS,
  );
});

test('some hunks and then the rest make the new text, each half anchored in its own text', () => {
  fc.assert(
    fc.property(textPair, fc.array(fc.boolean(), { maxLength: 12 }), ([before, after], choice) => {
      const hunks = findHunks(before, after);
      const { kept, left } = keepHunks(hunks, (_, at) => choice[at] === true);
      const middle = applyHunks(before, kept);
      assert.ok(middle !== undefined);
      assert.equal(applyHunks(middle, left), after);
      assert.equal(applyHunks(middle, reverseHunks(kept)), before);
      assert.equal(applyHunks(after, reverseHunks(left)), middle);
      const lineEnd = findLineEnd(before, after);
      for (const hunk of kept) checkLines(middle, hunk.newStart, hunk.newLine, lineEnd);
      for (const hunk of left) checkLines(middle, hunk.oldStart, hunk.oldLine, lineEnd);
    }),
    RUNS,
  );
});

test('hunks are whole lines with the right line numbers, and never split a CRLF', () => {
  fc.assert(
    fc.property(textPair, ([before, after]) => {
      const lineEnd = findLineEnd(before, after);
      for (const hunk of findHunks(before, after)) {
        checkLines(before, hunk.oldStart, hunk.oldLine, lineEnd);
        checkLines(after, hunk.newStart, hunk.newLine, lineEnd);
        assert.equal(before.substr(hunk.oldStart, hunk.oldText.length), hunk.oldText);
        assert.equal(after.substr(hunk.newStart, hunk.newText.length), hunk.newText);
      }
    }),
    RUNS,
  );
});

check('two places', 'a\nb\nc\nd\n', 'A\nb\nc\nD\n', [
  [1, 'a\n', 'A\n'],
  [4, 'd\n', 'D\n'],
]);
check('CRLF is a part of its line', 'a\r\nb\r\n', 'a\r\nB\r\n', [[2, 'b\r\n', 'B\r\n']]);
check('a changed line end is a changed line', 'a\r\nb\n', 'a\nb\n', [[1, 'a\r\n', 'a\n']]);
check('a lone CR ends a line where there is no LF', 'a\rb\rc', 'a\rB\rc', [[2, 'b\r', 'B\r']]);
check('a lone CR in a text with LF does not', 'a\rb\nc\n', 'a\rB\nc\n', [[1, 'a\rb\n', 'a\rB\n']]);
check('the last line gains its end', 'a\nb', 'a\nb\n', [[2, 'b', 'b\n']]);
check('a line after one without an end', 'a', 'a\nb', [[1, 'a', 'a\nb']]);
check('a byte order mark belongs to the first line', '\ufeffa\nb\n', 'a\nb\n', [
  [1, '\ufeffa\n', 'a\n'],
]);
check('a new file', '', 'a\nb\n', [[1, '', 'a\nb\n']]);
check('a deleted file', 'a\nb', '', [[1, 'a\nb', '']]);
check('an insertion names the line it stands before', 'a\nb\n', 'a\nx\nb\n', [[2, '', 'x\n']]);

test('a hunk that does not match its position is not applied', () => {
  const hunks = findHunks('a\nb\n', 'a\nB\n');
  assert.equal(applyHunks('a\nx\n', hunks), undefined);
  assert.equal(applyHunks('', findHunks('a\n', 'a\nb\n')), undefined);
  assert.equal(applyHunks('a\nb\n', [...hunks, ...hunks]), undefined);
});

test('distant changes in 10 MB are told apart', async () => {
  const lines = Array.from({ length: 500_000 }, (_, at) => `this is line ${at}\n`);
  const after = lines.with(10, 'x\n').with(499_990, 'y\n').join('');
  const took = await cpuTime(() => {
    const found = findHunks(lines.join(''), after).map(({ oldLine }) => oldLine);
    assert.deepEqual(found, [11, 499_991]);
  });
  assert.ok(took < 3000, `${took} ms`);
});

test('hundreds of changes of a short text are told apart', () => {
  for (const count of [500, 800, 1500]) {
    const lines = Array.from({ length: count * 5 }, (_, at) => `line ${at}\n`);
    const after = lines.map((line, at) => (at % 5 === 2 ? `new ${line}` : line)).join('');
    const found = findHunks(lines.join(''), after);
    assert.deepEqual(
      found.map(({ oldLine }) => oldLine),
      Array.from({ length: count }, (_, at) => at * 5 + 3),
    );
  }
});

test('beyond the budget of work the change is one hunk, however large the texts are', async () => {
  const make = (word: string) =>
    Array.from({ length: 100_000 }, (_, at) => `${word} ${at}\n`).join('');
  const [before, after] = [make('old'), make('new')];
  const took = await cpuTime(() => {
    const hunks = findHunks(`same\n${before}same\n`, `same\n${after}same\n`);
    assert.deepEqual(
      hunks.map(({ oldLine, oldText, newText }) => [
        oldLine,
        oldText === before,
        newText === after,
      ]),
      [[2, true, true]],
    );
  });
  assert.ok(took < 3000, `${took} ms`);
});

test('long runs of equal lines are skipped, and cost little however many differ after them', async () => {
  const own = (word: string) => Array.from({ length: 500 }, (_, at) => `${word} ${at}\n`).join('');
  const make = (word: string) => `${word}\n${'same\n'.repeat(300_000)}${own(word)}`;
  const [before, after] = [make('old'), make('new')];
  const took = await cpuTime(() => {
    assert.deepEqual(
      findHunks(before, after).map(({ oldText, newText }) => [oldText, newText]),
      [
        ['old\n', 'new\n'],
        [own('old'), own('new')],
      ],
    );
  });
  assert.ok(took < 1500, `${took} ms`);
});

function checkLines(text: string, start: number, line: number, lineEnd: string): void {
  assert.equal(text.slice(0, start).split(lineEnd).length, line);
  assert.ok(start === 0 || text[start - 1] === lineEnd || start === text.length);
}

function check(
  name: string,
  before: string,
  after: string,
  expected: readonly (readonly [line: number, oldText: string, newText: string])[],
): void {
  test(name, () => {
    const hunks = findHunks(before, after);
    assert.deepEqual(
      hunks.map(({ oldLine, oldText, newText }) => [oldLine, oldText, newText]),
      expected,
    );
  });
}

test('many changes in long texts are found one by one, up to the budget', () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at % 500} of ${at}\n`);
  const check = (newLines: readonly string[], count: number) => {
    const [before, after] = [lines.join(''), newLines.join('')];
    const hunks = findHunks(before, after);
    assert.equal(applyHunks(before, hunks), after);
    assert.equal(hunks.length, count);
  };
  const every = (step: number) => lines.map((line, at) => (at % step === 0 ? `x${line}` : line));
  check(every(100), 200);
  check(every(20), 1000);
  check(every(10), 2000);
  // A moved block, a long insertion and a long removal, each apart from the others.
  const inserted = Array.from({ length: 600 }, (_, at) => `new ${at}\n`);
  check(lines.toSpliced(15_000, 700).toSpliced(5000, 0, ...inserted), 2);
});

test('hunks of long texts turn one text into the other, whatever differs', () => {
  const text = fc
    .array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 2000 })), { minLength: 3, maxLength: 12 })
    .map((runs) => runs.flatMap(([kind, length]) => Array(length).fill(`${kind}\n`)).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const hunks = findHunks(before, after);
      assert.equal(applyHunks(before, hunks), after);
      assert.equal(applyHunks(after, reverseHunks(hunks)), before);
    }),
    { numRuns: 20 },
  );
});
