import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** A script may do what a wildcard covers, or must be spelled out (C8). */
function check(command: string, expected: string) {
  test(`bash * makes ${JSON.stringify(command)} ${expected}`, async () => {
    const { decision, reason } = await evaluateBash(command, ['bash * allow']);
    assert.equal(decision, expected, reason);
  });
}

for (const script of [
  '10q',
  '$!d',
  '1~2p',
  '2,+3p',
  '/a/,/b/p',
  '/a/I,$p',
  '2,/a\\/b/p',
  '5 q 3',
  'Q',
  '/x/{p;d}',
  '{p;d}',
  '{ n\np }',
  'h;G;x;D;P;N;H;g;l;=',
  's/a/b/2gp',
  's/a\\/b/c\\/d/',
  's/a/b\\\nc/',
  's,/a,/b,;s|x|y|I',
  's#a#b#;p',
  's-a-b-',
  's.a.b.',
  's/[a-z]*[^]x][[:space:]]$/[/g',
  's/[^,]*,[\\t]/x/',
  '/[[:digit:]_]/d',
])
  check(`sed '${script}' f`, 'allow');

for (const script of [
  '1e id',
  'p;e',
  'p\ne id',
  'px',
  's/a/b/x',
  's/a/b/ge',
  's/a/b/w f',
  's/a/b',
  's/a\n/b/',
  's/a/b\n/',
  's/a\\/b/',
  'r f',
  '{p;e}',
  '{',
  '1{',
  'q5e',
  'sxaxbx',
  's\\a\\b\\',
  's^a^b^',
  // GNU sed 4.9 takes the slash in brackets for a character, older ones for the end; each of
  // these runs a command with one of the two.
  's/[/]/p;/e;s,/,2p;1,2p',
  's/#[^/]/p;/e;s,/,2p;1,2p',
  's/[]/]/p;/e;s,/,2p;1,2p',
  's/[^]/]/p;/e;s,/,2p;1,2p',
  's/[[:alpha:]/]/p;/e;s,/,2p;1,2p',
  's/[[.a.]/]/p;/e;s,/,2p;1,2p',
  's/[\\]/]/p;/e;s,/,2p;1,2p',
  's/[a\\/]/p;/e;s,/,2p;1,2p',
  '1,/[/]/p',
])
  check(`sed '${script}' f`, 'ask');

for (const program of [
  '{print $1 "|" $2}',
  '{print $1 " -> " $2}',
  '/a/ {print "x > y"}',
  '/a\\"b/ {print "x > y"}',
  '/[^"]/ {print}',
  '/"name"/ {print $2}',
  '{print $1/1024 " <MB>"}',
  '{print "/usr/" $1 "/bin"}',
  '/a/ {print "/usr"}',
  '# "\n{print ">"}',
  '$1 >= 2 || $2 == "a|b"',
  '{print $1 / $2 / $3 "a"}',
  '/[[:space:]]a/ {print "@"}',
])
  check(`awk '${program}' f`, 'allow');

for (const program of [
  '{print > "f"}',
  '{print "a" | "sh"}',
  'BEGIN {"id" | getline x; print x}',
  'BEGIN {system("id")}',
  '{print "a\\"" | "sh"}',
  '@include "x"',
  // The quote is a regular expression: every awk runs `sh` here.
  '/"/{print|"sh"}',
  '/a"b/{print|"sh"}',
  '/[/]"/{print|"sh"}',
  '1/1 && /"/{print|"sh"}',
  '/"/{print "a" | "sh"}',
  '/"\\"/{print|"sh"}',
  '{print "a"}\n/"/{print|"sh"}',
  // Files that are no operand.
  'BEGIN {ARGV[1] = ".env"; ARGC = 2} {print}',
  'BEGIN {SYMTAB["ARG" "V"][1] = ".env"} {print}',
  'BEGIN {extension("x.so")}',
])
  check(`awk '${program}' f`, 'ask');

/** Where the script stands: an option's script makes files of the operands. */
for (const command of [
  'sed -e p f',
  'sed -ne p -e d f',
  'sed --expression=p f',
  'sed --expression p f',
  'sed --expr=p f',
  'sed -n p -- f',
  'sed -- p f',
  "awk -F: '{print}' f",
  "awk -v a=b '{print}' f",
  "awk '{print}' -",
  "awk '{print}' a=b f",
  'sed -e p "1e id"',
])
  check(command, 'allow');
