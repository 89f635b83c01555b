import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

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

/** Each line reads `secret.txt` among the files that its values name. */
const NAMED = [
  'f=secret.txt; cat $f',
  'f=secret; cat "$f.txt"',
  `f=secret; cat "\${f}.txt"`,
  "f='secret'; cat $f.'txt'",
  "f=$'secret.txt'; cat $f",
  'f="sec"; g="${f}ret"; cat "$g.txt"',
  'f=secret.txt.bak; cat "${f%.bak}"',
  'f=secret.txt.a.b; cat "${f%%.a*}"',
  'f=a.b.secret.txt; cat "${f#*.*.}"',
  'f=x/y/secret.txt; cat "${f##*/}"',
  'f=secret.txt/x; cat "${f%/*}"',
  'f=secret.txt; cat "${f%.none}"',
  'f=secret.txt; cat "${f#}"',
  'f="a.md secret.txt"; cat $f',
  'f=" secret.txt"; cat a.md$f',
  'f="a.md "; cat ${f}secret.txt',
  "f='a.md\tsecret.txt'; cat $f",
  "f='a.md\nsecret.txt'; cat $f",
  'e=; cat $e secret.txt',
  'e=; cat ${e}secret.txt$e',
  'if [ -e a ]; then f=a.md; elif [ -e b ]; then f=secret.txt; else f=c.md; fi; cat $f',
  'if [ -e a ]; then f=a.md; elif [ -e b ]; then f=b.md; else f=secret.txt; fi; cat $f',
  'if [ -e a ]; then f=secret.txt; elif [ -e b ]; then f=b.md; else f=c.md; fi; cat $f',
  'f=secret.txt; if [ -e a ]; then f=a.md; fi; cat $f',
  'f=secret.txt; [ -e a ] && f=a.md; cat $f',
  'f=secret.txt; [ -e a ] || f=a.md; cat $f',
  'for f in {a.md,secret.txt}; do cat $f; done',
  'for n in {1..3}; do cat secret$n.txt; done',
  'for n in $(seq 2 3); do cat secret$n.txt; done',
  'for a in sec x; do for b in ret y; do cat $a$b.txt; done; done',
  'f=a.md; while [ -e x ]; do cat $f; f=secret.txt; done',
  'f=secret.txt; grep -n x "$f"',
  'f=secret.txt; head -n 2 < $f',
  'f=secret.txt; timeout 5 cat $f',
  'FILE=secret.txt; cat "$FILE"',
  // The first assignment is made before the second is expanded.
  'f=a.md; f=secret.txt g=$(cat $f); echo "$g"',
  'f=a.md; f=secret.txt g="x`cat $f`"; echo "$g"',
  'f=a.md; g=secret; f=$g.txt h=$(head -1 < $f)',
  'f=a.md; f=secret.txt CI=$(cat $f) ls',
];
check('a deny holds for each text of a value', 'deny', NAMED, 'fs.read **/secret*.txt deny');

check(
  'other texts are not denied',
  'allow',
  [
    'f=secret.txt; cat "${f%.txt}.md"',
    'f=secret.txt.md; cat "${f#*.}"',
    'f=x.secret.txt; cat "${f%%.*}"',
    'f=secret.txt/b.md; cat "${f##*/}"',
    'for n in {4..6}; do cat a$n.md; done',
    'for n in $(seq 3); do cat a$n.md; done',
    'e=; cat $e a.md',
    'f=secret.txt; f=a.md; cat $f',
    'f=secret.txt; echo "$f"',
    'if [ -e a ]; then f=secret.txt; f=b.md; else f=a.md; fi; cat $f',
  ],
  'fs.read **/secret*.txt deny',
);

