import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Policy } from '../../../../../src/permissions/rules/policy.ts';
import { evaluateBash } from '../../ask.ts';

const RM = ['bash * allow', 'bash rm deny manifest'];

/** What the line is under these rules; without any, under a blanket allow and a final deny of `rm`. */
function check(command: string, expected: string, rules: readonly string[] = RM) {
  checkOn('linux', command, expected, rules);
}

function checkOn(
  platform: Policy['platform'],
  command: string,
  expected: string,
  rules: readonly string[] = RM,
) {
  const name = command.length > 80 ? `${command.slice(0, 80)}…` : command;
  test(`${platform}: ${name} is ${expected} under ${rules.join(', ')}`, async () => {
    const { decision, reason } = await evaluateBash(command, rules, { platform });
    assert.equal(decision, expected, reason);
  });
}

function under(rule: string): readonly string[] {
  return ['bash * allow', rule];
}

// Twenty launchers inside each other are looked through; with more the line is refused.
check(`${'nice '.repeat(20)}ls`, 'allow');
check(`${'nice '.repeat(21)}ls`, 'deny');
check(`${'find . -exec '.repeat(30)}ls ${'\\; '.repeat(30)}`, 'deny');
// So are twenty texts inside each other.
check(`${'eval '.repeat(20)}ls`, 'ask');
check(`${'eval '.repeat(21)}ls`, 'deny');
check(`${'eval ls; '.repeat(30)}`, 'ask');
check(`bash${" -c 'x'; bash".repeat(30)} -c 'ls'`, 'allow');

// `command` and `builtin` run `cd` in the shell itself, with options and any number of times.
for (const mover of [
  'cd src',
  'command cd src',
  'builtin cd src',
  'command -p cd src',
  'command -- cd src',
  'command command cd src',
  'builtin command cd src',
  'pushd src',
  'cd ./src/../src/',
]) {
  check(`${mover}; cat f`, 'deny', under('fs.read src/f deny'));
  check(`${mover} && cat f`, 'deny', under('fs.read src/f deny'));
  check(`${mover} && cat f`, 'allow', under('fs.read f deny'));
  check(`${mover} || cat f`, 'deny', under('fs.read f deny'));
}
// A shell that takes more options, or isn't bash, may read a pattern in another way.
const OWN = ['bash * allow', 'fs.read {workspace}/** allow'];
check("bash -c 'cat src/*.py'", 'allow', OWN);
check("sh -c 'cat src/*.py'", 'ask', OWN);
check("bash -f -c 'cat src/*.py'", 'ask', OWN);
check("bash -O nullglob -c 'cat src/*.py'", 'ask', OWN);
check(`sh -c "bash -c 'cat src/*.py'"`, 'ask', OWN);

// Other programs have a folder of their own.
check('nice cd src; cat f', 'deny', under('fs.read f deny'));
check('sh -c "cd src"; cat f', 'deny', under('fs.read f deny'));
check('command ls src; cat f', 'deny', under('fs.read f deny'));
check('popd && cat f', 'ask', under('fs.read f deny'));

// Where the disk folds case, so do the names of programs; `.exe` is no part of them.
checkOn('darwin', "SH -c 'rm x'", 'deny');
checkOn('win32', "Sh.EXE -c 'rm x'", 'deny');
// There they are programs that are not known, so that they may start what they name.
checkOn('linux', "SH -c 'rm x'", 'ask');
checkOn('linux', "sh.exe -c 'rm x'", 'ask');
checkOn('linux', "/opt/bin/sh -c 'rm x'", 'deny');

// `command -v rm` prints where rm is, `env -v rm` runs it.
check('command -v rm', 'allow');
check('command -pV rm', 'allow');
check('command -p rm', 'deny');
check('env -v rm x', 'deny');
check('builtin -v rm', 'deny');

// `export` alone prints every variable; with values, each of them counts.
check('export', 'ask');
check('export CI=1 NO_COLOR=1', 'allow');
check('export CI=1 PATH=x', 'ask');
check('export PATH=x CI=1', 'ask');
check('export CI', 'ask');
check('declare CI=1', 'ask');

// What a builtin keeps for later is looked at, as far as it is known.
check('eval ls', 'ask');
check('eval "rm $x"', 'deny');
check('eval -- "rm x"', 'deny');
check("trap 'rm x' EXIT", 'deny');
check('trap "rm $x" EXIT', 'deny');
check("trap -- 'rm x' EXIT", 'deny');
check("alias ls='rm -r'", 'deny');
check("complete -C 'rm x' ls", 'deny');
check("mapfile -C 'rm x' -c 1 a", 'deny');
check("readarray -C 'rm x' a", 'deny');
check("trap 'ls' EXIT", 'ask');
check('exec', 'ask');
check('exec rm x', 'deny');

// A quoted text is known but for what the variable holds.
check('sh -c "rm $x"', 'deny');
check('sh -c "cd $x && rm y"', 'deny');
check('watch "rm $x"', 'deny');
check('npx -c "rm $x"', 'deny');
check('docker run alpine sh -c "rm $x"', 'deny');
check('sh -c "echo rm $x"', 'ask');
check('echo "rm $x"', 'ask');

// A shell reads its line from a here-document or here-string, not from the name of a file.
check("bash <<'E'\nrm x\nE", 'deny');
check('bash <<E\nrm $x\nE', 'deny');
check("sh <<< 'rm x'", 'deny');
check('bash <<< ls', 'ask');
check('bash a.sh > rm', 'ask', [...RM, 'fs.write ** allow']);
check("cat <<'E'\nrm x\nE", 'allow');
for (const shell of [
  'env bash',
  'nice sh',
  'ssh host',
  'su root',
  'at now',
  'batch',
  'nix-shell',
  'sudo -s',
  'docker exec -i c sh',
]) {
  check(`${shell} <<'E'\nrm x\nE`, 'deny');
}
check("ssh host <<'E'\nls\nE", 'allow');
check("ssh host <<'E'\nls\nE", 'ask', ['bash ssh * allow']);
check("ssh host cat <<'E'\nrm x\nE", 'allow');
check("ssh host <<< 'cat f'", 'ask', under('fs.read f deny'));
check("env bash <<< 'cat f'", 'deny', under('fs.read f deny'));
check('npx tsc <<< rm', 'allow');
check('hyperfine ls <<< rm', 'allow');
check('gdb ./a <<< rm', 'ask');

// What is only looked for by guessing needs no allow of its own.
check('gdb ./a x', 'allow', ['bash gdb * allow']);
check('gdb ./a rm', 'deny', ['bash gdb * allow', 'bash rm deny']);
check('gdb ./a rm', 'ask', ['bash gdb * allow', 'bash rm ask']);
check('docker run -it --rm alpine A=1 rm x', 'deny');
check('docker run alpine --run=rm', 'deny');
check('docker run alpine ls rmx', 'ask');

test('a long word that is not literal is named by its beginning', async () => {
  const word = `$x${'a'.repeat(80)}`;
  const { reason } = await evaluateBash(`ls ${word}`, ['bash * allow']);
  assert.equal(reason, `Gatehouse can't tell which file \`${word.slice(0, 59)}…\` names.`);
});
