import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinEntries } from '../../../../../src/host/session/review/undoEntries.ts';

const file = (hash: string) => ({ type: 'file', mode: 0o644, hash }) as const;
const link = (target: string) => ({ type: 'link', target }) as const;
const mode = (value: number) => ({ type: 'mode', mode: value }) as const;

test('changes of one file or link that follow each other are undone as one', () => {
  const entries = [
    { path: '/a', before: file('1'), after: file('2') },
    { path: '/l', before: link('x'), after: link('y') },
    { path: '/a', before: mode(0o644), after: mode(0o755) },
    { path: '/a', before: file('2'), after: file('3') },
    { path: '/l', before: link('y'), after: { type: 'none' } },
  ] as const;
  assert.deepEqual(joinEntries(entries), [
    { path: '/a', before: file('1'), after: file('3') },
    { path: '/l', before: link('x'), after: { type: 'none' } },
    { path: '/a', before: mode(0o644), after: mode(0o755) },
  ]);
});

test('changes with another one between them stay apart', () => {
  for (const hash of ['2', '']) {
    const entries = [
      { path: '/a', before: file('1'), after: file(hash) },
      { path: '/a', before: file(hash === '' ? '' : 'other'), after: file('3') },
    ];
    assert.deepEqual(joinEntries(entries), entries);
  }
});
