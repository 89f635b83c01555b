import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** What the line is under a blanket allow and these rules; without rules, under a final deny of `rm`. */
function check(command: string, expected: string, ...rules: readonly string[]) {
  const more = rules.length === 0 ? ['bash rm deny manifest'] : rules;
  test(`${command} is ${expected} under ${more.join(', ')}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow', ...more]);
    assert.equal(decision, expected, reason);
  });
}

// The text of `-c` is a line; the words after it are its `$0`, `$1` and so on.
for (const shell of ['sh', 'bash', 'dash', 'ash']) {
  check(`${shell} -c 'ls -l'`, 'allow');
  check(`${shell} -c 'ls; rm x'`, 'deny');
}
check("sh -c 'ls' rm x", 'allow');
check("sh -c 'ls' x", 'allow', 'bash ls x deny');
check("sh -c -- 'ls -l'", 'allow');
check("sh -c - 'rm x'", 'deny');
check("bash -x +e --norc -c 'ls -l'", 'allow');
check("bash -lc 'ls -l'", 'allow');
// `bash -c -e -x 'echo hi'`, `bash -ceuo pipefail 'echo hi'` and `dash -oc errexit 'echo hi'` say hi.
check("bash -c -e -x 'rm x'", 'deny');
check("bash -c -e -x 'ls'", 'ask');
check("bash -ceuo pipefail 'rm x'", 'deny');
check("bash -oc pipefail 'rm x'", 'deny');
check("bash -Oc extglob 'rm x'", 'deny');
check("bash -c -o pipefail 'rm x'", 'deny');
check("bash -ceuo pipefail 'ls'", 'ask');
check("bash -eo pipefail -c 'rm x'", 'deny');
check("bash -o pipefail -c 'rm x'", 'deny');
check("bash -o pipefail -c 'ls'", 'ask');
check("bash +O extglob -c 'rm x'", 'deny');
check("bash --init-file f -c 'rm x'", 'deny');
check("bash --rcfile f -c 'ls'", 'ask');
check('bash --version', 'allow');
check('bash --help', 'allow');
check('bash --version x', 'ask');
check('bash x.sh --version', 'ask');
check('bash --norc', 'ask');
check("bash x.sh -c 'ls'", 'ask');
// These have languages of their own; what is a command to them is looked for in every word.
check("fish -c 'ls'", 'ask');
check("fish -c 'rm x'", 'deny');
check("fish -C 'rm x' -c 'ls'", 'deny');
check("fish -c ls -c 'rm x'", 'deny');
check("pwsh -Command 'ls'", 'ask');
check('pwsh -command rm x', 'deny');
check("cmd /c 'rm x'", 'deny');
check('cmd /C rm x', 'deny');
check('cmd /c ls rm', 'deny', 'bash ls rm deny');
check('cmd /k "$x" rm', 'deny');

// What a sub-command starts: its first word for some, for others it may stand anywhere.
check('npm exec tsc', 'allow');
check('npm exec -- tsc -p .', 'allow');
check('npm exec -- rm x', 'deny');
check('npm exec -c tsc', 'ask');
check('npm exec -p y -- rm x', 'deny');
check('npm --silent exec tsc', 'ask');
check('npm --silent exec rm x', 'deny');
check('npm exec $x rm y', 'deny');
check('npm exec', 'ask');
check('npm run exec-all', 'allow');
check('yarn exec ./tool', 'allow');
check('poetry run pytest', 'allow');
check('docker run alpine ls', 'ask');
check('docker run alpine rm x', 'deny');
check('docker ps -a', 'allow');

/** The launcher starts exactly `inner`: both must be allowed, and a deny of either counts. */
function starts(command: string, inner: string) {
  test(`${command} starts ${inner}`, async () => {
    const launcher = /^\S+/.exec(command)?.[0];
    const outer = `bash ${launcher} * allow`;
    const decisions: string[] = [];
    for (const rule of ['bash zz allow', `bash ${inner} allow`, `bash ${inner} deny`]) {
      decisions.push((await evaluateBash(command, [outer, rule])).decision);
    }
    assert.deepEqual(decisions, ['ask', 'allow', 'deny']);
  });
}

// Options are skipped as the program does it, so that an allow meets the right word.
starts('sudo -n ls', 'ls');
starts('sudo -nu root ls -l', 'ls -l');
starts('sudo -uroot ls', 'ls');
starts('sudo -- ls', 'ls');
starts('nice ls', 'ls');
starts('nice -5 ls', 'ls');
starts('nice -n5 ls', 'ls');
starts('nice -n 5 ls', 'ls');
starts('nice --adjustment 5 ls', 'ls');
starts('nice --adjustment=5 ls', 'ls');
starts('timeout 5 ls', 'ls');
starts('timeout --preserve-status 5 ls', 'ls');
starts('timeout --signal KILL 5 ls', 'ls');
starts('timeout -k5 -s KILL 5 ls', 'ls');
starts('timeout -vk 5 5 ls', 'ls');
starts('timeout --foreground --kill-after=5 5 ls', 'ls');
starts('stdbuf -oL -e0 ls', 'ls');
starts('arch -arm64 ls', 'ls');
starts('arch -x86_64 -e CI=1 ls', 'ls');
starts('setsid -fw ls', 'ls');
starts('env CI=1 TZ=UTC ls', 'ls');
starts('env -i CI=1 ls', 'ls');
starts('env ls -S src', 'ls -S src');
starts('command ls', 'ls');
starts('flock -w 5 lock ls', 'ls');
starts('npx tsc -p .', 'tsc -p .');
starts('npx -y tsc', 'tsc');
starts("npx -c 'tsc -p .'", 'tsc -p .');
starts("npx -c'tsc -p .'", 'tsc -p .');
starts("npx --call 'tsc -p .'", 'tsc -p .');
starts("npx --call='tsc --x=y'", 'tsc --x=y');
starts("su -c 'ls -l' root", 'ls -l');
starts("su root -c 'ls -l'", 'ls -l');
starts("su root --command='ls -l'", 'ls -l');
starts("script -qec 'ls -l' out", 'ls -l');
starts("script out -c 'ls -l'", 'ls -l');
starts("flock lock -c 'ls -l'", 'ls -l');
starts("watch 'ls -l'", 'ls -l');
starts('watch -n 1 ls -l', 'ls -l');
starts('ssh -4p22 host ls -l', 'ls -l');
starts('hyperfine -w 3 ls', 'ls');
starts('/lib64/ld-linux-x86-64.so.2 /bin/ls', '/bin/ls');
starts('npm exec -- tsc -p .', 'tsc -p .');

// What the options do not tell is asked, and a deny is looked for behind them.
check('nice --nonsense ls', 'ask');
check('nice --nonsense=5 ls', 'ask');
check('nice -x5 rm x', 'deny');
check('setsid --fork=1 ls', 'ask');
check('timeout --preserve-status=x 5 rm y', 'deny');
check('sudo $x rm y', 'deny');
check('sudo -n $x rm y', 'deny');
check('watch $x rm y', 'deny');
check('watch ls $x rm y', 'deny');
check('hyperfine ls "$x" rm', 'deny');
check('hyperfine ls "rm $x"', 'deny');
check('npx -c', 'ask');
check('npx --call', 'ask');
check('su root', 'ask');
check('su', 'ask');
check('script out', 'ask');
check('gdb --args rm x', 'deny');
check('gdb ./a', 'ask');
check('gdb ./a rm', 'deny');
check('nohup', 'allow');
check('ssh host', 'allow');
check('hyperfine ls pwd', 'allow');
check('hyperfine ls rm', 'deny');

// Options that go on where the command is looked for: `setarch x86_64 -R echo hi` and `env - echo hi` say hi.
check('ssh host -p 22 rm x', 'deny');
check('ssh host -- rm x', 'deny');
check("ssh host -t 'rm x'", 'deny');
check('ssh host -p 22 ls', 'ask');
check('setarch x86_64 -R rm x', 'deny');
check('pipx run --spec p rm', 'deny');
check('env - CI=1 rm x', 'deny');
check('env - ls', 'ask');
check('corepack yarn exec rm x', 'deny');
starts('wsl -u me -e ls -l', 'ls -l');
starts('wsl --exec ls -l', 'ls -l');

// Assignments before the command, which may change what it does.
check('env PATH=x ls', 'ask');
check('env PATH=x CI=1 ls', 'ask');
check('env CI=1 rm x', 'deny');
check('sudo CI=1 A=b rm x', 'deny');
// `env -S nice rm x` starts `nice rm x`: what follows is added to the text.
check("env -S 'ls -l'", 'ask');
check('env -S nice rm x', 'deny');
check('env -Snice rm x', 'deny');

// `flock lock echo -c ls` and `runuser -u me -- echo -c ls` start echo: the option is its own.
check('flock lock rm x -c ls', 'deny');
check('flock lock ls -c pwd', 'ask');
check('npx rm x -c ls', 'deny');
check('npx ls -c pwd', 'ask');
check('runuser -u me -- rm -c ls', 'deny');
check('script -- rm -c ls', 'deny');
check('script -- out -c ls', 'ask');
check('su root rm -c ls', 'deny');
check("su --nonsense root -c 'ls'", 'ask');
check("su --nonsense -c 'rm x'", 'deny');
check('su root -c', 'ask');
// A login starts in the user's own folder.
check("su - -c 'cat f'", 'ask');
check("su -l root -c 'cat f'", 'ask');
check("su - root -c 'rm x'", 'deny');
check("runuser -l root -c 'rm x'", 'deny');
check('su root -c "$x" rm', 'deny');

// `parallel echo a ::: b` runs `echo a b`, and `parallel {} ::: 'echo b'` runs `echo b`.
check('parallel ls', 'ask');
check("parallel {} ::: 'rm x'", 'deny');
check('parallel nice ::: rm', 'deny');
check("parallel ::: 'rm x'", 'deny');
check("parallel 'rm {}' ::: a", 'deny');
check('parallel ls ::: a', 'ask');
check('xargs ls', 'ask');

// Elsewhere a relative path is not ours: where it leads is not known.
check('nice cat f', 'deny', 'fs.read f deny');
check("sh -c 'cat f'", 'deny', 'fs.read f deny');
check('npm exec cat f', 'deny', 'fs.read f deny');
check('ssh host cat f', 'ask', 'fs.read f deny');
check('chroot /x cat f', 'ask', 'fs.read f deny');
check("su -c 'cat f' root", 'deny', 'fs.read f deny');

// A program whose name only begins like those of git is one of its own.
check('git-secrets --scan', 'allow', 'bash git secrets * deny');
check('git-push origin', 'deny', 'bash git push * deny');
