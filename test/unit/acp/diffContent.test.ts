import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toDiffContent } from '../../../src/acp/diffContent.ts';

test('a proposal is sent whole, with the hash it was made for', () => {
  const changes = [
    { path: '/w/a', beforeHash: 'h1', oldText: 'a\n', newText: 'b\n' },
    { path: '/w/new', beforeHash: 'h2', newText: 'b\n' },
    { path: '/w/old', beforeHash: 'h3', oldText: 'a\n' },
  ];
  assert.deepEqual(toDiffContent(changes), [
    {
      ...{ type: 'diff', path: '/w/a', oldText: 'a\n', newText: 'b\n' },
      _meta: { gatehouse: { beforeHash: 'h1' } },
    },
    {
      ...{ type: 'diff', path: '/w/new', oldText: null, newText: 'b\n' },
      _meta: { gatehouse: { beforeHash: 'h2' } },
    },
    {
      ...{ type: 'diff', path: '/w/old', oldText: 'a\n', newText: '' },
      _meta: { gatehouse: { beforeHash: 'h3', deleted: true } },
    },
  ]);
});

test('files that are too large together are sent as windows', () => {
  const oldText = 'line\n'.repeat(500_000);
  const paths = ['/w/a', '/w/b', '/w/c'];
  const changes = paths.map((path) => ({
    ...{ path, beforeHash: 'h', oldText },
    newText: `first\n${oldText}`,
  }));
  const characters = (count: number) =>
    JSON.stringify(toDiffContent(changes.slice(0, count))).length;
  assert.ok(characters(1) > 5_000_000, 'one is sent whole');
  assert.ok(characters(3) < 5_000, 'three are not');
});

test('of a huge file only the changed window is sent, in whole lines with its position', () => {
  const lines = Array.from({ length: 700_000 }, (_, at) => `line ${at}`);
  const oldText = lines.join('\n');
  const newText = lines.with(350_000, 'changed').join('\n');
  const change = { path: '/w/big', beforeHash: 'h', oldText, newText };
  const [content] = toDiffContent([change]);
  assert.ok(content?.type === 'diff');
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
