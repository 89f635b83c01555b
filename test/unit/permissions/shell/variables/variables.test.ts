import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, evaluateBash, policyOf, rulesOf } from '../../ask.ts';

/** Checks the decisions of the shipped rules, with further rules as lines. */
function check(
  title: string,
  expected: 'allow' | 'ask' | 'deny',
  lines: readonly string[],
  ...rules: readonly string[]
): void {
  test(`${title}: ${expected}`, async () => {
    const policy = policyOf([...DEFAULT_RULES, ...rulesOf(...rules)]);
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision, reason } = await evaluate(bashCall(line), policy);
      if (decision !== expected) wrong.push(`${line} is ${decision}: ${reason}`);
    }
    assert.deepEqual(wrong, []);
  });
}

check('what the shell knows about itself is printed', 'allow', [
  'echo $?',
  'echo "$#" $$ "$!"',
  'echo "$PWD" "$HOME" $PWD',
  `echo "\${PWD##*/}" "\${HOME%/*}" "\${#PWD}" "\${PWD^^}" "\${PWD//a/b}"`,
  'printf "%s\\n" "$HOME" $UID',
  'basename "$PWD"',
  'dirname -- "$PWD"',
  '[ -n "$PWD" ]',
  'test "$HOME" = /root',
  ': "$PWD"',
  'false; exit $?',
]);

check('names of environments, languages and programs are printed and compared', 'allow', [
  'echo $NODE_ENV "$CI" $LANG $EDITOR',
  'printf "%s\\n" "$LC_ALL" "$XDG_CONFIG_HOME"',
  '[ -n "$CI" ] && echo ci || echo local',
  '[ "$NODE_ENV" = production ] && echo yes',
  `echo "\${NODE_ENV:-development}" \${CI:-not ci} \${CI:+in ci} "\${LANG-none}"`,
  `[ "\${CI:-0}" = 1 ] && echo yes`,
  `[[ \${CI:-x} == x ]] && echo yes`,
  `e=\${NODE_ENV:-dev}; echo "$e"`,
]);

check('they name no file, no program and no number', 'ask', [
  'cat $CI',
  'cat "$XDG_CONFIG_HOME/x"',
  `cat \${CI:-a.md}`,
  `\${EDITOR:-vi} a.md`,
  '$PAGER a.md',
  'echo $((CI + 1))',
  `echo $((\${CI:-0} + 1))`,
  '[[ $CI -eq 1 ]] && echo yes',
  `[[ \${UID:-x} -eq 1 ]] && echo yes`,
  `echo "\${PWD:CI}"`,
  `[ \${UID:-a -v b} ]`,
  `[ \${CI:-a -v b} ]`,
  `exit \${CI:-1}`,
]);

check('other operations on them ask', 'ask', [
  `echo \${CI:=x}`,
  `echo \${CI:?x}`,
  `echo \${CI:-*}`,
  `echo \${CI:-~root}`,
  `echo \${CI:-$TOKEN}`,
  `echo "\${TOKEN:-x}" "\${TOKEN:+x}"`,
  "CI='*'; echo $CI",
  'read CI < a.md; echo $CI',
]);

check('an unknown variable may hold a secret', 'ask', [
  'echo $AWS_SECRET_ACCESS_KEY',
  'echo "$x"',
  `echo "\${x:-none}"`,
  `echo "\${#TOKEN}"`,
  `echo "\${PWD:-$TOKEN}"`,
  `echo "\${PWD//a/$TOKEN}"`,
  `echo "\${!PWD}"`,
  'echo "$1" "$@"',
  'echo "$PWD $TOKEN"',
  'printf %s "$TOKEN"',
  'basename "$TOKEN"',
  '[ "$TOKEN" = a ]',
  'cat <<< "$TOKEN"',
  'cat <<E\n$TOKEN\nE',
  `cat <<E\n\${TOKEN:-x}\nE`,
  'x=$TOKEN; echo "$x"',
  'x="a$TOKEN"; echo "$x"',
  'for x in $TOKEN; do echo "$x"; done',
  'for LANG in $TOKEN; do :; done; echo "$LANG"',
  'x=a; sh -c \'echo "$x"\'',
  'x=a | true; echo "$x"',
  '(x=a); echo "$x"',
  'x=a & echo "$x"',
  'false && x=a; echo "$x"',
  'if false; then x=a; fi; echo "$x"',
  'case a in b) x=a;; esac; echo "$x"',
  'case a in b) x=a;; a) echo "$x";; esac',
  'while false; do x=a; done; echo "$x"',
  'for x in $(cat list); do :; done; echo "$x"',
  'x=a cat <<< "$x"',
  'read -r x < missing; echo "$x"',
  'timeout 1 read -r x; echo "$x"',
]);

check('what the shell prints as it runs may hold a secret', 'ask', [
  'set -x; [[ -n $TOKEN ]]',
  'set -ex; for i in $TOKEN; do ls; done',
  'set -o xtrace; case $TOKEN in a) ls;; esac',
]);
check('without a trace nothing is printed', 'allow', ['[[ -n $TOKEN ]] && echo set']);

