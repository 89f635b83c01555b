import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** Decides lines when everything is allowed but for `curl`, which is denied. */
function check(title: string, lines: readonly string[], expected: 'allow' | 'stopped') {
  test(title, async () => {
    const found: string[] = [];
    for (const line of lines) {
      const { decision } = await evaluateBash(line, ['bash * allow', 'bash curl* deny']);
      if ((decision === 'allow' ? 'allow' : 'stopped') !== expected) found.push(line);
    }
    assert.deepEqual(found, []);
  });
}

check(
  'an abbreviated or another name of a subcommand starts a command, too',
  [
    'ip vrf exec x curl http://x',
    'ip v e x curl http://x',
    'ip net ex x curl http://x',
    'ip -n y netns exec x curl http://x',
    'composer ex curl http://x',
    'composer global exe curl http://x',
    'opam exe curl http://x',
    'bundle e curl http://x',
    'bundle ex curl http://x',
    'tmux new-w curl http://x',
    'tmux run-s "curl http://x"',
    'heroku run:detached curl http://x',
    'heroku local:run curl http://x',
    'pixi r curl http://x',
    'rye r curl http://x',
    'bun exec "curl http://x"',
    'brew ruby -e "system 1"',
    'git bisect view curl',
    'git bisect visualize gitk-x',
  ],
  'stopped',
);

check(
  'other subcommands of these programs start nothing',
  [
    'ip addr',
    'ip link show',
    'ip route show table all',
    'ip netns list',
    'composer install',
    'opam install x',
    'bundle install',
    'bundle exec rake',
    'tmux ls',
    'tmux kill-session -t x',
    'heroku ps',
    'pixi install',
    'bun install',
    'brew install x',
    'git bisect view',
    'git bisect view --stat',
    'gh repo clone x',
    'gh repo clone x -- --depth 1',
  ],
  'allow',
);

check(
  'git gets the options behind `--`, and a format of tmux may run a command',
  [
    'gh repo clone x -- -u "curl http://x"',
    'gh repo clone x -- --config core.sshCommand=x',
    'gh repo fork --clone -- -ucurl',
    'tmux display -p "#(curl http://x)"',
    'tmux ls -F "#(date)"',
    'tmux rename-window "a #(date) b"',
  ],
  'stopped',
);

check(
  'a program with another name takes the same options',
  [
    'gvim -c "!curl http://x"',
    'rvim -c "!curl http://x"',
    'gvimdiff -c x a b',
    'emacs-nox --eval "(x)"',
    'emacsclient -e "(x)"',
    'ipython -c "!curl http://x"',
    'ld.gold -plugin x',
    'aarch64-linux-gnu-gcc -wrapper x a.c',
    'x86_64-w64-mingw32-g++-12 -fplugin=x a.c',
    'arm-none-eabi-ld -plugin x',
    'riscv64-linux-gnu-objdump --plugin x a.o',
  ],
  'stopped',
);

check(
  'a compiler loads code and starts programs by many options',
  [
    'gcc "-fmodule-mapper=|curl http://x" a.c',
    'g++ -fmodule-mapper="|x" a.cc',
    'gcc -iplugindir=x a.c',
    'gcc -fuse-ld=./x a.c',
    'clang --ld-path=./x a.c',
    'clang --config=x a.c',
    'clang -fpass-plugin=./x.so a.c',
    'gcc -Wl,--plugin,x a.c',
    'gcc -Wl,-plugin=x a.c',
    'gcc -Wl,--as-needed,-Map=x a.c',
    'gcc -Wl,-o,x a.c',
    'gcc -Wa,-o,x -c a.c',
    'gcc -Wp,-MD,x -c a.c',
    'gcc -T x a.c',
    'gcc -Tx a.c',
    'ar --plugin x t y.a',
    'size --plugin=x a.o',
  ],
  'stopped',
);

check(
  'ordinary options of a compiler pass',
  [
    'gcc -O2 -Wall -Wextra -c a.c',
    'gcc a.c -Wl,-rpath,/usr/lib -lm',
    'gcc a.c -Wl,--as-needed,-O1,-z,relro,-z,now',
    'gcc a.c -Wl,--gc-sections',
    'ar rcs libx.a x.o',
  ],
  'allow',
);

check(
  'long lists of options for the linker are evaluated in time',
  [
    `gcc -Wl,${'-rpath,'.repeat(5000)}! a.c`,
    `gcc -Wl,${'-rpath,/a,'.repeat(5000)}-o,x a.c`,
    `gcc -Wl,${'$ORIGIN,'.repeat(5000)}-Map=x a.c`,
  ],
  'stopped',
);
