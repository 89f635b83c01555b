import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { parseOptions } from '../../../../../src/permissions/shell/programs/options.ts';
import { PROGRAMS } from '../../../../../src/permissions/shell/programs/tables/programTable.ts';
import { check, spelled } from '../../checks.ts';

// These options take no word: it is an operand, and a file that the program reads.
for (const command of [
  'grep --color x .env',
  'grep --colour . .env',
  'zgrep --color x .env',
  // Optional in the grep of macOS.
  'grep --context x .env',
  'diff --color .env src/f',
  'ls --color .env',
  // Only in other systems do these take a word.
  'ls -lT .env',
  'ls -w .env',
  'ls -I .env',
  'fd -g x .env',
  'fdfind -g x .env',
  'df --output .env',
  'stat -f .env',
  'ag -A x .env',
  'ack -C x .env',
  'shellcheck -C .env',
  'shellcheck --color .env',
])
  check('fs.read **/.env deny', command, 'deny');
check('fs.read **/.env deny', 'openssl dgst -sha256 .env', 'deny');
// Errors of what it holds are printed, with its text.
for (const command of [
  ...['hexdump -f.env src/f', 'hexdump -vf.env src/f', 'yq -f.env src/f'],
  ...['apropos -C.env x', 'whatis -C .env x', 'apropos --config-file=.env x', 'ss -F .env'],
])
  check('fs.read **/.env deny', command, 'deny');
// It writes what it gets of the kernel.
for (const command of ['ss -D .env', 'ss -D.env', 'ss --diag=.env'])
  check('fs.write **/.env deny', command, 'deny');
check('fs.write **/.env deny', 'ss -D .vscode/settings.json', 'ask');
// The same program by another name has the same options.
for (const command of [
  ...['nawk -d.env 1 src/f', 'nawk --pretty-print=.env 1 src/f', 'nawk -o.env 1 src/f'],
  ...['journalctl --cursor-file=.env', 'journalctl --cursor-f .env', 'pg_dump -f.env db'],
  ...['sdiff -o .env src/f src/g', 'pg_dump --file=.env db'],
])
  check('fs.write **/.env deny', command, 'deny');
for (const command of ['fdfind --ignore-file .env x', 'journalctl --cursor-file=.env'])
  check('fs.read **/.env deny', command, 'deny');
for (const [program = '', ...words] of [
  ...[
    ['npm', "explore a 'rm -rf src'"],
    ['npm', "--silent explor a -- 'ls; rm x'"],
  ],
  ...[
    ['nawk', '--source=\'BEGIN{system("x")}\''],
    ['nawk', '-l ./x.so 1'],
  ],
  ...[
    ['diff3', '--diff-program=./x.sh a b c'],
    ['sdiff', '--diff-prog=./x.sh a b'],
  ],
  ...[
    ['dpkg', '--status-logger=./x.sh --configure -a'],
    ['openssl', 'engine /tmp/x.so'],
  ],
  ...[
    ['c99', '-wrapper touch,P a.c'],
    ['editor', "-c '!x' a"],
    ['nvi', "-c '!x' a"],
    ['pager', '-O x a'],
  ],
])
  check(`bash ${program} * allow`, [program, ...words].join(' '), 'ask');
for (const command of ['grep --color=auto .env src/f', 'ag -A 3 x src/f', 'fd -e ts .env'])
  check('fs.read **/.env deny', command, 'allow');

// A file in the word of an option is one that git reads, as in the next word.
for (const verb of [
  ...['diff', 'log -p', 'show', 'whatchanged', 'diff-tree HEAD', 'diff-index HEAD', 'diff-files'],
  'stash show -p',
])
  for (const option of ['-O.env', '-O .env'])
    check('fs.read **/.env deny', `git ${verb} ${option}`, 'deny');
for (const command of [
  'git format-patch HEAD~1 -O.env',
  'git reflog -O.env',
  'git range-diff a b -O.env',
])
  check('fs.read **/.env deny', command, 'ask');
for (const command of [
  'git tag -F.env x',
  'git tag -aF.env x',
  'git notes add -fF.env',
  'git merge -nF.env x',
  'git log -pO.env',
  'git blame -S.env src/f',
  'git blame -wS.env src/f',
  'git annotate -S.env src/f',
  'git blame --contents=.env src/f',
  'git blame --conten=.env src/f',
  'git blame --ignore-revs-file=.env src/f',
  'git ls-files -X.env -io',
  'git ls-files -ioX.env',
  'git ls-files --exclude-from=.env -io',
  'git grep -f.env',
  'git grep -inf.env',
  'git grep --fil=.env',
  'git commit -F.env',
  'git commit -aF.env',
  'git commit -qaF.env',
  'git commit -t.env',
  'git commit -at.env',
  'journalctl -D.env',
  'tree --gitfile=.env',
  'tree --gitfile .env',
  'tree --infofile=.env',
])
  check('fs.read **/.env deny', command, 'deny');
for (const command of ['git log -pS.env', 'git log -G.env', 'git diff -U3', 'git grep -inF x src'])
  check('fs.read **/.env deny', `${command} -- src/f`, 'allow');

// Their options may come from a file.
for (const program of [
  'tsc',
  'npx tsc',
  'ar rcs x.a',
  'as',
  'java',
  'jar',
  'ghc',
  'pytest',
  '7z l',
])
  spelled('*', `${program} @at.txt`, 'ask');
