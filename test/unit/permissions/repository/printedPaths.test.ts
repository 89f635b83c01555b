import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPrinted } from '../../../../src/permissions/repository/printed.ts';
import { listPrintedPaths } from '../../../../src/permissions/repository/printedPaths.ts';
import { plantWorkspace } from '../ask.ts';

const root = plantWorkspace(['a', 'src/b', 'src/lib/c']);

/** The paths below the root that a command in `src` prints, `.` for the root itself. */
function paths(line: string): string {
  return listPrintedPaths(line.split(' '), `${root}/src`, root)
    .map((each) => (each === root ? '.' : each.replace(`${root}/`, '')))
    .join(' ');
}

for (const [line, expected] of [
  ['status', ''],
  ['diff', '.'],
  ['diff -- b', 'src/b'],
  ['diff b', 'src/b'],
  ['diff l*', 'src'],
  ['log -p lib/?', 'src/lib'],
  ['diff -p HEAD -- b lib', 'src/b src/lib'],
  ['diff HEAD -- ../a', 'a'],
  ['log -p -- b', 'src/b'],
  ['log -p --follow -- b', '.'],
  ['log --follow -p -- b', '.'],
  ['log -p -L1:b', '.'],
  ['diff --relative', 'src'],
  ['diff -p --relative HEAD', 'src'],
  ['diff -S --relative', '.'],
  ['grep x', 'src'],
  ['grep x -- b', 'src/b'],
  ['stash show -p -- b', '.'],
] as const) {
  test(`in a folder, git ${line} prints ${expected === '' ? 'no content' : expected}`, () => {
    assert.equal(paths(line), expected);
  });
}

test('a word that is too long for a path may be a revision', () => {
  assert.equal(paths(`diff ${'b'.repeat(300)}`), '.');
});

/** Which of the files the command prints, in the root or in `src`. */
function included(line: string, folder: string): string {
  const printed = toPrinted(line.split(' '));
  return ['a', 'ab', 'src/b', 'src/lib/c', 'srcs/d']
    .filter((file) => printed?.mayInclude(`/w/${file}`, folder, '/w', '0123'))
    .join(' ');
}

for (const [line, folder, expected] of [
  ['diff', '/w', 'a ab src/b src/lib/c srcs/d'],
  ['diff -- a', '/w', 'a'],
  ['diff -- src', '/w', 'src/b src/lib/c'],
  ['diff -- .', '/w', 'a ab src/b src/lib/c srcs/d'],
  ['diff -- .', '/w/src', 'src/b src/lib/c'],
  ['diff -- ..', '/w/src', 'a ab src/b src/lib/c srcs/d'],
  ['diff -- :!src', '/w', 'a ab srcs/d'],
  ['diff -- :!a', '/w', 'ab src/b src/lib/c srcs/d'],
  ['diff -- src :!src/lib', '/w', 'src/b'],
] as const) {
  test(`of the tracked files, git ${line} in ${folder} prints ${expected}`, () => {
    assert.equal(included(line, folder), expected);
  });
}
