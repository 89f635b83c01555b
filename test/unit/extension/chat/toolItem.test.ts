import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toVisible } from '../../../../src/base/text/visibleText.ts';
import { updateToolItem } from '../../../../src/extension/chat/toolItem.ts';

test('a look-alike letter in a title is marked once, however many updates follow', () => {
  const first = { toolCallId: 'c', title: 'touch p\u0430ss' };
  const label = (path: string) => path;
  let item = updateToolItem(undefined, first, label);
  for (const status of ['pending', 'in_progress', 'completed'] as const)
    item = updateToolItem(item, { toolCallId: 'c', status }, label);
  assert.equal(item.title, 'touch p\u0430␣U+0430ss');
  assert.equal(updateToolItem(item, { toolCallId: 'c', title: 'read a' }, label).title, 'read a');
});

test('a path with hidden characters is shown in display form, with marks', () => {
  const file = '/w/src/a\u200bb.ts';
  const update = {
    toolCallId: 'c',
    title: 'Write /w/src/a␣U+200Bb.ts',
    locations: [{ path: file }],
  };
  const label = (path: string) => toVisible(path.slice('/w/'.length)).text;
  const item = updateToolItem(undefined, update, label);
  assert.equal(item.title, 'Write src/a␣U+200Bb.ts');
  assert.deepEqual(item.locations, [{ path: file, label: 'src/a␣U+200Bb.ts' }]);
});

test('the parts that an agent sends of one file have a gap between them', () => {
  const part = (oldText: string, newText: string) =>
    ({ type: 'diff', path: '/w/a.txt', oldText, newText }) as const;
  const update = { toolCallId: 'c', content: [part('a\n', 'A\n'), part('b\n', 'B\n')] };
  const { diffs } = updateToolItem(undefined, update, (path) => path);
  assert.deepEqual(
    diffs.map(({ rows }) => rows.map((row) => (row.sign === 'gap' ? row : row.text))),
    [['a', 'A', { sign: 'gap' }, 'b', 'B']],
  );
});