check('a value that bash reads in another way is not followed', 'ask', [
  'f="*.md"; cat $f',
  'f="a?.md"; cat $f',
  'f="[a].md"; cat $f',
  "f='a\\b'; cat $f",
  'f=~; ls $f/.ssh',
  'f=x:~/y; ls $f',
  'f=(a.md b.md); cat $f',
  'f[0]=a.md; cat $f',
  'f=a; f+=.md; cat $f',
  'f=a.md; cat ${f:0:2}',
  'f=a.md; cat ${f/a/b}',
  'f=a.md; cat ${f:-b.md}',
  'f=a.md; cat ${f^^}',
  'f=a.md; cat ${!f}',
  'f=a.md; cat ${f[0]}',
  'f=a.md; cat ${f@P}',
  'f=a.md; cat "${f%[.]md}"',
  'f=a.md; cat "${f%?}"',
  'f=a.md; cat "${f%$g}"',
  'f=a.md; unset f; cat $f',
  'f=a.md; export f=b.md; cat $f.x',
  'f=a.md; declare f=b.md; cat $f',
  'f=a.md; printf -v f .env; cat $f',
  'f=a.md; mapfile f < b.md; cat $f',
  'f=a.md; IFS=.; cat $f',
  'PATH=a.md; cat $PATH',
  'http_proxy=a.md; cat $http_proxy',
  'npm_config_x=a.md; cat $npm_config_x',
  'f=a.md; (f=b.md; cat $f); cat $g',
  'for f in a.md ~/b; do cat $f; done',
  'for f in a.md "$x"; do cat $f; done',
  'for f in a.md {b,~}; do cat $f; done',
  'for f in {1..70}; do cat $f; done',
  'for f in {01..03}; do cat $f; done',
  'for f in {3..1}; do cat $f; done',
  'for f in {a..c}; do cat $f; done',
  'for f in $(seq 1 2 9); do cat $f; done',
  'for f in $(seq 100); do cat $f; done',
  'for f in; do cat $f; done; cat $f',
  'for f; do cat $f; done',
  'select f in a.md; do cat $f; done',
  'f=a.md; for g in 1 2; do cat $f; select f in b c; do :; done; done',
  'f=a.md; for g in 1 2; do cat $f; f+=x; done',
  'f=a.md; for g in 1 2; do cat $f; f=~/x; done',
  'f=a.md; for g in 1 2; do cat $f; exec {f}> b.md; done',
  'f=a.md; for g in 1 2; do cat $f; getopts a f; done',
]);

check('integers stay integers, whatever their number is', 'allow', [
  'for n in {1..500}; do echo $n; done',
  'for n in $(seq 500); do echo $((n + 1)); done',
  'for n in {01..03}; do echo $n; done',
  'n=0; n=$((n + 1)); echo $n $((n * 2))',
  'n=5; echo $((n)) $(( n << 1 ))',
  'n=-5; echo $((n))',
  'n=0; ((n += 2)); echo $((n))',
  'for ((n = 10; n > 0; n--)); do echo $n; done',
  'echo $((RANDOM + SECONDS)) $UID $$',
  'echo ${#PWD} "${#HOME}"',
]);
check('what may hold no integer is not evaluated as one', 'ask', [
  'n=08; echo $((n))',
  'n=1x; echo $((n))',
  'n=; echo $((n))',
  'n=a; echo $((n))',
  'n=5; n+=x; echo $((n))',
  'for n in 1 a; do echo $((n)); done',
  'n=1; [ -e x ] && n=a; echo $((n))',
  'n=1; if [ -e x ]; then n=$y; fi; echo $((n))',
  'for ((n=x; n<3; n++)); do echo $n; done',
  'for ((PS4=1; PS4<3; PS4++)); do ls; done',
  'echo $((PWD))',
]);