check('the folder that pwd prints is what the reader gets', 'allow', [
  'x=$(pwd); ls "$x"',
  'f=a; f=$(pwd); ls $f',
]);

check('output of commands on the line is printed', 'allow', [
  'echo "$(pwd)"',
  'echo $(pwd) $(date) $(git rev-parse --short HEAD)',
  'echo "on $(git branch --show-current)"',
  'echo "`git status -s | wc -l` files"',
  'printf "%s\\n" "$(git log -1)"',
  'basename "$(git rev-parse --show-toplevel)"',
  'x=$(git status -s); echo "$x"',
  'x="a $(pwd)"; y="$x b"; echo "$y"',
  '[ -z "$(git status -s)" ] && echo clean',
  '[ "$(git ls-files | wc -l)" -gt 3 ]',
  'cat <<< "$(git status -s)"',
  'git log --format=%h | while read -r h; do echo "commit $h"; done',
  'while IFS= read -r line; do echo "> $line"; done < README.md',
  'while IFS=: read -r a b; do printf "%s\\n" "$b"; done < README.md',
]);

check('only what the rules allow is run for it', 'ask', [
  'echo "$(npm test)"',
  'echo $(cat ~/.ssh/id_rsa)',
  'echo "$(cat .env)"',
  'x=$(curl https://example.com); echo "$x"',
  'echo "$(echo $(rm a))"',
]);

check('patterns in output would become file names', 'ask', [
  'echo $(cat notes.md)',
  'x=$(cat notes.md); echo $x',
  "x='/home/*'; echo $x",
  'while read -r x; do echo $x; done < README.md',
  'for x in $(git ls-files); do echo $x; done',
  'echo $(date +*)',
]);

check('output is not used otherwise', 'ask', [
  'cat "$(git ls-files | head -1)"',
  'x=$(cat list); ls "$x"',
  'while read -r x; do cat "$x"; done < list',
  'while read -r x; do wc -l "$x"; done < list',
  'git show "$(cat ref)"',
  'printf "$(cat format)" PATH',
  'x=$(cat format); printf "$x" PATH',
  'printf %s%n "$PWD" PATH',
  'echo "$PWD" > "$PWD/x"',
  'cd "$HOME" && cat "$PWD"',
  '"$SHELL" -c id',
]);

check('a value must not become an operator of a test', 'ask', [
  '[ $(cat op) x ]',
  '[ "$(cat op)" x ]',
  '[ x "$(cat op)" y ]',
  '[ "$(cat op)" = x -a -n y ]',
  '[ -v "$(cat name)" ]',
  'test -R "$(cat name)"',
  '[ ! "$(cat op)" x ]',
  '[[ -v $(cat name) ]]',
  '[[ "$(cat x)" -eq 1 ]]',
]);

check('a literal of the line is what the reader gets', 'allow', [
  'f=src/a.ts; wc -l "$f"',
  'f=src/a.ts; wc -l $f',
  `f=src/a.ts; wc -l "\${f}"`,
  `f=src/a.ts; cat "\${f%.ts}.js" "\${f##*/}"`,
  'd=src; f=$d/a.ts; cat "$f"',
  'files="src/a.ts src/b.ts"; wc -l $files',
  'n=5; head -n $n README.md; head -$n README.md',
  'p=\'a b\'; grep -n "$p" README.md',
  'f=README.md; wc -l < "$f"',
  'for f in src/a.ts src/b.ts; do echo "== $f"; wc -l $f; done',
  'for d in src test; do (cd $d && ls); done',
  'for d in src test; do find "$d" -name "*.ts"; done',
  'for i in {1..3}; do sed -n "${i}p" README.md; done',
  'for i in $(seq 2 4); do head -$i README.md; done',
  'for x in {a,b}; do cat src/$x.ts; done',
  'if true; then f=a; else f=b; fi; cat $f',
]);

check('each value that it may have is evaluated', 'ask', [
  'f=.env; cat "$f"',
  'f=.env; cat < "$f"',
  'f=a; f=.env; cat $f',
  'for f in a .env; do cat $f; done',
  'if true; then f=a; else f=.env; fi; cat $f',
  'f=a; [ -e b ] && f=.env; cat $f',
  'f=a; for i in 1 2; do cat $f; f=.env; done',
  'f=a; while true; do cat $f; f=.env; done',
  'f=a; while true; do f=.env; break; f=a; done; cat $f',
  'f="a .env"; cat $f',
  'd=/etc; ls "$d"',
  `f=.env.example; cat "\${f%.example}"`,
  'f=-o; sort $f a b',
  'o="-i s/a/b/"; sed $o README.md',
  'o=-delete; find . $o',
  'for o in -print -delete; do find . $o; done',
  'f=~/.netrc; cat $f',
  'f=a; f=$(cat list); cat $f',
  'f=a; read -r f <<< .env; cat $f',
  'f=a; ((f++)); cat $f',
  'c=ls; $c',
  'for c in ls rm; do $c x; done',
]);

