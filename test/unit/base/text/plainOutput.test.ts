import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlainOutput, toPlainOutput } from '../../../../src/base/text/plainOutput.ts';

check('colors are left out', '\u001B[31ma\r\n10\r20\u001B[0m\n', 'a\n20\n');
check('a bar that waits at the start of its line shows', '10 %\r50 %\r', '50 %');
check('a title leaves a waiting bar', '50 %\r\u001B]0;title\u0007\n', '50 %\n');
check(
  'what is drawn over it wins',
  '50 %\r\r\u001B[0m\u001B]8;;http://x\u001B\\done\r\n',
  'done\n',
);
check('a cleared line is empty', 'a\n10 %\r\u001B[2K\nb', 'a\n\nb');
check('text before a clear is gone', 'a b c\u001B[Kd', 'd');
check('texts of escapes are left out', 'a\u001BPq#0\nx\u001B\\b\u001B_y\u001Bc\u001B(Bd', 'abd');
check('an escape without an end is left out', 'a\u001B[31', 'a');
check('a title without an end takes the rest', 'a\u001B]0;b\nc\r', 'a');
check('controls are left out', 'a\u0007\u0000b\u009Bc', 'abc');

test('an escape that never ends does not stop the output', () => {
  const output = new PlainOutput();
  output.write(`a\u001B[${'1'.repeat(2_000)}`);
  output.write('\nb');
  assert.equal(output.end(), 'a\nb');
});

/** Wherever the output is cut into pieces, it is shown alike. */
function check(name: string, raw: string, expected: string): void {
  test(name, () => {
    assert.equal(toPlainOutput(raw), expected);
    for (let from = 0; from <= raw.length; from += 1) {
      for (let to = from; to <= raw.length; to += 1) {
        const output = new PlainOutput();
        for (const piece of [raw.slice(0, from), raw.slice(from, to), raw.slice(to)]) {
          output.write(piece);
        }
        assert.equal(output.end(), expected, `cut at ${from} and ${to}`);
      }
    }
  });
}
