import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_RULES } from '../../../../../src/permissions/defaults/defaults.ts';
import { bashCall, evaluate, plantWorkspace, policyOf, rulesOf } from '../../ask.ts';

const WORKSPACE = plantWorkspace(['src/a.ts', 'src/b.md', 'src/sub/c.ts', 'list', 'a.txt']);

/** Checks the decisions of the shipped rules, with further rules as lines. */
function check(
  title: string,
  expected: 'allow' | 'ask' | 'deny',
  lines: readonly string[],
  ...rules: readonly string[]
): void {
  test(`${title}: ${expected}`, async () => {
    const folders = { workspace: [WORKSPACE], adHoc: [], cwd: WORKSPACE };
    const policy = policyOf([...DEFAULT_RULES, ...rulesOf(...rules)], { folders });
    const wrong: string[] = [];
    for (const line of lines) {
      const { decision, reason } = await evaluate(bashCall(line), policy);
      if (decision !== expected) wrong.push(`${line} is ${decision}: ${reason}`);
    }
    assert.deepEqual(wrong, []);
  });
}

check('a reader behind find or xargs has its pattern or script already', 'allow', [
  'find src -exec grep -n x {} +',
  'find src -exec egrep x {} +',
  'find src -exec fgrep x {} +',
  'find src -exec sed -n 1,5p {} +',
  'find src -exec sed -n -e 1p {} +',
  'find src -exec sort -u {} +',
  'find src -exec du -k {} +',
  'find src -exec sha256sum {} +',
  'find src -exec cut -f1 {} +',
  'find src -exec wc -lc {} +',
  'find src -exec cat -- {} +',
  'find src -print0 | xargs -0 -n 2 cat',
  'find src -print0 | xargs -r0 cat --',
  'find src -print0 | xargs -0 -I{} cat {}',
  'find src -print0 | xargs --null --max-args=5 cat',
  'find src | xargs -n1 -P2 wc -l',
  'find src | xargs -I% wc -l %',
  'rg -l x src | xargs -I {} wc -l {}',
  'rg --files src | xargs wc -l',
  'rg -l0 x src | xargs -0 cat',
  'grep -rlZ x src | xargs -0 cat',
  'grep -rl --null x src | xargs -0 head -n 2',
  'rg -l -e x src | xargs wc -l',
  'git ls-files -z | xargs -0 wc -l',
]);

check('a name would be the pattern, the script, a value, or a list of names', 'ask', [
  'find src -exec grep {} +',
  'find src -exec egrep {} +',
  'find src -exec fgrep {} +',
  'find src -exec grep -n {} +',
  'find src -exec egrep -e {} +',
  'find src -exec fgrep x -f {} +',
  'find src -exec grep -- {} +',
  'find src -exec sed -n {} +',
  'find src -exec sed -n -e {} +',
  'find src -exec sed -f {} +',
  'find src -exec wc --files0-from={} +',
  'find src -exec wc -l --files0-from=list {} +',
  'find src -exec du --files0-from=list {} +',
  'find src -exec sort -u -o a.txt {} +',
  'find src -exec sort -T src {} +',
  'find src -exec sha256sum -c {} +',
  'find src -exec md5sum --check {} +',
  'find src -print0 | xargs -0 -a list cat',
  'find src -print0 | xargs -0 -I{} cat {} {}',
  'find src -print0 | xargs -0 -I{} cat x{}',
  'find src -print0 | xargs -0 rm',
  'find src | xargs -0 rm',
  'find src -print0 | xargs -0 -p sh',
]);

check('names from elsewhere are not known', 'ask', [
  'cat list | xargs cat',
  'cat list | xargs wc -l',
  'x=1 find src | xargs wc -l',
  'find src > a.txt | xargs wc -l',
  'find src <list | xargs -0 cat',
  '(find src) | xargs cat',
  'find src | sed s/a/b/ | xargs wc -l',
  'find src | tr a b | xargs wc -l',
  'find src | cut -c2- | xargs wc -l',
  'find src | grep -o x | xargs wc -l',
  'find src | grep -f list | xargs wc -l',
  'find src | grep x list | xargs wc -l',
  'find src | sort -o a.txt | xargs wc -l',
  'find src | sort list | xargs wc -l',
  'find src | head -n 5 list | xargs wc -l',
  'find src | head -c 5 | xargs wc -l',
  'find src -printf "%p" | xargs wc -l',
  'find src -fls a.txt | xargs wc -l',
  'find src -o -name x | xargs wc -l',
  'rg x src | xargs wc -l',
  'rg -lc x src | xargs wc -l',
  'rg -l -r y x src | xargs wc -l',
  'rg -l --json x src | xargs wc -l',
  'rg -l --color always x src | xargs wc -l',
  'grep -r x src | xargs wc -l',
  'grep -rlc x src | xargs wc -l',
  'grep -rl --cou x src | xargs wc -l',
  'grep -rl --col=always x src | xargs wc -l',
  'rg -l --count-matches x src | xargs wc -l',
  'git diff | xargs wc -l',
  'git ls-files --stage | xargs wc -l',
  'git ls-files -o | xargs wc -l',
  'git log --name-only | xargs wc -l',
]);

