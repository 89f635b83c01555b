import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold } from '../../../../../src/permissions/shell/bash/fold.ts';
import { continueEverywhere } from '../../../../fuzz/continuations.ts';
import { printByBash } from '../../../../fuzz/groundTruth.ts';
import { sizeOf } from '../../../../workbench/sizes.ts';

/** Lines with every construct in which bash treats a continuation in its own way. */
const SEEDS = [
  "echo $'-exec' x",
  'echo $HOME "a $HOME b" ${HOME} "${HOME}"',
  '.e{n.,n}v',
  'ls \'a b\' "c d" # com\necho y',
  'cat <<E\na b $(echo x)\nE\necho z',
  "cat <<'E'\na\nE\nls",
  'cat <<"E F"\nx\nE F\n',
  'cat <<\\E\na\\b\nE\n',
  'cat <<-E\n\ta\n\tE\nls',
  'cat <<E <<F\na\nE\nb\nF\nls',
  'echo "$(cat <<E\nx y\nE\n)"',
  'a && b || c; d & e | f |& g',
  'if true; then ls; fi',
  'for i in a b; do echo $i; done',
  '( ls; cd x ) > out 2>&1',
  'echo $(ls "a b" \'c\') "$(ls \'x\')" <(ls)',
  'cat <<< "x y" 2>/dev/null',
  "echo $'a\\'b' $\"x\" \\a '\\'",
  'x=1 y="a b" ls',
  '[[ a == b && c ]]',
  'case x in a) ls;; *) b;; esac',
  'f() { ls; }',
  'echo a\\ #b a#c',
  'echo $$ $? $# "$@" $$x',
  'ls >&2 &>x >|y <>z 3>&-',
  "echo `ls 'a b'`",
  'echo $((1 + 2)) $[1+2]',
  `echo \${x:-"a b"}`,
  'ls "a\\"b" "a\\$b"',
  'a=(b c) ls',
];

/** Each seed with a continuation at every fifth place, starting somewhere else for each seed. */
/** Of so many places of a seed, one is tried. */
const STEP = sizeOf(15, 5);

test('bash reads a line with continuations as it reads the folded line', () => {
  let compared = 0;
  for (const [index, seed] of SEEDS.entries()) {
    for (const [at, line] of continueEverywhere(seed).entries()) {
      if (at % STEP !== index % STEP) continue;
      const { readings, unsure } = fold(line);
      if (unsure) continue;
      compared += 1;
      assert.equal(printByBash(readings[0] ?? ''), printByBash(line), JSON.stringify(line));
    }
  }
  assert.ok(compared > sizeOf(30, 100), `only ${compared} lines were compared`);
});

test('a text without continuations is one reading', () => {
  assert.deepEqual(fold("ls 'a'\ncat"), { readings: ["ls 'a'\ncat"], unsure: false });
  assert.deepEqual(fold('ls \\\\'), { readings: ['ls \\\\'], unsure: false });
});

test('a lone backslash at the end is a backslash, or nothing', () => {
  assert.deepEqual(fold('ls a\\').readings, ['ls a\\\\', 'ls a']);
  assert.deepEqual(fold("ls 'a\\").readings, ["ls 'a\\"]);
  assert.deepEqual(fold('ls # \\').readings, ['ls # \\']);
});

for (const line of [
  'echo `l\\\ns`',
  'echo "`l\\\ns`"',
  'echo $((1+\\\n1))',
  'echo $[1+\\\n1]',
  '((1+\\\n1))',
  'echo "${x:-\'a\\\nb\'}"',
  'echo @(a\\\n|b)',
  'cat <<$E\\\nF\nE',
  'cat <<E\n\\\nE\nE',
  'cat <<-E\n\ta\\\n\tE\n\tE',
  'cat <<E $(ls\\\n)\nE',
  '(cat <<E\\\n)\nE',
  'cat <<E (ls\\\n\nE',
  'echo $(cat <<E\\\n)\nE',
  'echo $(case x in a) l\\\ns;; esac)',
]) {
  test(`shells may differ, so it is unsure: ${JSON.stringify(line)}`, () => {
    assert.equal(fold(line).unsure, true);
  });
}

/** Continuations beside parentheses, here-documents and comments that they don't touch. */
for (const [line = '', folded = ''] of [
  ['(ls \\\na)', '(ls a)'],
  ['echo $(ls \\\na)', 'echo $(ls a)'],
  ['cat <(ls \\\na)', 'cat <(ls a)'],
  ['cat <<E\nx\nE\n(ls \\\na)', 'cat <<E\nx\nE\n(ls a)'],
  ['cat <<E\nx \\\ny\nE\necho $(ls)', 'cat <<E\nx y\nE\necho $(ls)'],
  ["# it's\nls \\\na 'b'", "# it's\nls a 'b'"],
  ["echo $(# it's\nls \\\na 'b')", "echo $(# it's\nls a 'b')"],
  ["echo 'a'#'it' \\\nb", "echo 'a'#'it' b"],
  ['echo "a"#b \\\nc', 'echo "a"#b c'],
  ['echo "$(ls)" \'a\\\nb\'', 'echo "$(ls)" \'a\\\nb\''],
  ["echo $'a\\'b' \\\nc", "echo $'a\\'b' c"],
]) {
  test(`every shell joins these lines in the same way: ${JSON.stringify(line)}`, () => {
    assert.deepEqual(fold(line), { readings: [folded], unsure: false });
    assert.equal(printByBash(folded), printByBash(line));
  });
}
