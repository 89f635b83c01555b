import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { analyzeBash } from '../../../../../src/permissions/shell/bash/walk.ts';
import { sizeOf } from '../../../../workbench/sizes.ts';

const part = fc.constantFrom(
  ...[
    '{',
    '}',
    ',',
    ',',
    'a',
    'b',
    '-',
    '..',
    '.',
    '1',
    '3',
    "'",
    '"',
    '\\',
    '\\,',
    '\\{',
    '"x y"',
    "','",
  ],
  ...[
    "'{'",
    '{a,b}',
    '{a,b',
    'a,b}',
    '{}',
    '{,}',
    '{a}',
    '{a,{b,c}}',
    '=',
    '/',
    '--x=',
    ':',
    '!',
    '%',
    '^',
  ],
  ...['{1..3}', '{a..c}', '~', '#', ' '],
);
const words = fc.array(part, { minLength: 2, maxLength: 6 }).map((parts) => parts.join(''));

/** What `cat` gets as far as the analysis is certain. Undefined: it isn't. */
function findWords(text: string): readonly string[] | undefined {
  const { acts, doubts } = analyzeBash(`cat ${text}`, '/nonexistent', 'linux');
  const [act, ...others] = acts.filter(({ kind }) => kind === 'command');
  if (act?.kind !== 'command' || others.length > 0 || doubts.length > 0) return undefined;
  if (act.doubt !== undefined || act.words.some((word) => !word.literal || word.tilde))
    return undefined;
  return act.words.slice(1).map(({ value }) => value);
}

test('bash makes no other words of lists in braces than the analysis', () => {
  const texts = fc.sample(words, { numRuns: sizeOf(4_000, 40_000), seed: 7 });
  const known = [...new Set(texts)].flatMap((text) => {
    const found = text.includes('{') ? findWords(text) : undefined;
    return found === undefined ? [] : [{ text, found }];
  });
  assert.ok(known.length > 300, `${known.length} words`);
  // Each in a shell of its own, since some end it.
  const loop =
    'while IFS= read -r -d "" line; do (eval "$line") </dev/null 2>/dev/null; printf "\\2"; done';
  const input = known.map(({ text }) => `printf '%s\\1' ${text}\0`).join('');
  const { stdout } = spawnSync('bash', ['--norc', '-c', loop], {
    input,
    encoding: 'utf8',
    cwd: '/',
  });
  const printed = stdout.split('\u0002');
  const other = known.flatMap(({ text, found }, at) => {
    const expected = found.map((each) => `${each}\u0001`).join('') || '\u0001';
    return printed[at] === expected ? [] : [`${text}: ${JSON.stringify(printed[at])}`];
  });
  assert.deepEqual(other, []);
});