check(
  'a deny holds for a value',
  'deny',
  ['f=secret.txt; cat "$f"', 'for f in a secret.txt; do cat $f; done', 'n=secret; cat $n.txt'],
  'fs.read **/secret.txt deny',
);
check(
  'a deny of a command holds for a value',
  'deny',
  ['b=main; git log $b'],
  'bash git log main deny',
);

check('integers count', 'allow', [
  'i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done',
  'i=0; while [[ $i -lt 3 ]]; do echo "$i"; ((i++)); done',
  'for ((i=0;i<3;i++)); do echo $i; done',
  'for i in 1 2 3; do echo $((i * 2)); done',
]);
check('arithmetic evaluates what is no integer', 'ask', [
  'i=$(cat x); echo $((i+1))',
  "i='a[$(id)]'; echo $((i+1))",
  "i=0; i='a[$(id)]'; echo $((i))",
  "for i in 1 'a[$(id)]'; do echo $((i)); done",
  "i=0; while true; do echo $((i)); i='a[$(id)]'; done",
  'i=0; while true; do echo $((i)); i=$(cat x); done',
  'i=0; while true; do echo $((i)); read -r i; done',
  // The counter is increased after the body, where it may hold anything.
  'for ((v=0;v<2;v++)); do read -r v <<< "a[\\$(id)]"; done',
  'i=0; [[ $j -eq $i ]]',
  "COLUMNS='a[$(id)]'; echo $((COLUMNS))",
  "export COLUMNS='a[$(id)]'; echo $((COLUMNS))",
  "for COLUMNS in 'a[$(id)]'; do :; done; echo $((COLUMNS))",
  'for ((i=j;i<3;i++)); do ls; done',
]);

test('another shell and a guess have no variables of the line', async () => {
  const { decision } = await evaluateBash('f=a; bash -c "cat \\$f"', ['bash * allow']);
  assert.equal(decision, 'ask');
});

test('a line of many combinations is decided in time', async () => {
  const values = Array.from({ length: 60 }, (_, at) => `f${at}`).join(' ');
  const line = `for a in ${values}; do for b in ${values}; do ${'wc -l $a $b; '.repeat(2000)} done; done`;
  const started = process.cpuUsage();
  assert.notEqual((await evaluateBash(line, ['bash * allow'])).decision, 'allow');
  const { user, system } = process.cpuUsage(started);
  assert.ok(user + system < 2_000_000, `${user + system} µs`);
});

check('output without patterns may be split and printed', 'allow', [
  'x=$(git rev-parse HEAD); echo $x',
  'n=$(wc -l < f); echo $n lines',
  'n=$(grep -ci x f); echo $n',
  'x=$(git branch --show-current); if [ "$x" = main ]; then echo $x; fi',
]);
check('other output may be expanded, and none is a file or a number', 'ask', [
  'x=$(ls); echo $x',
  'n=$(grep -rc x src); echo $n',
  'n=$(grep -c x -r src); echo $n',
  "x=$(date +'*'); echo $x",
  'x=$(pwd); x=$(ls); echo $x',
  'x=$(git rev-parse HEAD); cat $x',
  'x=$(git rev-parse HEAD); echo $((x))',
]);

check('a variable that the line sets to what it does not show is no inherited one', 'ask', [
  'for CI in $TOKEN; do echo $CI; done',
  'for NODE_ENV in "$TOKEN"; do echo "$NODE_ENV"; done',
  'for CI in a "$TOKEN"; do [ "$CI" = x ] && echo yes; done',
  'for CI in $TOKEN; do :; done; echo "$CI"',
  'if ls; then for CI in "$TOKEN"; do :; done; fi; echo "$CI"',
  'ls && for CI in "$TOKEN"; do :; done; echo "$CI"',
  'for CI in .e*; do echo "$CI"; done',
  'for CI; do echo "$CI"; done',
  'for CI in $TOKEN; do :; done; echo ${CI:-no}',
  `for CI in "$TOKEN"; do echo "\${#CI}"; done`,
  `bash -c 'for CI in "$TOKEN"; do echo "$CI"; done'`,
  "ls && CI='*'; echo $CI",
  "for CI in '*' b; do :; done; echo $CI",
  'while ls; do echo "$CI"; for CI in "$TOKEN"; do :; done; done',
  'for NODE_ENV in "$TOKEN"; do printenv NODE_ENV; done',
  `for CI in "$TOKEN"; do bash -c 'echo "$CI"'; done`,
]);

check('a variable that the line sets to its own texts', 'allow', [
  'for CI in a b; do echo $CI; done; echo $CI',
  'if ls; then CI=a; fi; echo $CI',
  'LANG=C sort a.md; echo ok',
]);
