import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mergeTexts } from '../../../src/diff/merge.ts';
import { edited, textPair } from './texts.ts';

const BASE = 'a\nb\nc\nd\ne\n';

const MERGES: readonly (readonly [string, string, string, string, number])[] = [
  ['changes of different lines', 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n', 'A\nb\nc\nd\nE\n', 0],
  ['changes of neighbouring lines', 'a\nB\nc\nd\ne\n', 'a\nb\nC\nd\ne\n', 'a\nB\nC\nd\ne\n', 0],
  ['the same change', 'a\nX\nc\nd\ne\n', 'a\nX\nc\nd\ne\n', 'a\nX\nc\nd\ne\n', 0],
  ['different changes of a line', 'a\nX\nc\nd\ne\n', 'a\nY\nc\nd\ne\n', 'a\nY\nc\nd\ne\n', 1],
  ['insertions at one point', 'a\nX\nb\nc\nd\ne\n', 'a\nY\nb\nc\nd\ne\n', 'a\nY\nb\nc\nd\ne\n', 1],
  ['an insertion beside a change', 'a\nX\nb\nc\nd\ne\n', 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\ne\n', 1],
  ['a removal and a change in it', 'a\ne\n', 'a\nb\nC\nd\ne\n', 'a\nb\nC\nd\ne\n', 1],
  ['other line ends', BASE.replaceAll('\n', '\r\n'), 'A\nb\nc\nd\ne\n', 'A\nb\nc\nd\ne\n', 1],
];

for (const [name, ours, theirs, text, conflicts] of MERGES) {
  test(`merging ${name}`, () => {
    const merged = mergeTexts(BASE, ours, theirs);
    assert.deepEqual([merged.text, merged.conflicts.length], [text, conflicts]);
  });
}

test('a side that changed nothing loses nothing', () => {
  fc.assert(
    fc.property(textPair, ([base, other]) => {
      assert.deepEqual(mergeTexts(base, other, base), { text: other, conflicts: [] });
      assert.deepEqual(mergeTexts(base, base, other), { text: other, conflicts: [] });
      assert.deepEqual(mergeTexts(base, other, other), { text: other, conflicts: [] });
    }),
  );
});

test('without conflicts the order of the sides does not matter', () => {
  fc.assert(
    fc.property(edited, edited, ([base, ours], [, lines]) => {
      const theirs = base.slice(0, base.lastIndexOf('\n') + 1) + lines;
      const merged = mergeTexts(base, ours, theirs);
      const turned = mergeTexts(base, theirs, ours);
      assert.equal(merged.conflicts.length, turned.conflicts.length);
      if (merged.conflicts.length === 0) assert.equal(merged.text, turned.text);
      // What is in conflict can be chosen again: every line of both sides is in the result or a conflict.
      const texts = [merged.text, ...merged.conflicts.map((each) => each.ours)];
      const kept = new Set(texts.flatMap((text) => text.split(/\r\n|[\r\n]/)));
      const before = new Set(base.split(/\r\n|[\r\n]/));
      for (const line of [ours, theirs].flatMap((text) => text.split(/\r\n|[\r\n]/))) {
        assert.ok(before.has(line) || kept.has(line), JSON.stringify({ base, ours, theirs, line }));
      }
    }),
  );
});
