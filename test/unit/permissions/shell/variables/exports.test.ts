import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

function check(line: string, expected: string) {
  test(`${JSON.stringify(line)} is ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(line, ['bash * allow']);
    assert.equal(decision, expected, reason);
  });
}

// Only the line itself reads the variable.
for (const line of [
  'export X=1; echo $X',
  'export x=1 && echo "$x"',
  'export FOO=a BAR=b; printf "%s %s" "$FOO" "$BAR"',
  'export CI=1 x=2; [ -n "$x" ] && echo yes',
  'X=1; echo $X',
  'export x=1; cd .; pwd; echo "$x"',
  '(export x=1; echo $x)',
  'export CI=1; npm test',
  // None of these programs reads such a variable.
  'export x=1; echo $x | cat',
  'export FOO=bar && git log',
  'FOO=bar git log',
  'x=1 git show HEAD',
  'git status; export FOO=bar',
  'export FOO=bar; git ls-files | xargs wc -l',
  'export foo=bar; for i in 1 2; do ls; done; rg x src | head -3',
  'x=1 cat a | y=2 wc -l',
])
  check(line, 'allow');

// A program may read it, or it changes what the shell does.
for (const line of [
  'export x=1; make',
  'export x=1; sh -c "echo y"',
  'export x=1; echo $x | make',
  'export x=1; cat a | sh',
  'export x=1; git ls-files | xargs make',
  'export x=1; timeout 3 make',
  'export x=1; find . -exec make {} +',
  'export x=1; git commit -m y',
  'export x=1; git lg',
  'export x=1; git -c alias.log=!make log',
  'export x=1; ./cat a',
  'export x=1; "$y" a',
  'export GIT_DIR=x; git log',
  'export GIT_PAGER=x; git log',
  'export PAGER=x; git log',
  'export LESSOPEN=x; cat a',
  'export EDITOR=x; git log',
  'export VISUAL=x; git log',
  'export HOME=x; git log',
  'export XDG_CONFIG_HOME=x; git log',
  'export NODE_OPTIONS=x; node a',
  'export RIPGREP_CONFIG_PATH=x; rg y',
  'export TMPDIR=x; sort y',
  'export LD_LIBRARY_PATH=x; ls',
  'export no_proxy=x; git log',
  'GIT_DIR=x git log',
  'GIT_EXTERNAL_DIFF=x git diff',
  'PAGER=x git log',
  'LD_PRELOAD=x cat a',
  'LESS=x cat a',
  'x=$y git log',
  'x=1 make',
  'x=1 :',
  "sh -c 'x=a; x=/etc/shadow :; cat $x'",
  "sh -c 'x=a; x=/etc/shadow export y=1; cat $x'",
  'x=1 timeout 3 make',
  'x=1 find . -exec make {} +',
  'x=1 git log; make',
  'export x=1; rg --pre cat y',
  'x=1 git commit',
  'x=1 xargs make',
  'x=1 PATH=. git log',
  'x=1 sh -c "git log"',
  'make; export x=1',
  'for i in 1 2; do make; export x=1; done',
  'export x=1; echo "$(make)"',
  'f() { make; }; export x=1; f',
  'export x=1; eval make',
  'export x=1; . ./a',
  'export PATH=x; echo y',
  'export LD_PRELOAD=x; echo y',
  'export IFS=x; echo $y',
  'export BASH_ENV=x; echo y',
  'export PS4=x; echo y',
  'export npm_config_x=1; echo y',
  'export http_proxy=x; echo y',
  'export x; echo $x',
  'export -n x=1; echo $x',
  'export -f x; echo y',
  'export x=$(make); echo $x',
  'export x="$y"; echo $x',
  'export Z=1; echo $Z',
])
  check(line, 'ask');
