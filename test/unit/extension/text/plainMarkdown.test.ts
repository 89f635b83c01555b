import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPlainText } from '../../../../src/extension/text/plainMarkdown.ts';

function check(markdown: string, expected: string): void {
  assert.equal(toPlainText(markdown), expected);
}

test('code reads without its backticks, and what is in it stays as it is written', () => {
  check('Use `npm ci`, or `npm install`?', 'Use npm ci, or npm install?');
  check('`npm ci`', 'npm ci');
  check('A name with ``a ` tick``', 'A name with a ` tick');
  check('`` `a` ``', '`a`');
  check('`**bold**` and `[a](b)`', '**bold** and [a](b)');
  check('```ts\nconst a = 1;\n```\nIs this right?', 'const a = 1;\nIs this right?');
});

test('bold words and links read as words', () => {
  check('**Yes**, always', 'Yes, always');
  check('Run **`npm ci`** first', 'Run npm ci first');
  check('As [the guide](https://a.example/x) says', 'As the guide (https://a.example/x) says');
  check('[`a.ts`](src/a.ts)', 'a.ts (src/a.ts)');
  check('See <https://a.example/x>', 'See https://a.example/x');
  check('[https://a.example](https://a.example)', 'https://a.example');
  check('This is \\*not\\* bold', 'This is *not* bold');
  check('\\[not\\](a link)', '[not](a link)');
  check('\\[not\\](link)', '[not](link)');
});

test('what only looks like Markdown stays as it is written', () => {
  for (const text of [
    'One ` alone',
    'src/**/*.ts and test/**/*.ts',
    '**/*.ts or src/**',
    'x**2 + y**2',
    '__init__.py or snake_case_name',
    '2 ** 3 ** 4',
    'a[0](1)',
    'C:\\Users\\name',
    '#12 is the issue',
    'Array<string>',
    '',
  ])
    check(text, text);
});

test('a long text is read at once', () => {
  for (const piece of ['`', '``a', '[a](', '**a', '[', '<https://', '\\`'])
    assert.equal(typeof toPlainText(`a ${piece.repeat(100_000)}`), 'string');
});
