import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffLines, MAX_ROWS } from '../../../../src/extension/review/lineDiff.ts';
import { cpuTime } from '../../cpuTime.ts';

test('a change is counted and shown with the lines around it', () => {
  const before = 'a\nb\nc\nd\ne\nf\n';
  assert.deepEqual(diffLines(before, before.replace('d', 'D')), {
    added: 1,
    removed: 1,
    rows: [
      { sign: ' ', text: 'b' },
      { sign: ' ', text: 'c' },
      { sign: '-', text: 'd' },
      { sign: '+', text: 'D' },
      { sign: ' ', text: 'e' },
      { sign: ' ', text: 'f' },
    ],
    more: 0,
  });
});

test('all lines of a new file are added', () => {
  const { added, removed } = diffLines('', 'a\nb\n');
  assert.deepEqual([added, removed], [2, 0]);
});

test('a long diff is truncated and counts the omitted rows', () => {
  const { rows, more, added } = diffLines('', 'x\n'.repeat(100));
  assert.deepEqual([rows.length, more, added], [MAX_ROWS, 100 - MAX_ROWS, 100]);
});

test('distant changes have the number of lines between them, and one line is shown itself', () => {
  const before = Array.from({ length: 30 }, (_, at) => `${at + 1}`);
  const signs = (...changed: readonly number[]) => {
    const after = before.map((line, at) => (changed.includes(at + 1) ? `${line}!` : line));
    const { rows } = diffLines(before.join('\n'), after.join('\n'));
    return rows.map((row) => (row.sign === 'gap' ? row.lines : row.sign)).join('');
  };
  assert.equal(signs(4, 23), '  -+  14  -+  ');
  assert.equal(signs(4, 10), '  -+     -+  ');
  assert.equal(signs(4, 11), '  -+  2  -+  ');
  assert.equal(signs(4, 7), '  -+  -+  ');
  assert.equal(signs(30), '  -+', 'what precedes the first change is no gap');
});

test('a gap takes no room from the lines, and none is left at the end', () => {
  const before = Array.from({ length: 200 }, (_, at) => `${at}`);
  const after = before.map((line, at) => (at % 20 === 10 ? `${line}!` : line));
  const { rows, more } = diffLines(before.join('\n'), after.join('\n'));
  assert.equal(rows.filter(({ sign }) => sign !== 'gap').length, MAX_ROWS);
  assert.equal(rows.filter(({ sign }) => sign === 'gap').length, 3);
  assert.equal(more, 60 - MAX_ROWS);
  assert.notEqual(rows.at(-1)?.sign, 'gap');
});

test('scattered changes are separate, however many they are', () => {
  const before = Array.from({ length: 1900 }, (_, line) => `line ${line}`);
  const changeEvery = (step: number) =>
    before.map((line, at) => (at % step === 0 ? `${line}!` : line)).join('\n');
  const few = diffLines(before.join('\n'), changeEvery(5));
  assert.deepEqual([few.added, few.removed], [380, 380]);
  const many = diffLines(before.join('\n'), changeEvery(4));
  assert.deepEqual([many.added, many.removed], [475, 475]);
});

test('a huge diff is counted without being compared line by line', async () => {
  const before = Array.from({ length: 40_000 }, (_, line) => `line ${line}`);
  const after = before.with(20_000, 'changed');
  const took = await cpuTime(() => {
    const { added, removed } = diffLines(before.join('\n'), after.join('\n'));
    assert.deepEqual([added, removed], [1, 1]);
  });
  assert.ok(took < 1000, `${took} ms`);
});
