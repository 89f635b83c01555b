import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** What the line is under a blanket allow and these rules. */
function check(command: string, expected: string, ...rules: readonly string[]) {
  const name = command.length > 80 ? `${command.slice(0, 80)}… (${command.length})` : command;
  test(`${JSON.stringify(name)} is ${expected} under ${rules.join(', ') || 'no more'}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow', ...rules]);
    assert.equal(decision, expected, reason);
  });
}

// `export` of a variable that changes nothing: only when its whole value is on the line.
check('export CI=1', 'allow');
check('export CI="a b"', 'allow');
check('export CI=$x', 'ask');
check('export CI="$x"', 'ask');
check('export CI+=1', 'ask');
check('export CI=(a b)', 'ask');
// Bash exports no element of an array; `declare`, read the same way, runs what a subscript holds.
check('export CI[0]=1', 'ask');

// `coproc` runs its command beside the shell and sets variables named after its first word.
check('coproc ls', 'ask');

// `ls() { rm x; }; ls` runs rm: a function may take the name of any command.
check('f() { ls; }; ls', 'ask');
check('function f { ls; }', 'ask');

// Tests and arithmetic evaluate what a variable holds, wherever they stand on the line.
check('[[ x -eq y ]] && ls', 'ask');
check('if [[ -v x ]]; then ls; fi', 'ask');
check('((x++)); ls', 'ask');
check('[[ -f a && 1 -eq 2 ]] && ls', 'allow');

// `bash -c $'if ls\n; then pwd; fi'` is a syntax error near `;`, and nothing runs.
check('if ls\n; then pwd; fi', 'ask');
check('if ls\n  && pwd; then pwd; fi', 'ask');
check('if ls; then pwd\n| cat; fi', 'ask');
check('case a in\na) ls\n;;\nesac', 'allow');
check('case a in\na) ls\n;;&\nb) pwd\n;&\nc) ls;;\nesac', 'allow');
// So is a parenthesis behind the name of a command: `bash -c 'echo(x'`.
for (const command of [
  'ls(x',
  'ls (x',
  'ls(',
  'l\\$(s',
  'ls; pwd(x',
  'ls \\\n(x',
  'echo $(ls(x)',
  'if ls (x; then pwd; fi',
]) {
  check(command, 'ask');
}
test('the reason names a parenthesis behind the name of a command', async () => {
  for (const line of ['rm(x', 'ls; rm (x)']) {
    const { reason } = await evaluateBash(line, ['bash * allow']);
    assert.equal(reason, "Gatehouse can't parse the command (an unexpected parenthesis).");
  }
  for (const line of ['echo "$x" "a (b)"', 'f() { ls; }; f']) {
    const { reason } = await evaluateBash(line, ['bash * allow']);
    assert.doesNotMatch(reason, /parenthesis/);
  }
});
check('NO_COLOR=1 (ls)', 'ask');
check("echo 'ls(x'", 'allow');
check('(ls) && (pwd)', 'allow');
check('git log --format="%h (%s)"', 'allow');
// Within quotes an operator may start a line.
check("git commit -m 'a\n| b'", 'allow');
check('git commit -m "a\n& b" && ls', 'allow');

// A pipeline's last command may run in the shell itself (`shopt -s lastpipe`), the others never do.
check('ls | cd src; cat f', 'deny', 'fs.read src/f deny');
check('ls | cd src; cat f', 'deny', 'fs.read f deny');
check('cd src | ls; cat f', 'deny', 'fs.read f deny');
check('cd src | ls; cat f', 'allow', 'fs.read src/f deny');
// `time cd src` moves the shell, and `&&` goes on only where it did; `!` turns that round.
check('time cd src && cat f', 'allow', 'fs.read f deny');
check('time cd src && cat f', 'deny', 'fs.read src/f deny');
check('! cd src && cat f', 'deny', 'fs.read f deny');
check('! cd src || cat f', 'deny', 'fs.read src/f deny');
check('time ! cd src && cat f', 'deny', 'fs.read f deny');
// A list goes on in the folder that its last step, failed or not, may have left it in.
check('cd src && ls; cat f', 'deny', 'fs.read f deny');
check('cd src && ls; cat f', 'deny', 'fs.read src/f deny');
check('cd src && cat f', 'allow', 'fs.read f deny');
check('cd src || cat f', 'allow', 'fs.read src/f deny');
check('cd src && ls || cat f', 'deny', 'fs.read f deny');
check('ls || cd src && cat f', 'deny', 'fs.read src/f deny');
check('ls || cd src && cat f', 'deny', 'fs.read f deny');
// What runs in the background moves only itself.
check('cd src & cat f', 'deny', 'fs.read f deny');
check('cd src & cat f', 'allow', 'fs.read src/f deny');

// Linux passes no argument of more than 128 KiB to a shell, so nothing longer can run.
check('a'.repeat(128 * 1024), 'allow');
check('a'.repeat(128 * 1024 + 1), 'deny');
// What takes more looks than a line may have is refused: a deny must not be lost in it.
check(`docker run ${'a '.repeat(60_000)}`, 'deny');
check(`git${' -c a=b'.repeat(16_000)} status`, 'deny');
// Deeper than the parser itself can go.
check(`${'coproc '.repeat(15_000)}ls`, 'deny');
check(`${'f() '.repeat(15_000)}ls`, 'deny');
check(`${'{ '.repeat(100)}ls${'; }'.repeat(100)}`, 'allow');
check(`${'{ '.repeat(200)}rm${'; }'.repeat(200)}`, 'deny');
