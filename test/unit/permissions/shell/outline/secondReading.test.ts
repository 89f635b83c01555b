import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'unbash';
import { loadOrdinaryLines } from '../../../../../bench/promptRates.ts';
import { fold } from '../../../../../src/permissions/shell/bash/fold.ts';
import { loadGrammar } from '../../../../../src/permissions/shell/grammars.ts';
import { findDifference } from '../../../../../src/permissions/shell/outline/outline.ts';
import { outlineScript } from '../../../../../src/permissions/shell/outline/scriptOutline.ts';
import {
  addSecondReading,
  isPlain,
} from '../../../../../src/permissions/shell/outline/secondReading.ts';
import { outlineTree } from '../../../../../src/permissions/shell/outline/treeOutline.ts';
import { ORDINARY_COMMANDS } from '../../ordinaryCommands.ts';

/** Why the text can't be allowed after a second reading. */
async function readTwice(...readings: readonly string[]): Promise<string | undefined> {
  const { doubts } = await addSecondReading({ acts: [], doubts: [], readings });
  return doubts[0];
}

test('ordinary commands are read alike', async () => {
  const lines = [
    ...ORDINARY_COMMANDS.map((entry) => entry.slice(2)),
    ...loadOrdinaryLines().map(({ text }) => text),
  ];
  for (const line of lines) {
    assert.equal(await readTwice(...fold(line).readings), undefined, line);
  }
});

for (const line of [
  'ls \'a b\' "c $x" $\'d\\n\' $"e" f{g,h} *.i',
  "printf '%s' $'a\\\\' b",
  "echo $'\\\\' $'\\n' 'x y'",
  "echo $'a\\\\' 'b c' $'d\\'e'",
  'cat - 2>/dev/null',
  'ls 2>&1 >out <in 3>&- <>x {fd}>y',
  'cat <<E | grep a\n$x `ls` $(ls "b")\nE\nls',
  "cat <<'E' > out\n$(\nE",
  'cat <<< "a b" c',
  '[ -f a ] && [[ a == b ]] || ((1+1))',
  'for i in a b; do ls "$i"; done | wc -l',
  'if ls; then a; elif b; then c; else d; fi &',
  'while read -r x; do echo "$x"; done < in',
  'case a in b|c) ls;; *) wc;; esac',
  'time -p ls; ! ls; export A=b; unset C',
  'A=1 B="c d" ls e=f',
  'diff <(ls a) <(ls "b")',
  'echo "$(ls "$(pwd)")" `ls` $((1+2)) ${x##*/}',
  '{ ls; } > out; (cd a && ls)',
  'git log HEAD^ HEAD~2 @{u} --format=%h%x09%an',
  'ls # a comment\nls',
  'echo "$(date -u) $(uname -s)  $x \t${y}"',
  'for ((i=0;i<3;i++)); do echo "$i"; done',
  'i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done',
  '[ "$(git status --porcelain | wc -l)" -eq 0 ] && echo clean',
  '[[ -z "$x" && $y == "a b" ]] || ls',
  "find . -name '*.ts' -exec wc -l {} \\;",
]) {
  test(`both readers agree about ${JSON.stringify(line)}`, async () => {
    assert.equal(await readTwice(line), undefined);
  });
}

for (const line of ['ls )', "ls 'a", 'if ls', 'cat <<E\nls']) {
  test(`a syntax error to the second reader: ${JSON.stringify(line)}`, async () => {
    assert.match((await readTwice(line)) ?? '', /may not be valid shell syntax/);
  });
}

test('a text inside the line is read twice, too', async () => {
  assert.notEqual(await readTwice('ls "a"', 'ls )'), undefined);
  assert.notEqual(await readTwice('cat <<E\n$(ls ")")`ls )`\nE'), undefined);
});

test('without the grammar, only plain lines are certain', async () => {
  const load = async () => undefined;
  const analyze = async (text: string) =>
    (await addSecondReading({ acts: [], doubts: [], readings: [text] }, load)).doubts;
  assert.deepEqual(await analyze('ls -la src && git log'), []);
  assert.deepEqual(await analyze("ls 'a'"), [
    "Gatehouse can't load the grammar that checks the command.",
  ]);
});

test('a line that asks anyway is not read again', async () => {
  const load = () => assert.fail('loaded');
  await addSecondReading({ acts: [], doubts: ['x'], readings: ['ls )'] }, load);
  await addSecondReading({ acts: [], doubts: [], readings: ['ls )'], refused: 'x' }, load);
});

test('documents within documents are read twice, down to a limit', async () => {
  const nest = (depth: number): string =>
    depth === 0 ? 'b' : `$(cat <<E${depth}\n${nest(depth - 1)}\nE${depth}\n)`;
  assert.equal(await readTwice(`cat <<E\n${nest(9)}\nE`), undefined);
  assert.match((await readTwice(`cat <<E\n${nest(12)}\nE`)) ?? '', /too deeply nested/);
});

test('a text that takes too much processor time asks, and the next is read as usual', async (t) => {
  const busy = t.mock.method(process, 'cpuUsage', () => {
    const ms = busy.mock.callCount() * 100;
    return { user: ms * 1000, system: 0 };
  });
  const long = `curl ${'a '.repeat(10_000)}`;
  assert.match((await readTwice(long)) ?? '', /takes too long. Split it/);
  busy.mock.restore();
  assert.equal(await readTwice(`${long} b`), undefined);
});

test('deep and long lines are answered', async () => {
  const start = performance.now();
  await readTwice(`"a"${' && b'.repeat(20_000)}`);
  await readTwice(`"a"; ${'( '.repeat(110)}b${' )'.repeat(110)}`);
  await readTwice(`"a"; echo ${'$(echo '.repeat(110)}b${')'.repeat(110)}`);
  await readTwice(`"a"; cat ${'<<E '.repeat(1000)}`);
  assert.ok(performance.now() - start < 20_000);
});

const word = fc.stringMatching(/^[\w./:@,+=-]{1,6}$/);
const keyword = fc.constantFrom('if', 'do', 'time', '!', 'in', '-', '--', 'a=b', '2', 'echo', '[');
const plainLine = fc
  .array(
    fc.tuple(fc.oneof(word, keyword), fc.constantFrom(' ', ' ', ' && ', ' || ', ' | ', ' ; ')),
    { minLength: 1, maxLength: 6 },
  )
  .map((words) => words.flat().slice(0, -1).join(''));

test('two readers never differ about a plain line', async () => {
  const parser = await loadGrammar('bash');
  assert.ok(parser);
  let plain = 0;
  let compared = 0;
  fc.assert(
    fc.property(plainLine, (line) => {
      if (!isPlain(line)) return;
      plain += 1;
      const own = outlineScript(parse(line));
      // What is left between blanks and operators is a word to any shell.
      const words = [...line.matchAll(/[^ &|;]+/g)].map(
        ({ 0: text, index }) => `${index}-${index + text.length}`,
      );
      assert.deepEqual([...own.words], words);
      const tree = parser.parse(line);
      assert.ok(tree);
      // The grammar has no command named `a@b`.
      if (!tree.rootNode.hasError) {
        compared += 1;
        assert.equal(findDifference(own, outlineTree(tree, line)), undefined);
      }
      tree.delete();
    }),
    { numRuns: 5000, seed: 7 },
  );
  assert.ok(plain > 1000 && compared > 500, `only ${plain} lines, ${compared} compared`);
});
