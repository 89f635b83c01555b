import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ReviewedHunk, reviewFile } from '../../../src/diff/fileReview.ts';
import { applyHunks, findHunks, keepHunks } from '../../../src/diff/hunks.ts';
import { cpuTime } from '../cpuTime.ts';
import { textPair } from './texts.ts';

const OLD = 'one\ntwo\nthree\nfour\nfive\n';
const NEW = 'ONE\ntwo\nTHREE\nfour\nFIVE\n';

check('as proposed', NEW, 'approved', ['1 kept', '3 kept', '5 kept']);
check('left out', undefined, 'rejected', ['1 rejected', '3 rejected', '5 rejected']);
check('set back to the old text', OLD, 'rejected', ['1 rejected', '3 rejected', '5 rejected']);
check('one hunk undone', 'ONE\ntwo\nthree\nfour\nFIVE\n', 'changed', [
  '1 kept',
  '3 rejected',
  '5 kept',
]);
check('one hunk written anew, one undone', 'ONE\ntwo\n3\nfour\nfive\n', 'changed', [
  '1 kept',
  '3 changed 3',
  '5 rejected',
]);
check('another place changed too', 'ONE\n2\nTHREE\nfour\nFIVE\nsix\n', 'changed', [
  '1 changed ONE 2 THREE',
  '3 changed',
  '5 changed FIVE six',
]);
check('another place changed, far from the others', 'ONE\ntwo\nTHREE\n4\n', 'changed', [
  '1 kept',
  '3 changed THREE 4',
  '5 changed',
]);

test("a change outside the proposal is the user's addition", () => {
  const lines = Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`);
  const change = { path: '/f', beforeHash: '', oldText: lines.join('') };
  const newText = lines.with(2, 'third\n').join('');
  const approved = lines.with(2, 'third\n').with(14, 'mine\n').join('');
  assert.deepEqual(reviewFile({ ...change, newText }, approved).hunks.map(toLine), [
    '3 kept',
    '15 added mine',
  ]);
});

test('a new file and a deletion are reviewed like any other change', () => {
  const created = { path: '/f', beforeHash: '', newText: 'a\n' };
  assert.equal(reviewFile(created, 'a\n').outcome, 'approved');
  assert.equal(reviewFile({ ...created, newText: '' }, '').outcome, 'approved');
  assert.equal(reviewFile(created, undefined).outcome, 'rejected');
  assert.deepEqual(reviewFile(created, 'b\n').hunks.map(toLine), ['1 changed b']);
  const deleted = { path: '/f', beforeHash: '', oldText: 'a\nb\n' };
  assert.equal(reviewFile(deleted, null).outcome, 'approved');
  assert.equal(reviewFile(deleted, 'a\nb\n').outcome, 'rejected');
  assert.equal(reviewFile(deleted, 'a\n').outcome, 'changed');
  assert.equal(reviewFile({ ...deleted, oldText: '' }, '').outcome, 'rejected');
});

test('whatever hunks a user keeps, the hunks reported as kept make the approved text', () => {
  fc.assert(
    fc.property(textPair, fc.array(fc.boolean(), { maxLength: 12 }), ([before, after], choice) => {
      const hunks = findHunks(before, after);
      const { kept } = keepHunks(hunks, (_, at) => choice[at] === true);
      const approved = applyHunks(before, kept) ?? '?';
      const change = { path: '/f', beforeHash: '', oldText: before, newText: after };
      const { hunks: reviewed } = reviewFile(change, approved);
      const told = keepHunks(hunks, (_, at) => reviewed[at]?.outcome === 'kept').kept;
      assert.equal(applyHunks(before, told), approved);
      assert.ok(reviewed.every(({ outcome }) => outcome === 'kept' || outcome === 'rejected'));
    }),
    { seed: 5, numRuns: 3000 },
  );
});

test('every text the user may write is reviewed, and the proposed hunks keep their order', () => {
  fc.assert(
    fc.property(textPair, textPair, ([before, after], [approved]) => {
      const change = { path: '/f', beforeHash: '', oldText: before, newText: after };
      const { hunks } = reviewFile(change, approved);
      const proposed = hunks.filter(({ outcome }) => outcome !== 'added');
      assert.deepEqual(
        proposed.map(({ line }) => line),
        findHunks(before, after).map(({ oldLine }) => oldLine),
      );
    }),
    { seed: 6, numRuns: 2000 },
  );
});

test('choices that match in many ways do not take long', async () => {
  const before = 'x\n'.repeat(3000);
  const after = Array.from({ length: 3000 }, (_, at) => (at % 8 === 0 ? 'x\ny\n' : 'x\n')).join('');
  const change = { path: '/f', beforeHash: '', oldText: before, newText: after };
  const took = await cpuTime(() => {
    assert.equal(reviewFile(change, `${after.slice(0, -2)}z\n`).outcome, 'changed');
  });
  assert.ok(took < 2000, `${took} ms`);
});

function check(
  name: string,
  approved: string | undefined,
  outcome: string,
  hunks: readonly string[],
): void {
  test(`review: ${name}`, () => {
    const change = { path: '/f', beforeHash: '', oldText: OLD, newText: NEW };
    const review = reviewFile(change, approved);
    assert.deepEqual([review.outcome, ...review.hunks.map(toLine)], [outcome, ...hunks]);
  });
}

function toLine({ line, outcome, approvedText }: ReviewedHunk): string {
  const text = approvedText === undefined ? '' : ` ${approvedText.trim().replaceAll('\n', ' ')}`;
  return `${line} ${outcome}${text}`;
}
