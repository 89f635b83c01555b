import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stripEscapes, toVisible } from '../../../../src/base/text/visibleText.ts';

check('plain words do not change', 'git commit -m "naïve café"', 'git commit -m "naïve café"');
check('other alphabets do not change', 'echo привет 世界', 'echo привет 世界');
check('line ends and tabs stay', 'a\n\tb', 'a\n\tb');
check('a right-to-left override is written out', 'a\u202Eb', 'a␣U+202Eb', true);
check('a zero-width space is written out', 'rm\u200B -rf', 'rm␣U+200B -rf', true);
check('a tag character is written out', 'x\u{E0041}', 'x␣U+E0041', true);
check('a variation selector is written out', 'x\uFE0F', 'x␣U+FE0F', true);
check('a no-break space is written out', 'a\u00A0b', 'a␣U+00A0b', true);
check('an escape is written out', 'a\u001B[2J', 'a␣U+001B[2J', true);
check('a Cyrillic letter in a Latin word is marked', 'g\u0456t', 'g\u0456␣U+0456t', true);
check('a Greek letter in a Latin word is marked', '\u03BFpen', '\u03BF␣U+03BFpen', true);
check('a blank Braille cell is written out', 'a\u2800b', 'a␣U+2800b', true);
check('half of a character is written out', 'a\ud83d', 'a␣U+D83D', true);
check('a character of private use is written out', 'a\ue000', 'a␣U+E000', true);
check('a letter after a mark is in no Latin word', '\u200bпривет', '␣U+200Bпривет', true);
check('what looks like a mark is suspicious', 'a␣U+200Bb', 'a␣U+200Bb', true);
check(
  'a long blank is shortened, so that what follows is seen',
  `ls${' '.repeat(4000)}; rm`,
  'ls␣×4000; rm',
  true,
);

test('a text that is visible already does not change', () => {
  const character = fc.constantFrom(...'aBU+0␣4×Ж\u0430\u0456 \n\u200b\u202e\ud83d\ude00');
  const run = fc.constantFrom(' '.repeat(24), ' '.repeat(30));
  fc.assert(
    fc.property(fc.array(fc.oneof(character, run)), (parts) => {
      const once = toVisible(parts.join(''));
      assert.deepEqual(toVisible(once.text), once);
    }),
  );
});

test('terminal escapes are removed from plain text', () => {
  const output =
    '\u001B]8;;https://evil.example\u0007ok\u001B]8;;\u0007\u001B]52;c;ZXZpbA==\u0007\u001B[2J\u001B]0;t\u0007';
  assert.equal(stripEscapes(output), 'ok');
});

test('a carriage return is a line end in plain text', () => {
  assert.equal(stripEscapes('10%\r20%\r\n30%'), '10%\n20%\n30%');
});

function check(name: string, raw: string, text: string, suspicious = false) {
  test(name, () => assert.deepEqual(toVisible(raw), { text, suspicious }));
}
