import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStyledTexts } from '../../../../../src/webview/cards/output/ansi.ts';

const ESC = '\u001B';

check('plain text', 'a <b>', [['a <b>', '']]);
check('a color and its end', `${ESC}[31mred${ESC}[0m plain`, [
  ['red', 'ansi-red-fg'],
  [' plain', ''],
]);
check('a bright color on another, and bold', `${ESC}[1;92;44mx`, [
  ['x', 'ansi-bright-green-fg ansi-blue-bg ansi-bold'],
]);
check('a color of 256 is the nearest of sixteen', `${ESC}[38;5;196mx`, [
  ['x', 'ansi-bright-red-fg'],
]);
check('a gray of 256 is gray', `${ESC}[38;5;240mx`, [['x', 'ansi-bright-black-fg']]);
check('a true color is the nearest of sixteen', `${ESC}[38;2;0;120;0mx`, [['x', 'ansi-green-fg']]);
check('markup is text', `${ESC}[31m<img src=x onerror=alert(1)>`, [
  ['<img src=x onerror=alert(1)>', 'ansi-red-fg'],
]);
check('hidden text is shown', `${ESC}[8mx`, [['x', '']]);
check('inverted colors are swapped', `${ESC}[31;7mx`, [['x', 'ansi-black-fg ansi-red-bg']]);

function check(name: string, text: string, expected: readonly (readonly [string, string])[]) {
  test(`${name} keeps its text and has classes only`, () => {
    const found = toStyledTexts(text).map((part) => [part.text, part.classes]);
    assert.deepEqual(found, expected);
  });
}
