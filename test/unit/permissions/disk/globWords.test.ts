import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { expandGlob } from '../../../../src/permissions/disk/expandGlob.ts';
import { plantWorkspace } from '../ask.ts';

const ROOT = plantWorkspace([
  'a.txt',
  'ab.txt',
  'a*b',
  'A.txt',
  'b 1',
  'b$1',
  'b!1',
  'x5',
  '.hid',
  '_u',
  'dir/a.txt',
  'dir/.in',
  'dir/sub/z',
  'both}',
]);
symlinkSync('dir', path.join(ROOT, 'link'));
symlinkSync('nowhere', path.join(ROOT, 'broken'));

/** What words expand to, in the order of their bytes. */
const EXPANDED: readonly (readonly [word: string, values: readonly string[]])[] = [
  ['\\a*.txt', ['a.txt', 'ab.txt']],
  ['a\\*?', ['a*b']],
  ["'a'*.txt", ['a.txt', 'ab.txt']],
  ['"a*"?', ['a*b']],
  ['b" "*', ['b 1']],
  ["'b$'*", ['b$1']],
  ["'b!'?", ['b!1']],
  ['*.none', ['*.none']],
  ['\\*.none', ['*.none']],
  ['a*.*t*', ['a.txt', 'ab.txt']],
  ['**.txt', ['A.txt', 'a.txt', 'ab.txt']],
  ['a**b**.txt', ['ab.txt']],
  ['[ab].txt', ['a.txt']],
  ['[!a].txt', ['A.txt']],
  ['[^a].txt', ['A.txt']],
  ['[A-Z].txt', ['A.txt']],
  ['x[0-9]', ['x5']],
  ['x[6-9]', ['x[6-9]']],
  ['[_]u', ['_u']],
  ['.h*', ['.hid']],
  ['?hid', ['?hid']],
  ['[.]hid', ['[.]hid']],
  ['{b,a}.txt', ['b.txt', 'a.txt']],
  ['{a,{A,ab}}.txt', ['a.txt', 'A.txt', 'ab.txt']],
  ['{a*,A*}.txt', ['a.txt', 'ab.txt', 'A.txt']],
  ['{"a,b",x}*', ['a,b*', 'x5']],
  ["both'}'*", ['both}']],
  ['both"}"', ['both}']],
  ['dir/*', ['dir/a.txt', 'dir/sub']],
  ['dir/.i*', ['dir/.in']],
  ['*/a.txt', ['dir/a.txt', 'link/a.txt']],
  ['*/sub/z', ['dir/sub/z', 'link/sub/z']],
  ['dir/*/', ['dir/sub/']],
  ['*/', ['dir/', 'link/']],
  ['a.txt/*', ['a.txt/*']],
  ['gone/*', ['gone/*']],
  ['*/broken', ['*/broken']],
  ['[b]roken', ['broken']],
  ['./x*', ['./x5']],
  [`${ROOT}/x*`, [`${ROOT}/x5`]],
];

for (const [word, values] of EXPANDED) {
  test(`${word} expands to ${values.join(' ')}`, () => {
    assert.deepEqual(expandGlob(word, ROOT), { ok: true, values });
  });
}

test('a word whose expansion the shell may change is left alone', () => {
  for (const word of [
    'a*\\',
    'a*\\\n',
    '"a*',
    "'a*",
    '"b\\$"*',
    '"b!"*',
    '"`a`"*',
    '"\\a"*',
    '}*',
    'a}*',
    '{a}*',
    '{a,b*',
    '{a,{b}}*',
    '{1..3}*',
    '{,}',
    '{a,}',
    '*(a)',
    'a;*',
    'a|*',
    'a&*',
    'a>*',
    '*[a',
    '[a-z',
    '[!]*',
    '[a-Z]*',
    '[z-é]*',
    '["a"b]*',
    '[[:alpha:]]*',
    '[a-]*',
    '*a*b*c*',
    '**a**b**c**',
    '.*',
    '.?',
    'dir//*/x',
    'dir/.*',
  ]) {
    assert.equal(expandGlob(word, ROOT).ok, false, word);
  }
});

test('as many words as the limits allow are expanded, and no more', () => {
  const list = '{a,b}'.repeat(6);
  const expansion = expandGlob(list, ROOT);
  assert.equal(expansion.ok && expansion.values.length, 64);
  assert.equal(expandGlob(`${list}{a,b}`, ROOT).ok, false);
  const many = plantWorkspace(Array.from({ length: 512 }, (_, index) => `f${index}`));
  const all = expandGlob('f*', many);
  assert.equal(all.ok && all.values.length, 512);
  assert.equal(expandGlob('{f*,f1*}', many).ok, false);
});