check('output that is plain either way may be split', 'allow', [
  'x=$(nproc); [ -e a ] && x=$((1 + 1)); echo $x',
  'x=$(nproc); [ -e a ] && x=b.c; echo $x',
  'x=$((1 + 1)); [ -e a ] && x=b.c; echo $x',
]);
check('output that holds a pattern either way may not', 'ask', [
  'x=$(nproc); [ -e a ] && x=$(ls); echo $x',
  'x=$(ls); [ -e a ] && x=$(nproc); echo $x',
  'x=$((1 + 1)); [ -e a ] && x=$(ls); echo $x',
  'x=$(nproc); [ -e a ] && x="*"; echo $x',
  'x=$(nproc); [ -e a ] && x=-n; echo $x',
]);

check('read sets variables of the line, and only those', 'allow', [
  'while read -r; do echo "$REPLY"; done < a.md',
  'while read -r a b; do echo "$a" "$b"; done < a.md',
  'while read -r -d x a; do echo "$a"; done < a.md',
  'while read -rd "" a; do echo "$a"; done < a.md',
  'while read -r -n 1 a; do echo "$a"; done < a.md',
  'while IFS= read -r FILE; do echo "$FILE"; done < a.md',
]);
check('read sets something else, or reads escapes', 'ask', [
  'while read a; do echo "$a"; done < a.md',
  'while read -r PATH; do echo x; done < a.md',
  'while read -r a PS4; do echo x; done < a.md',
  'while read -r "$a"; do echo x; done < a.md',
  'while read -r -a a; do echo x; done < a.md',
  'while read -r -u 3 a; do echo x; done < a.md',
  'while read -r -n x a; do echo x; done < a.md',
  'while read -r -d; do echo x; done < a.md',
  "while read -r 'a[$(id)]'; do echo x; done < a.md",
  'while IFS=$x read -r a; do echo "$a"; done < a.md',
  'while IFS+=x read -r a; do echo "$a"; done < a.md',
  'while LANG= read -r a; do echo "$a"; done < a.md',
]);

check('a test compares and does not run what it compares', 'allow', [
  '[ "$PWD" ]',
  '[ -d "$PWD" ]',
  '[ ! -d "$PWD" ]',
  '[ "$PWD" = "$HOME" ]',
  '[ "$PWD" != / ]',
  'test ! "$PWD" = /',
  'test -z "$PWD"',
  '[ $UID -eq 0 ]',
  '[ ! $# -gt 2 ]',
]);
check('a value may be an operator or several words', 'ask', [
  '[ $HOME ]',
  '[ $HOME = / ]',
  '[ -v "$PWD" ]',
  '[ "$PWD" "$HOME" ]',
  '[ "$PWD" "$HOME" / ]',
  '[ -n "$PWD" -a -n "$HOME" ]',
  '[ "$PWD" = / "$HOME" ]',
  'test "$HOME" -o x',
]);

check('a reader gets pipes as operands', 'allow', [
  'diff <(ls) <(ls src)',
  'diff -u <(ls) <(ls src)',
  'cat <(ls)',
  'comm -12 <(ls) <(ls src)',
  'grep -f <(ls) a.md',
  'sort -u <(ls)',
  'wc -l <(ls)',
]);
check('a pipe as a value, or to another program', 'ask', [
  'sort -T <(ls) a.md',
  'sort -o <(ls) a.md',
  'head -n <(ls) a.md',
  'node <(ls)',
  'bash <(ls)',
  'cat x<(ls)',
  'tee >(cat)',
  'cat "$x" <(ls)',
]);

const LOOPS = plantWorkspace([
  'src/a.ts',
  'src/b.ts',
  'odd/a b.ts',
  'locked/x.ts',
  'x.ts',
  '-n/x',
  'sub/x/y',
]);
symlinkSync('/etc/hostname', path.join(LOOPS, 'sub/out'));

