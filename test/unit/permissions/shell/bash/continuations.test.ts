import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** A line under a blanket allow and one rule. */
function check(command: string, expected: string, rule = 'bash rm * deny') {
  test(`${JSON.stringify(command)} is ${expected} under ${rule}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow', rule]);
    assert.equal(decision, expected, reason);
  });
}

// Bash removes a backslash and a newline before it looks for tokens.
for (const line of [
  "find . $\\\n'-exec' rm {} \\;",
  "$\\\n'rm' x",
  "$\\\n'\\x72m' x",
  '$\\\n"rm" x',
  'ls &\\\n& rm x',
  'ls |\\\n| rm x',
  'ls > /dev/null 2>\\\n&1; rm x',
  'echo "$\\\n(rm x)"',
  'echo $\\\n(rm x)',
  'echo <\\\n(rm x)',
  'i\\\nf true; th\\\nen rm x; fi',
  "bash -c 'r\\\nm x'",
  "bash -c 'ls # a\\\nrm x'",
  'ls # a\\\nrm x',
  'cat <\\\n<E\nrm x\nE\nrm x',
  'cat <<E\\\nF\nE\nEF\nrm x',
  'cat <<E\na\\\nE\nE\nrm x',
  "cat <<'E'\na\\\nE\nrm x",
  'cat <<E\n$\\\n(rm x)\nE',
  "trap 'r\\\nm x' EXIT",
  "eval $'r\\\\\\nm' x",
  // Either reading of what isn't certain counts.
  'echo `r\\\nm x`',
  'rm \\',
  'rm x \\\n',
  'rm x\\',
]) {
  check(line, 'deny');
}

// A name that is only known at run time.
for (const line of [
  '$\\\nx a',
  'cat $\\\nHOME/x',
  'cat ${\\\nHOME}/x',
  'cat "$\\\n{HOME}/x"',
  'cat .e{n.\\\n.n}v',
  'cat a$\\\n(ls)',
  'cp *\\\n.txt x',
  'ls $\\\n[1+1] ',
  'wc $((1 + \\\n 2))',
]) {
  check(line, 'ask');
}

// A list or glob that is continued names what bash makes of it.
check('cat .e{n\\\n,o}v', 'deny', 'fs.read .env deny');
check('cat src/*\\\n.py', 'deny', 'fs.read src/a.py deny');

// A lone backslash at the end is a word for `-c`, and nothing in a file.
check('cat .en\\\nv', 'deny', 'fs.read .env deny');
check('cat .env\\', 'deny', 'fs.read .env deny');
check('cat a\\', 'deny', 'fs.read a deny');
check("cat 'a\\'", 'allow', 'fs.read a deny');
check('cat x > .e\\\nnv', 'deny', 'fs.write .env deny');
check('c\\\nmd /c del x', 'deny', 'bash del * deny');
check("$'c\\x6dd' /c del x", 'deny', 'bash del * deny');

// Ordinary continuations, and those that a quote keeps.
for (const line of [
  'git log \\\n  --oneline \\\n  -n 5',
  'git status && \\\n  ls \\\n  -la',
  'echo a \\\n',
  'grep -r "a\\\nb" src',
  "grep -r 'a\\\nb' src",
  'cat <<E\na \\\nb\nE\nls',
  "cat <<'E'\na \\\nb\nE\nls",
  'ls # a \\\nls',
  'l\\\ns',
  "echo 'rm \\\n x'",
]) {
  check(line, 'allow');
}
