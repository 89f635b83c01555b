import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

test('text around a process substitution makes another word of it, so the line asks', async () => {
  for (const line of [
    // Bash runs `cat/dev/fd/63`, which the workspace may contain.
    'cat<(ls)',
    'cat<(ls) a',
    'cat"<"<(ls)',
    'cat\\ <(ls)',
    'cat a<(ls)',
    'cat "a"<(ls)',
    "cat 'a'<(ls)",
    'cat <(ls)a',
    'cat <(ls)"a"',
    'cat <(ls)<(ls)',
    'cat 2<(ls)',
    'cat x/..<(ls)',
    'cat < a<(ls)',
    'cat < <(ls)a',
    'true && cat<(ls)',
    'echo "$(cat<(ls))"',
    'echo `cat<(ls)`',
    'diff <(cat<(ls)) <(ls)',
    'cat <<E\n$(cat<(ls))\nE',
    'for i in a<(ls); do ls; done',
    "bash -c 'cat<(ls)'",
    'x=1<(ls) cat a',
  ]) {
    const { decision } = await evaluateBash(line, ['bash * allow', 'fs.read ** allow']);
    assert.equal(decision, 'ask', line);
  }
});

test('a process substitution that is a word of its own is allowed', async () => {
  for (const line of [
    'cat <(ls)',
    'cat\t<(ls)',
    'diff <(ls) <(ls src)',
    'cat <(ls)|wc -l',
    'cat <(ls);ls',
    '(cat <(ls))',
    'cat < <(ls)',
    'cat <(ls) 2>/dev/null',
    'cat <(ls)>/dev/null',
    "grep 'a<(b)' a.txt",
    'grep "=>(" a.txt',
  ]) {
    const { decision, reason } = await evaluateBash(line, ['bash * allow', 'fs.read ** allow']);
    assert.equal(decision, 'allow', `${line}: ${reason}`);
  }
});
