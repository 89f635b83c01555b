import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ProposedChange,
  ProposedFile,
} from '../../../../../src/extension/review/proposal/proposedFile.ts';

const CALL = { sessionId: 'one', toolCallId: 'call-1' };
const BASE = 'a\nb\nc\nd\ne\nf\ng\n';
const PROPOSED = 'A\nb\nc\nD\ne\nf\nG\n';

test('a hunk is pending, kept by a mark, or rejected when the text no longer has it', () => {
  const file = open();
  const [first, second] = file.hunks;
  assert.ok(first && second);
  file.mark(first.key, true);
  type(file, PROPOSED.replace('D', 'd'));
  assert.deepEqual(
    file.hunks.map(({ state, oldLine, newLine }) => [state, oldLine, newLine]),
    [
      ['kept', 1, 1],
      ['rejected', 4, 4],
      ['pending', 7, 7],
    ],
  );
  type(file, PROPOSED);
  assert.deepEqual(states(file), ['kept', 'pending', 'pending'], 'a mark outlives other edits');
});

test('a mark is cleared only when its own hunk changes', () => {
  const file = open();
  for (const { key } of file.hunks) file.mark(key, true);
  type(file, PROPOSED.replace('G', 'mine'));
  assert.deepEqual(states(file), ['kept', 'kept', 'pending']);
  type(file, PROPOSED);
  assert.deepEqual(states(file), ['kept', 'kept', 'kept']);
});

test('nothing is approved of a proposal whose every hunk was rejected, and reasons tell why', () => {
  const file = open();
  type(file, BASE);
  const [, second] = file.hunks;
  file.explain(second?.key ?? '', 'Leave it.');
  assert.equal(file.approved, undefined);
  assert.deepEqual(file.reasons, [{ path: '/w/a', line: 4, reason: 'Leave it.' }]);
});

test('what is approved keeps each line end of the file, whatever the editor shows', () => {
  const file = open({ baseText: 'a\r\nb\nc\r\n', proposedText: 'a\r\nB\nc\r\n' });
  type(file, 'a\r\nB\r\nc\r\nmore\r\n');
  assert.deepEqual(file.approved, { path: '/w/a', text: 'a\r\nB\nc\r\nmore\r\n' });
});

test('a deletion is approved by null, and a file that the user keeps by its text', () => {
  const file = open({ kind: 'delete', baseText: 'a\n', proposedText: '' });
  assert.deepEqual(file.approved, { path: '/w/a', text: null });
  type(file, 'mine\n');
  assert.deepEqual(file.approved, { path: '/w/a', text: 'mine\n' });
  type(file, 'a\n');
  assert.equal(file.approved, undefined);
});

test('a new file that the user emptied is rejected, and a new empty one is approved', () => {
  const file = open({ kind: 'create', baseText: '', proposedText: 'a\n' });
  type(file, '');
  assert.equal(file.approved, undefined);
  const empty = open({ kind: 'create', baseText: '', proposedText: '' });
  assert.deepEqual([empty.approved, empty.hunks], [{ path: '/w/a', text: '' }, []]);
});

test('a file that changed after the proposal is stale, but not by its line ends', () => {
  const file = open();
  file.refresh({ text: BASE.replaceAll('\n', '\r\n') });
  assert.equal(file.stale, false);
  file.refresh({ text: `mine\n${BASE}` });
  assert.equal(file.stale, true);
  assert.equal(file.current, `mine\n${BASE}`);
});

test('a file that was deleted after the proposal is stale and has no text, until it is back', () => {
  const file = open();
  file.refresh('missing');
  assert.deepEqual([file.missing, file.stale, file.current], [true, true, '']);
  file.refresh({ text: BASE });
  assert.deepEqual([file.missing, file.stale, file.hunks.length], [false, false, 3]);
  const empty = open({ kind: 'edit', baseText: '', proposedText: 'a\n' });
  empty.refresh('missing');
  assert.equal(empty.stale, true, 'an empty file is not the same as none');
  const created = open({ kind: 'create', baseText: '', proposedText: 'a\n' });
  created.refresh('missing');
  assert.equal(created.stale, false, 'a new file is not there yet');
});

test('a deletion deletes only as long as the user typed nothing into it', () => {
  const file = open({ kind: 'delete', baseText: 'a\n', proposedText: '' });
  assert.equal(file.deletes, true);
  type(file, 'mine\n');
  assert.equal(file.deletes, false);
});

test('the document is read only when someone needs its text', () => {
  const file = open();
  let reads = 0;
  for (let key = 0; key < 5; key += 1) {
    file.edit(() => {
      reads += 1;
      return `${PROPOSED}${key}`;
    });
  }
  assert.equal(reads, 0);
  assert.deepEqual([file.text, reads], [`${PROPOSED}4`, 1]);
});

function open(change: Partial<ProposedChange> = {}): ProposedFile {
  const whole = { kind: 'edit', baseText: BASE, proposedText: PROPOSED } as const;
  return new ProposedFile({ call: CALL, path: '/w/a', ...whole, ...change });
}

function type(file: ProposedFile, text: string): void {
  file.edit(() => text);
}

function states(file: ProposedFile): readonly string[] {
  return file.hunks.map(({ state }) => state);
}
