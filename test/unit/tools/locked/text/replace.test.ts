import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applySpans } from '../../../../../src/diff/span.ts';
import { findSpans } from '../../../../../src/tools/locked/text/replace.ts';

const FILE = 'function a() {\n  return 1;\n}\n\nfunction b() {\n  return 2;\n}\n';

check('one exact place', FILE, 'return 1', 'return 3', FILE.replace('return 1', 'return 3'));
check(
  'text that goes on over lines',
  FILE,
  '{\n  return 2;\n}',
  '{}',
  FILE.replace('{\n  return 2;\n}', '{}'),
);
check('all of the file', 'x', 'x', '', '');
check(
  'indentation that differs',
  FILE,
  '    return 1;\n',
  '    return 4;\n',
  FILE.replace('return 1', 'return 4'),
);
check('blanks that differ', 'a  =  1;\nb = 2;\n', 'a = 1;', 'a = 3;', 'a = 3;\nb = 2;\n');
check('line ends that differ', 'a\r\nb\r\nc\r\n', 'a\nb', 'x\ny', 'x\r\ny\r\nc\r\n');
check('exact before inexact', ' a\na\n', '\na\n', '\nb\n', ' a\nb\n');
check('text with characters of several bytes', 'é😀x\n', '😀', 'ü', 'éüx\n');
check('a line that becomes two', 'a\r\nb\r\nc\n', 'b', 'x\ny', 'a\r\nx\r\ny\r\nc\n');
check('the last line, which has no end', 'a\r\nb', 'b', 'x\ny', 'a\r\nx\r\ny');
check('the only line of a file', 'b', 'b', 'x\ny\n', 'x\ny\n');
check('a line among lines that end with a CR', 'a\rb\rc', 'b', 'x\ny', 'a\rx\ry\rc');
check('lines that end with a CR', 'a\rb\rc\r', 'a\nb', 'x\ny', 'x\ry\rc\r');
check('text with line ends of its own', 'a\r\nb\r\n', 'b', 'x\r\ny', 'a\r\nx\r\ny\r\n');
check('every line by that line’s end', 'b\r\nb\n', 'b', 'x\ny', 'x\r\ny\r\nx\ny\n', true);
check('text with line ends that are named', 'a\nb\r\n', 'a\nb', 'x\ny', 'x\ny\r\n');
check('text that reads like a pattern', 'a $1 b', '$1', "$& $` $' $$ \\1", "a $& $` $' $$ \\1 b");
check('places that overlap, one after the other', 'aaaaa', 'aa', 'b', 'bba', true);
check('every place', 'a b a', 'a', 'c', 'c b c', true);

function check(
  name: string,
  text: string,
  old: string,
  next: string,
  expected: string,
  all = false,
) {
  test(`${name} is replaced`, () => {
    const utf8 = Buffer.from(text);
    const found = findSpans(utf8, { old_string: old, new_string: next, replace_all: all });
    assert.ok(found.ok, found.ok ? '' : found.error);
    assert.equal(applySpans(utf8, found.data.spans), expected);
  });
}

refuse('a text that occurs twice', FILE, 'return', 'x', /occurs 2 times \(lines 2, 6\)/);
refuse('a text whose two places overlap', 'x\naaa\n', 'aa', 'b', /occurs 2 times \(lines 2, 2\)/);
refuse('an empty text', FILE, '', 'x', /old_string is empty/);
refuse('a replacement by itself', FILE, 'return 1', 'return 1', /are identical/);
refuse('blanks alone that are not there', FILE, '\t\t\t', 'x', /not in the file/);
refuse(
  'a text that matches two places apart from whitespace',
  'a  b\na   b\n',
  'a b',
  'x',
  /matches 2 times \(lines 1, 2\)/,
);
refuse(
  'a text that is nearly there, and shows the lines',
  FILE,
  'function b() {\n  return 3;\n}',
  'x',
  /nearest lines are:\n(.*\n)*5\tfunction b\(\) \{\n6\t {2}return 2;/,
);
refuse(
  'a text that is nowhere',
  FILE,
  'completely other words',
  'x',
  /differs from what you expect/,
);

function refuse(name: string, text: string, old: string, next: string, expected: RegExp) {
  test(`${name} is a conflict`, () => {
    const found = findSpans(Buffer.from(text), { old_string: old, new_string: next });
    assert.ok(!found.ok);
    assert.match(found.error, expected);
  });
}
