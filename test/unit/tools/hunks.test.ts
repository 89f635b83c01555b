import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffContent, findLine, hunkContent } from '../../../src/tools/hunks.ts';

const LINES = Array.from({ length: 30 }, (_, n) => `line ${n + 1}\n`).join('');

test('a hunk has three lines of context and the number of its first line', () => {
  const at = LINES.indexOf('line 10\n');
  const spans = [{ start: at, end: at + 7, text: 'LINE' }];
  assert.deepEqual(hunkContent('/f', Buffer.from(LINES), spans), [
    {
      type: 'diff',
      path: '/f',
      oldText: 'line 7\nline 8\nline 9\nline 10\nline 11\nline 12\nline 13\n',
      newText: 'line 7\nline 8\nline 9\nLINE\nline 11\nline 12\nline 13\n',
      line: 7,
    },
  ]);
});

test('near places share a hunk, far ones do not', () => {
  const spans = ['line 3\n', 'line 5\n', 'line 25\n'].map((line) => {
    const start = LINES.indexOf(line);
    return { start, end: start + line.length, text: '' };
  });
  const lines = hunkContent('/f', Buffer.from(LINES), spans).map((each) => Object(each).line);
  assert.deepEqual(lines, [1, 22]);
});

test('a new file is one hunk without an old text', () => {
  assert.deepEqual(diffContent('/f', undefined, 'a\n'), [
    { type: 'diff', path: '/f', newText: 'a\n', line: 1 },
  ]);
});

test('the line of a place deep in a large text is found, and hunks start from it', async () => {
  const utf8 = Buffer.from('x\n'.repeat(1_000_000));
  const known = await findLine(utf8, 1_500_000);
  assert.deepEqual(known, { at: 1_500_000, line: 750_001 });
  const spans = [{ start: 1_500_000, end: 1_500_001, text: 'y' }];
  assert.deepEqual(hunkContent('/f', utf8, spans, known), hunkContent('/f', utf8, spans));
  assert.equal(Object(hunkContent('/f', utf8, spans, known)[0]).line, 749_998);
});
