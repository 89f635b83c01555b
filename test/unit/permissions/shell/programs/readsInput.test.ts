import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateBash } from '../../ask.ts';

/** A line that gives a program commands, and the pattern that names the program. */
const LINES = [
  ["echo '!rm x' | ed", 'ed'],
  ["printf 'r a\\n!rm x\\n' | ed -s", 'ed *'],
  ["echo '!rm x' | dc", 'dc'],
  ["echo '!rm x' | dc -e 1", 'dc -e 1'],
  ["echo 'syscmd(rm x)' | m4", 'm4'],
  ["echo '.shell rm x' | sqlite3", 'sqlite3'],
  ["echo '.shell rm x' | sqlite3 a.db", 'sqlite3 *'],
  ["echo '\\! rm x' | psql a", 'psql *'],
  ["echo '\\! rm x' | mysql a", 'mysql *'],
  ["echo 'shell rm x' | gdb", 'gdb'],
  ["echo 'shell rm x' | gdb a.out", 'gdb *'],
  ['echo \'system "rm x"\' | gnuplot', 'gnuplot'],
  ['echo \'system("rm x")\' | R --no-save', 'R *'],
  ["echo ':!rm x' | vim a", 'vim *'],
  ["echo '!rm x' | sftp host", 'sftp host'],
  ['echo \'(system "rm x")\' | guile', 'guile'],
  ["echo '* * * * * rm x' | crontab -", 'crontab -'],
] as const;

test('a wildcard does not cover a program that runs the commands of its input', async () => {
  for (const [line, pattern] of LINES) {
    const under = async (...rules: readonly string[]) =>
      (await evaluateBash(line, ['bash * allow', ...rules])).decision;
    assert.equal(await under('bash rm deny'), 'ask', line);
    assert.equal(await under(), 'ask', line);
    const named = await under(`bash ${pattern} allow`, 'net.fetch * allow');
    assert.equal(named, 'allow', line);
  }
});

test('a script that an operand names is the user’s own', async () => {
  for (const line of ['guile x.scm', 'racket x.rkt', 'bc -l'])
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'allow', line);
});

const INPUTS = [
  ...['python3 -u', 'python3 -B -u -', 'python3 -W ignore', 'python3 -Xutf8', 'python3 /dev/stdin'],
  ...['python3 //dev/./stdin', 'python3 -u /dev/fd/0', 'python3 /proc/self/fd/0', 'python3 --'],
  ...['python3.11 -IS', 'perl -w', 'perl -T -', 'perl --', 'perl -0777', 'perl -i.bak', 'ruby -w'],
  ...[
    'ruby -W0',
    'ruby --disable=gems',
    'ruby -v -',
    'node --no-warnings',
    'node --trace-warnings -',
  ],
  ...['node --input-type=module', 'node --input-type module', 'node /dev/stdin', 'nodejs -C x'],
  ...['tsx', 'tsx -', 'ts-node', 'php -q', 'php -n', 'php -d x=y', 'php -f /dev/stdin', 'lua -W'],
  ...['lua -l x -', 'Rscript --vanilla -', 'julia -q', 'julia -t 4', 'bun run -', 'deno run -'],
  ...[
    'guile -s /dev/stdin',
    'groovy -',
    'swift -',
    'coffee --stdin',
    'tcc -run -',
    'go run /dev/stdin',
  ],
  ...['node inspect a.js', 'mongosh db', 'gp -q', 'env python3 -u', 'timeout 5 perl -w'],
];
const SCRIPTS = [
  ...['python3 -u a.py', 'python3 -W ignore a.py', 'python3 -OO a.py -', 'python3 a.py /dev/stdin'],
  ...['python3 --version', 'python3 -V', 'perl -w a.pl', 'perl -v', 'ruby -w a.rb', 'ruby -v'],
  ...['node --no-warnings a.js', 'node --input-type module a.js', 'node --version'],
  ...[
    'node --help',
    'php a.php',
    'php -v',
    'php -i',
    'lua a.lua',
    'lua -v',
    'julia a.jl',
    'bun run a',
  ],
  ...[
    'Rscript --vanilla a.R',
    'tsx a.ts',
    'go build',
    'swift build',
    'deno --version',
    'bun --version',
  ],
];

test('a wildcard does not cover an interpreter that runs its input', async () => {
  for (const command of INPUTS) {
    for (const line of [`${command} <<< x`, `echo x | ${command}`, command])
      assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'ask', line);
  }
  for (const line of SCRIPTS)
    assert.equal((await evaluateBash(line, ['bash * allow'])).decision, 'allow', line);
});

test('options that name a program, and packages from elsewhere, must be written in the rule', async () => {
  const rules = ['npm', 'yarn', 'pip', 'kubectl', 'kustomize', 'docker'].map(
    (program) => `bash ${program} * allow`,
  );
  for (const line of [
    ...['npm --onload-script=./x.js i', 'kubectl kustomize --helm-command=./x .'],
    ...['kubectl apply -k . --enable-helm', 'kustomize build --enable-exec .'],
    ...['docker build --build-context x=.. .'],
    ...['npm i user/repo', 'npm install -D github:user/repo#main', 'yarn add user/repo'],
    ...[
      'pip install http://x/y.whl',
      'pip install "y @ https://x/y.whl"',
      'pip install git+ssh://x/y',
    ],
    'pip install --proxy=http://evil x',
  ])
    assert.equal((await evaluateBash(line, rules)).decision, 'ask', line);
  for (const line of [
    ...['npm i lodash', 'npm i @scope/x', 'npm i ./x', 'npm test src/a', 'yarn add x@1'],
    ...['pip install x', 'kubectl kustomize .', 'docker build .'],
  ])
    assert.equal((await evaluateBash(line, rules)).decision, 'allow', line);
});
