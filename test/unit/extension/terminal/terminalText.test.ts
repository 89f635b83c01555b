import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TerminalFilter } from '../../../../src/extension/terminal/terminalText.ts';

const ESC = '\u001B';

check('text and colors pass', [`${ESC}[1;31mred${ESC}[0m`], `${ESC}[1;31mred${ESC}[0m`);
check('line feeds become line ends', ['a\nb\r\nc'], 'a\r\nb\r\nc');
check('a progress bar may redraw its line', ['10%\r20%', `\r${ESC}[K30%`], `10%\r20%\r${ESC}[K30%`);
check('the clipboard is not touched (OSC 52)', [`a${ESC}]52;c;ZXZpbA==\u0007b`], 'ab');
check(
  'links are dropped, their words stay (OSC 8)',
  [`${ESC}]8;;https://evil.example\u0007ok${ESC}]8;;\u0007`],
  'ok',
);
check(
  'titles, screens and cursors are left alone',
  [`${ESC}]0;t\u0007${ESC}[2J${ESC}[5;5Hx${ESC}c`],
  'x',
);
check('a device control string is dropped', [`a${ESC}P+q544e${ESC}\\b`], 'ab');
check('an escape cut in two is one escape', [`a${ESC}]52;c;ZX`, 'ZpbA==\u0007b'], 'ab');
check('a color cut in two is one color', [`a${ESC}[3`, '1mb'], `a${ESC}[31mb`);
check('an end of string cut in two is one end', [`a${ESC}]0;t${ESC}`, '\\b'], 'ab');
check('C1 controls are dropped', ['a\u009B31mb'], 'a31mb');
check(
  'an escape that never ends is dropped',
  [`a${ESC}]0;${'x'.repeat(5000)}`],
  `a]0;${'x'.repeat(5000)}`,
);

function check(name: string, pieces: readonly string[], expected: string) {
  test(name, () => {
    const filter = new TerminalFilter();
    assert.equal(pieces.map((piece) => filter.push(piece)).join(''), expected);
  });
}
