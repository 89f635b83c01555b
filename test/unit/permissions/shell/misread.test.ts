import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bashParses } from '../../../fuzz/groundTruth.ts';
import { evaluateBash } from '../ask.ts';

/** Lines that a million lines of the differential fuzz found: the parser and bash read them differently. */
const NO_LINES = [
  'cat <<< $[1',
  'cat <<< x.$[txt | ls',
  'cat <<< "a$[b"',
  'cat <<< "&$[& rm"',
  'cat <<< ${ -c',
  'cat <<< $[<<< do',
  ':$=(',
  '\\gi$=(t',
  'a.=(b',
  ':@}(',
  'a{(b',
  'until ls <<< --;! do ls; break; done',
];

for (const line of NO_LINES) {
  test(`what bash cannot parse is not allowed: ${line}`, async () => {
    assert.equal(bashParses(line), false);
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'ask');
  });
}

// Bash takes `\x{72` for `r`: both run `rm`.
for (const line of ["$'\\x{72}m' x", "$'\\x{72m' x", "nice $'\\x{72}m' x", "echo $'\\x{72}m'"]) {
  test(`a spelling that only bash knows is not allowed: ${line}`, async () => {
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'ask');
  });
}

for (const line of [
  'cat <<< $[1+1]',
  'cat <<< "$PWD"',
  'cat <<< "a\\$[b"',
  "cat <<< '$[a'",
  '! ls',
  "printf '%s' $'a\\x41b'",
]) {
  test(`what both read alike is allowed: ${line}`, async () => {
    assert.equal(bashParses(line), true);
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'allow');
  });
}

// Bash passes the backslash and the newline; the parser removes them.
for (const line of ["cat $'a\\\nb'", "ls $'\\\n'", "printf $'%s\\\n' x"]) {
  test(`a continuation that a quote keeps is not allowed: ${JSON.stringify(line)}`, async () => {
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'ask');
  });
}

test('arithmetic in a here-string may run what its subscript says', async () => {
  for (const line of ['cat <<< $[a[$(rm x)]]', 'cat <<< "${ rm x; }"'])
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'ask', line);
});