for (const command of [
  "sed -e '1e id' f",
  "sed -e'1e id' f",
  "sed -ne '1e id' f",
  "sed -e p -e '1e id' f",
  "sed --expression='1e id' f",
  "sed --expression '1e id' f",
  // GNU sed takes the option behind the operands, and any beginning of its name.
  "sed p --expression '1e id'",
  "sed p -e '1e id'",
  "sed --e='1e id' p",
  "sed --exp='1e id' p",
  "sed -- '1e id'",
  'sed -- -e p',
  'sed -e',
  'sed -f x p',
  'sed --file=x p',
  'sed -e p -f x',
  // Without a value to BSD sed, so that the next word is the script.
  "sed -l '1w x' f",
  'sed -I .bak p f',
  'awk -f x p',
  "awk -e 'p' f",
  'awk -W exec=x f',
  'sed "$x" f',
  'awk "$x" f',
])
  check(command, 'ask');

// Comments hide braces, and the statements of a `for` are in parentheses.
for (const program of [
  'BEGIN{ # }\nprint "x" > "f" # {\n}',
  'BEGIN{ # (\nprint "x" > "f" # )\n}',
  'BEGIN{for(;i<1;print "x" > "f"){i=1}}',
  'BEGIN{for(printf "x" > "f";i<1;){i=1}}',
  'BEGIN{for((i);(i<1);print("x") > "f"){i=1}}',
])
  check(`awk '${program}'`, 'ask');

for (const program of ['{if (sprintf("%d", $1) > 3) print}', '$1 > 3 {print # 3\n}'])
  check(`awk '${program}' f`, program.includes('#') ? 'ask' : 'allow');

// In newer versions of jq a comment goes on behind a backslash at its end.
for (const filter of ['$#\\\nx\nENV', '$ #\\\nx\nENV.PATH', '$\n#x\nENV', '$ENV'])
  check(`jq -n '${filter}'`, 'ask');

// A colon doesn't make a key of what starts a slice: each of these prints the environment.
for (const program of [
  'path(.[env:])',
  'path(.[env :1])',
  'path(.["{"|0,env:])',
  '{a: path(.[0,env:])}',
  '[{a: 1}, path(.[1,env:])]',
  '"\\(path(.[env:]))"',
  '{"a\\"": path(.[env:])}',
  'path(.[{a: 1},env:])',
])
  check(`jq -nc '${program}'`, 'ask');
for (const program of [
  '{env: .a}',
  '.items[] | {name: .metadata.name, env: .spec.env}',
  '{a: .b[1:2], env: .c}',
  'map({"k v": .k, system: .s, load: (.x | length)})',
  '.[1:] | .env',
])
  check(`jq '${program}' f`, 'allow');

// The yq written in Go knows several names of what reads a file, and ends a word where it knows one.
for (const expression of [
  ...[
    'load("x")',
    'loadstr("x")',
    'str_load("x")',
    'load_xml("x")',
    'xmlload("x")',
    'xml_load("x")',
  ],
  ...[
    'loadprops("x")',
    'loadbase64("x")',
    '.a orload("x")',
    '.a == "b"orload("x")',
    '."a"orload("x")',
  ],
  ...[
    '..orload("x")',
    '1.5orload("x")',
    '.[]orstrenv(X)',
    'eval .a',
    'eval# c\n(.a)',
    '.a|system("x")',
  ],
  // A quote in a key begins no string.
  ...[
    '.x" orload("f") | ."',
    '." orload("f") | ."',
    '.a +"b "orload(" f")',
    '.a!"b or " "orload(" 5',
  ],
]) {
  check(`yq '${expression}' f.yml`, 'ask');
  check(`yq eval '${expression}' f.yml`, 'ask');
}
// A file that ends so holds an expression.
check('yq a.yq f.yml', 'ask');
check('yq . f.yml a.yq', 'ask');
check('yq eval f.yml a.yq', 'ask');
check('yq . f.yml g.json', 'allow');
check('yq --expression \'load("x")\' f.yml', 'ask');
check('yq --expression=\'load("x")\' f.yml', 'ask');
for (const expression of [
  ...['.payload', '.a.environment[0]', '.my-payload', '.a == "payload"', 'select(has("load"))'],
  ...['."load"', '.a // "env" | . == "system"'],
]) {
  check(`yq '${expression}' f.yml`, 'allow');
  check(`yq eval-all '${expression}' payload.yml env.yaml`, 'allow');
}
