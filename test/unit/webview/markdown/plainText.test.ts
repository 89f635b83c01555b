import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPlainText } from '../../../../src/webview/markdown/plainText.ts';

check('marks of words', 'Some **bold** and *soft* `code*` &amp; \\*stars\\*', [
  'Some bold and soft code* & *stars*',
]);
check('paragraphs, headings and line breaks', '# Title\n\nOne\ntwo  \nthree\n\n---\n\nEnd', [
  ...['Title', '', 'One two', 'three', '', '---', '', 'End'],
]);
check('lists', 'Do:\n\n3. a\n3. b\n   - c `d`\n   - [x] e\n\nDone', [
  ...['Do:', '', '3. a', '4. b', '   - c d', '   - [x] e', '', 'Done'],
]);
check('paragraphs of list items', '- a\n\n  more\n\n- b', ['- a', '', '  more', '', '- b']);
check('code', 'See\n\n```ts\nif (a)\n  b();\n```\n\n> so **it** is\n> and on', [
  ...['See', '', 'if (a)', '  b();', '', '> so it is and on'],
]);
check('code in a list', '- a\n  ```\n  x\n    y\n  ```', [...['- a', '', 'x', '  y']]);
check('links and images', '[docs](a.md) <https://a.example> ![shot](b.png)', [
  'docs (a.md) https://a.example shot',
]);
check('tables', '| a | **b** |\n|---|--:|\n| 1 | 2 |', ['a\tb', '1\t2']);
check('markup that is text', '<b>x</b>', ['<b>x</b>']);
check('a long paragraph', `${'*a* '.repeat(6_000)}end`, [`${'*a* '.repeat(6_000)}end`]);

function check(name: string, markdown: string, lines: readonly string[]) {
  test(`plain text: ${name}`, () => {
    assert.deepEqual(toPlainText(markdown).split('\n'), lines);
  });
}