/** What the shipped rules, one deny and one allow say of loops over globs. */
for (const [expected, lines] of [
  [
    'allow',
    [
      'for f in src/*.ts; do wc -l "$f"; done',
      'for f in src/*.ts; do wc -l $f; done',
      'for f in src/*.ts x.ts; do echo "== $f"; head -5 "$f"; done',
      'for f in src/*.{ts,js}; do grep -n TODO "$f"; done',
      'for f in *.ts; do wc -l "$f"; done',
      'for f in odd/*; do sed -n 1p "$f"; done',
      'for f in src/*; do [ -f "$f" ] && wc -l "$f"; done',
      'for f in src/*; do echo "${f%.ts}: $(wc -l < "$f")"; done',
      'for f in src/*; do n=$(wc -l < "$f"); echo "$f $n"; done',
      'for f in src/*; do while read -r l; do echo "$l"; done < "$f"; done',
      'for f in src/*; do for g in $f; do cat "$g"; done; done',
      'for f in src/*; do basename "$f" .ts; done',
      'for d in s*/; do ls "$d"; done',
      'd=src; for f in "$d"/*.ts; do wc -l "$f"; done',
    ],
  ],
  [
    'ask',
    [
      'for f in *; do wc -l "$f"; done',
      'for f in odd/*; do wc -l $f; done',
      'for f in sub/*; do wc -l "$f"; done',
      'for f in sub/*; do echo "$f"; done',
      'for f in sub/*; do echo "${f##*/}"; done',
      'for f in sub/*; do wc -l < "$f"; done',
      'for f in /etc/host*; do cat "$f"; done',
      'for f in src/*; do "$f"; done',
      'for f in src/*; do sh "$f"; done',
      'for f in src/*; do sort -o "$f" x; done',
      'for f in src/*; do uniq x "$f"; done',
      'for f in src/*; do cat x > "$f"; done',
      'for f in src/*; do cat "$f.bak"; done',
      'for f in src/*; do cat "../$f"; done',
      'for f in src/*; do cd "$f"; done',
      'for f in src/*; do printf "$f"; done',
      'for f in src/*; do awk "$f" x; done',
      'for f in src/*; do head -n "$f" x; done',
      'for f in src/*; do test -v "$f"; done',
      'for f in src/*; do [[ $f -eq 1 ]]; done',
      'for f in src/*; do echo $((f)); done',
      'for f in src/*; do wc -l "$f"; cp -r odd src/z; done',
      'for f in src/*; do wc -l < "$f"; cp -r odd src/z; done',
      'cp -r odd src/z; for f in src/*; do echo "${f%.ts}"; done',
      'for f in src/*; do :; done; cat "$f"',
      'for f in src/*; do g=$f; cat "$g"; done',
      'shopt -s nullglob; for f in src/*; do cat "$f"; done',
    ],
  ],
  [
    'deny',
    [
      'for f in locked/*; do wc -l "$f"; done',
      'for f in src/*.ts locked/*; do wc -l "$f"; done',
      'for f in locked/*; do echo "${f##*/}"; done',
      'for f in locked/*; do :; done',
      'for f in src/*; do f=locked/x.ts; cat "$f"; done',
    ],
  ],
] as const)
  test(`loops over globs are decided by what the globs match: ${expected}`, async () => {
    const rules = [...DEFAULT_RULES, ...rulesOf('fs.read locked deny', 'bash cp -r * allow')];
    const folders = { workspace: [LOOPS], adHoc: [], cwd: LOOPS };
    const policy = policyOf([...rules, ...rulesOf('fs.write src allow')], { folders });
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision, reason } = await evaluate(bashCall(line), policy);
      if (decision !== expected) wrong.push(`${line} is ${decision}: ${reason}`);
    }
    assert.deepEqual(wrong, []);
  });

check('a value in which the parser sees no list in braces is not taken for an empty one', 'ask', [
  'v={},x}/../../secret.txt; cat "$v"',
  'v={}a,x}; cat "$v"',
  'v={}a,x}; cat $v',
  'v={}a,x}; w=$v; cat "$w"',
  'v={}a,x}; for f in "$v"; do cat "$f"; done',
  'if [ -e a ]; then v=a.md; else v={}a,x}; fi; cat "$v"',
]);