check(
  'a label is no name of a file that was searched',
  'ask',
  [
    'echo x | grep -lZ --label=/etc/passwd x - | xargs -0 cat',
    'echo x | grep -lZ --label /etc/passwd x a.txt - | xargs -0 head',
    'echo x | grep -lZ --lab=/etc/passwd x | xargs -0 cat',
    'echo x | grep -LZ --la /etc/passwd y - | xargs -0 cat',
  ],
  ...['bash grep * allow', 'bash cat * allow', 'bash head * allow'],
);

check('a filter that leaves names out keeps them known', 'allow', [
  'find src | sort -u | xargs wc -l',
  'find src | sort -rV | xargs wc -l',
  'find src | head | xargs wc -l',
  'find src | head -5 | xargs wc -l',
  'find src | tail -n 5 | xargs wc -l',
  'find src | grep -v test | xargs wc -l',
  'find src | grep -vE "test|gen" | xargs wc -l',
  'find src 2>/dev/null | grep ts | xargs wc -l',
]);

const DENIED = [
  'find src -name "*.md" -exec cat {} +',
  'find src -not -name "*.ts" -exec cat {} +',
  'find src ! -name "*.ts" -exec cat {} +',
  'find src -exec cat {} +',
  'find . -type f -print0 | xargs -0 cat',
  'grep -rl x . | xargs wc -l',
  'rg -l x | xargs wc -l',
  'rg --files | xargs wc -l',
  'rg --files src | xargs wc -l',
  'rg -e x -l src | xargs wc -l',
  'git ls-files | xargs wc -l',
  "git ls-files '*.md' | xargs wc -l",
  "git diff --name-only -- '*.md' | xargs wc -l",
  "git diff --name-only '*.ts' | xargs wc -l",
];
check('what is denied is among the names', 'deny', DENIED, 'fs.read src/b.md deny');
check(
  'what is denied is not among the names',
  'allow',
  [
    'find src -name "*.ts" -exec cat {} +',
    'find src/sub -exec cat {} +',
    'rg --files src/sub | xargs wc -l',
    'rg -l src src/sub | xargs wc -l',
    "git ls-files '*.ts' | xargs wc -l",
    'find src | xargs basename',
    'find src -exec dirname {} +',
  ],
  'fs.read src/b.md deny',
);

// What `xargs` reads is only printed.
check('echo prints whatever it gets', 'allow', [
  'ls | xargs echo',
  'ls | xargs -n1 echo file:',
  'ls | xargs -I{} echo {} x',
  'ls | xargs -n1 basename',
  'ls | xargs -I{} basename {} .md',
  'ls | xargs dirname',
]);
check('another program may start, or other words follow', 'ask', [
  'ls | xargs -I e echo x',
  'ls | xargs -Iecho echo x',
  'ls | xargs -I b basename b',
  'ls | xargs -Iname dirname x',
  "ls | xargs -I '' echo x",
  'ls | xargs /bin/echo',
  'ls | xargs echo "$TOKEN"',
  'ls | xargs --unknown echo',
]);

check('a printed glob is decided as if its matches were read', 'allow', [
  'echo *.txt',
  'echo src/*',
  "printf '%s\\n' src/*.ts",
  'basename src/*.ts',
  'dirname src/sub/*',
]);
check('a glob may be the format, or list another folder', 'ask', [
  'printf *',
  'echo /etc/*',
  'cd / && echo *',
]);
check('a denied name is not printed', 'deny', ['echo *', 'echo list*'], 'fs.read list deny');

check('`$PWD` is the folder that the command runs in', 'allow', [
  'ls $PWD',
  'ls "$PWD/src"',
  'cat ${PWD}/a.txt',
  'cd src && cat "$PWD"/a.ts',
  'git -C "$PWD" status',
  'for f in a.ts b.md; do cat "$PWD/src/$f"; done',
]);
check('`$PWD` may be another folder', 'ask', [
  'cd / && cat $PWD/etc/passwd',
  'cd src; cat $PWD/a.ts',
  'cd src || cd sub; ls $PWD',
  'PWD=/etc; ls $PWD',
  'PWD=/etc ls $PWD',
  'export PWD=/etc; ls $PWD',
  'read PWD; ls $PWD',
  'for PWD in src; do ls $PWD; done',
]);
check(
  'a deny holds below `$PWD`',
  'deny',
  ['cat $PWD/a.txt', 'cd src && cat $PWD/../a.txt'],
  'fs.read a.txt deny',
);
check('a line has variables with names of one upper-case letter', 'allow', [
  'F=a.txt; cat $F',
  'D=src; wc -l "$D"/*.ts',
]);