spelled('ar *', 'ar t -- @at.txt', 'ask');
spelled('tsc *', 'tsc @at.txt', 'ask');
spelled('tsc @at.txt', 'tsc @at.txt', 'allow');
spelled('tsc *', 'tsc -p . ./@at.txt', 'allow');
spelled('npm *', 'npm ls @types/node', 'allow');

// `date` sets the clock to its operand.
spelled('date *', 'date -I 010112002030', 'ask');
spelled('date *', 'date --iso-8601 010112002030', 'ask');
spelled('date *', 'date -Iseconds', 'allow');
spelled('date *', 'date -uIs', 'allow');
spelled('make *', 'make -j SHELL=/tmp/x', 'ask');
spelled('make *', 'make -l CC=/tmp/x', 'ask');
spelled('make *', 'make --jobs CC=/tmp/x', 'ask');
spelled('make *', 'make -j 4 all', 'allow');
spelled('make *', 'make -j4 all', 'allow');

// `tree` reads the letters behind one that takes the next word.
spelled('tree *', 'tree -Lo 2 out', 'ask');
spelled('tree *', "tree -aPo '*' out", 'ask');
spelled('tree *', 'tree -I out -o out', 'ask');
spelled('tree *', 'tree -aL 2 src', 'allow');
spelled('tree *', 'tree -L 2 -I node_modules', 'allow');
check('fs.read **/.env deny', 'tree -LP 2 x .env', 'deny');
// `xxd` only reads the first letter of a word, and writes its second operand.
spelled('xxd *', 'xxd -bl src/f out', 'ask');
spelled('xxd *', 'xxd -ac src/f out', 'ask');
spelled('xxd *', 'xxd -l 16 src/f out', 'ask');
spelled('xxd *', 'xxd -len 16 src/f', 'allow');
spelled('xxd *', 'xxd -l16 -g1 src/f', 'allow');
spelled('xxd *', 'xxd -s 4 -c 8 src/f', 'allow');

// The awk of macOS ignores such options, and runs the next word.
spelled('awk *', `awk --field-separator 'BEGIN{system("id")}' 1 f`, 'ask');
spelled('awk *', `awk --assign 'BEGIN{system("id")}' 1 f`, 'ask');
spelled('awk *', `awk --field-separator : '{print $1}' f`, 'allow');
// The `ps` of macOS prints environments then.
spelled('ps *', 'ps axE', 'ask');
spelled('ps *', 'ps -CE', 'ask');
spelled('ps *', 'ps aux', 'allow');
// No user is called `x`, so `ps` reads these without their dash.
spelled('ps *', 'ps -aux', 'allow');
spelled('ps *', 'ps -auxe', 'ask');
spelled('ps -auxe *', 'ps -auxe', 'allow');

// The module gets every option behind its name.
spelled('python3 -I -m json.tool *', 'python3 -I -m json.tool src/f -m out', 'ask');
spelled('python3 -I -m json.tool *', 'python3 -I -m json.tool --indent 2 src/f', 'allow');

/** Programs that describe their options alike. */
const DESCRIBED =
  `grep egrep fgrep diff ls date df du sort uniq head tail wc cut paste fold nl od base64 cmp comm join
  stat md5sum cksum tac tr cp mv ln install touch mkdir chmod split sed gawk make xargs find jq tar gzip xz
  realpath readlink truncate shred rm`.split(/\s+/);

for (const name of DESCRIBED) {
  const program = PROGRAMS[name];
  if (program === undefined) continue;
  test(`the row of ${name} lets no option take a word that ${name} itself describes as optional`, () => {
    const { stdout } = spawnSync(name, ['--help'], { encoding: 'utf8' });
    const optional = [...(stdout ?? '').matchAll(/(--?[a-zA-Z][\w-]*)\[=?[A-Z]/g)].flatMap(
      ([, option = '']) => option,
    );
    const taking = optional.filter((option) => {
      const words = [name, option, 'x'].map((value) => ({ value, literal: true }));
      return !parseOptions(program, words, 1).operands.includes(2);
    });
    assert.deepEqual(taking, []);
  });
}

// Where a program takes code or configuration from, or writes, is spelled out by the rule, inside or outside
// the workspace.
for (const command of [
  'cargo build --target-dir ../x',
  'cargo build --target-dir=sub',
  'cargo build --artifact-dir ../x',
  'cargo install --root ../x y',
  'docker compose -f ../x/compose.yml up',
  'docker compose -f compose.dev.yml up',
  'docker compose --file=../x/compose.yml up',
  'docker compose -p y -f ../x/compose.yml up',
  'docker --debug compose --profile y --project-directory ../x up',
  'docker compose --env-file ../x up',
  'docker-compose -f ../x/compose.yml up',
  'make -C ../x',
  'npm --prefix ../x run build',
  'go -C ../x build',
  'git -C ../x status',
  'pip install --target ../x y',
  'tsc --outDir ../x',
  'pytest --basetemp ../x',
  'pytest -c ../x/pytest.ini',
  'pytest --rootdir ../x',
]) {
  const [program = ''] = command.split(' ');
  spelled(`${program} *`, command, 'ask');
  spelled(command, command, 'allow');
}
for (const command of [
  'cargo build --release',
  'docker compose up -d',
  'docker compose -p y up',
  'docker compose logs -f web',
  'docker logs -f web',
  'docker-compose logs -f',
])
  spelled(`${command.split(' ')[0]} *`, command, 'allow');
