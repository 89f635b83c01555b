import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toOutputEnd, toOutputStart } from '../../../../src/base/text/outputText.ts';
import { cpuTime } from '../../cpuTime.ts';

const RED = '\u001B[31m';
const RESET = '\u001B[0m';

check('plain lines stay', 'a\n\tb\n', 'a\n\tb');
check('colors stay', `${RED}red${RESET}`, `${RED}red${RESET}`);
check('a window title is removed', '\u001B]0;title\u0007a', 'a');
check('a link to elsewhere is removed', '\u001B]8;;http://x\u001B\\a\u001B]8;;\u001B\\', 'a');
check('cursor movements are removed', '\u001B[2J\u001B[1;1Ha\u001B[?25l', 'a');
check('an escape without an end is removed', 'a\u001B[31', 'a');
check('bells and zeros are removed', 'a\u0007\u0000b', 'ab');
check('line ends of Windows are line ends', 'a\r\nb\r\n', 'a\nb');
check('a progress bar shows its last state', '10 %\r50 %\r100 %\nnext', '100 %\nnext');
check('a bar that waits at the start of its line shows', '10 %\r50 %\r', '50 %');
check('a bar that was cleared is gone', `10 %\r\u001B[Kdone`, 'done');
check('a cleared line is empty', 'a\n10 %\r\u001B[2K\nb', 'a\n\nb');
check('a redrawn line keeps its color', `${RED}10 %\r100 %`, `${RED}100 %`);
check('a spinner shows its last state', '|\b/\b-\bok', 'ok');
check('hidden characters are written out', 'a\u200Bb\u202Ec', 'a␣U+200Bb␣U+202Ec');
check('long blanks stay, as tables have them', `a${' '.repeat(40)}b`, `a${' '.repeat(40)}b`);

test('the end of a long output starts with a line, in its color', () => {
  const lines = Array.from({ length: 15 }, (_, at) => `line ${at}`).join('\n');
  assert.deepEqual(toOutputEnd(lines, 20), { text: 'line 13\nline 14', cut: true });
  const red = `${RED}${lines}`;
  assert.equal(toOutputEnd(red, 20).text, `${RED}line 13\nline 14`);
  assert.equal(toOutputEnd(`${RED}x${RESET}${lines}`, 20).text, 'line 13\nline 14');
});

test('no cut goes through a character or an escape', () => {
  assert.equal(toOutputEnd(`a${'😀'.repeat(9)}`, 5).text, '😀😀');
  assert.equal(toOutputStart('😀'.repeat(9), 5).text, '😀😀');
  assert.equal(toOutputEnd(`${'a'.repeat(9)}${RED}bcd`, 6).text, `${RED}bcd`);
  assert.equal(toOutputStart(`abc${RED}d`, 6).text, 'abc');
  assert.deepEqual(toOutputStart('abc', 6), { text: 'abc', cut: false });
});

test('any output takes little time', async () => {
  const hostile = [`\r\u001B[3`, '\b', `${RED}`, '\r', `\u001B]`, '\u200b', `\u001B[K\r`];
  for (const part of hostile) {
    const text = part.repeat(200_000);
    assert.ok((await cpuTime(() => void toOutputEnd(text, 4_000))) < 1_000, JSON.stringify(part));
  }
  const returns = `${'\r'.repeat(1_000_000)}x`;
  assert.ok((await cpuTime(() => void toOutputEnd(returns, 400_000))) < 1_000);
});

function check(name: string, raw: string, expected: string): void {
  test(name, () => assert.equal(toOutputEnd(raw, 1_000).text, expected));
}
