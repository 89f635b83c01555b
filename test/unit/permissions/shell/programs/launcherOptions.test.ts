import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

const BLANKET = 'bash * allow';

/** What the line is under these rules. */
function check(command: string, expected: string, ...rules: readonly string[]) {
  test(`${command} is ${expected} under ${rules.join(', ')}`, async () => {
    const { decision, reason } = await evaluateBash(command, rules);
    assert.equal(decision, expected, reason);
  });
}

// A launcher runs the last of several lines that its options have, so what a rule hides holds in each of them.
for (const line of [
  "script -c ls -c 'rm x'",
  "script -c ls --command='rm x'",
  "script --command ls -c 'rm x'",
  "script -cls -c 'rm x'",
  "script --command=ls -qc 'rm x'",
  "script -c ls out -c 'rm x'",
  "script -c ls -- -c 'rm x'",
  "script out -c ls -c 'rm x'",
  "script out -cls -c'rm x'",
  "su -c ls -c 'rm x'",
  "su root -c ls --session-command='rm x'",
  "runuser -c ls me -c 'rm x'",
  "runuser me -c ls --command 'rm x'",
  "npx -c ls -c 'rm x'",
  "npx -c ls --call='rm x'",
  "nix-shell --run ls --command 'rm x'",
  "flock lock -c ls -c 'rm x'",
  // The option takes two words, so that the next one is a command.
  "hyperfine -L x -n 'rm x'",
  "hyperfine -P x -3 -n 'rm x'",
  "flock lock -c ls 'rm x' -c pwd -c 'rm x'",
]) {
  check(line, 'deny', BLANKET, 'bash rm deny');
}
// What "always" stores for one line doesn't cover another line behind it.
check('script -c ls', 'allow', BLANKET);
check("script -c ls -c './build'", 'ask', 'bash script -c ls allow', 'bash ls allow');
check("su -c ls -c './build'", 'ask', 'bash su -c ls allow', 'bash ls allow');
check("script -c ls --nonsense './build'", 'ask', BLANKET);
// Other options and operands may follow.
check('script -c ls -q out', 'allow', BLANKET);
check('script -qcls out -e', 'allow', BLANKET);
check('script out -c ls -a', 'allow', BLANKET);
check('su -c ls -g staff root', 'allow', BLANKET);
check('nix-shell --run ls -p jq', 'allow', BLANKET);
check('flock lock -c ls', 'allow', BLANKET);

// Options with which a launcher starts another program, loads a library or sets variables.
for (const line of [
  "strace -o '|rm x' ls",
  "strace -o'|rm x' ls",
  "strace -fo '!rm x' ls",
  "strace --output='|rm x' ls",
  "strace --output ' | rm x' ls",
  'runuser -s /bin/rm x',
  'su -s /bin/rm x',
  "rlwrap -z 'rm x' cat",
  'dbus-run-session --dbus-daemon=rm ls',
  "systemd-run -p ExecStartPre='rm x' ls",
]) {
  check(line, 'deny', BLANKET, 'bash rm deny');
}
check("strace -o '|./build' ls", 'ask', BLANKET);
check('strace -o trace.txt ls', 'allow', BLANKET);
check('strace -E LD_PRELOAD=./x.so ls', 'ask', BLANKET);
check('fakeroot -l ./x.so ls', 'ask', BLANKET);
check('systemd-run -E LD_PRELOAD=./x.so ls', 'ask', BLANKET);
check('runuser -s ./build me', 'ask', BLANKET);
