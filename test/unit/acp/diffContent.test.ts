import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toDiffContent } from '../../../src/acp/diffContent.ts';

test('a proposal is sent whole, a new file without old text', () => {
  assert.deepEqual(toDiffContent({ path: '/w/a', oldText: 'a\n', newText: 'b\n' }), {
    type: 'diff',
    path: '/w/a',
    oldText: 'a\n',
    newText: 'b\n',
  });
  assert.deepEqual(toDiffContent({ path: '/w/a', newText: 'b\n' }), {
    type: 'diff',
    path: '/w/a',
    oldText: null,
    newText: 'b\n',
  });
});

test('of a huge file the window that changes is sent, in whole lines, with its place', () => {
  const lines = Array.from({ length: 700_000 }, (_, at) => `line ${at}`);
  const oldText = lines.join('\n');
  const newText = lines.with(350_000, 'changed').join('\n');
  const content = toDiffContent({ path: '/w/big', oldText, newText });
  assert.ok(content.type === 'diff');
  const { line, partial } = Object(content._meta?.['gatehouse']);
  assert.equal(partial, true);
  const before = content.oldText?.split('\n') ?? [];
  const after = content.newText.split('\n');
  assert.equal(before[0], lines[line - 1], 'the window begins with the line it names');
  assert.ok(before.length > 20 && before.length < 60, `${before.length} lines`);
  assert.deepEqual(
    after.filter((each, at) => each !== before[at]),
    ['changed'],
  );
  assert.ok(oldText.includes(content.oldText ?? '?') && newText.includes(content.newText));
});
