import type { CommandRow } from '../../../src/permissions/defaults/defaultCommands.ts';
import { makeGitOperands } from './git.ts';
import { makeOption } from './options.ts';
import { makeWord, pick, type Random } from './words.ts';

/** Rows of builtins and of programs that read no file of the folder. */
const LEFT_OUT =
  /^(?:cd|pwd|set|exit|return|break|continue|wait|sleep|time|timeout|xargs|bash|sh|export|read|date|cal|uname|whoami|id|groups|hostname|uptime|nproc|free|lscpu|lsblk|arch|sw_vers|ps|pgrep|lsof|ss|ip|netstat|printenv|lsb_release|locale|tty|tput|ulimit|man|curl|docker|systemctl|apt|apt-cache|dpkg|journalctl|pip3?|gem|shellcheck|gofmt|node|make|javac?|perl|php|ruby|python3?|npm|npx|tsc|echo|printf|true|false|:|type|which|command)(?: |$)|--version$|^git (?:--no-pager )?(?:config|fsck|submodule|version|help|remote|tag -n\\d)|^git --no-pager (?!log|show|diff|grep)/;

/** Words before the operands of programs that take a pattern or code there. */
const FIRST: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:[efz]?grep|rg)$/, ['x', 'x', 'x', '.', "''", '-e x', "'[a-z]'"]],
  [/^fd$/, ['.', 'env', '.', "'^\\.'", '']],
  [
    /^(?:sed)$/,
    [
      'p',
      '-n p',
      '-n 1p',
      "'s/x/y/'",
      "'$!d'",
      "'1d;s/a/b/g'",
      '-e p -e 1d',
      "'r .env'",
      "'y/a/b/'",
      "'/x/,$p'",
    ],
  ],
  [
    /^g?awk$/,
    [
      "'{print $1}'",
      '1',
      "'NR==1'",
      "'END{print NR}'",
      "'{n++}END{print n}'",
      '\'{print > "o"}\'',
      '\'{getline x < ".env"}1\'',
      "'BEGIN{while((getline l < ARGV[1])>0)print l}'",
    ],
  ],
  [
    /^jq$/,
    [
      '.',
      '.a',
      'keys',
      "'.a[]'",
      "'input'",
      "'$ENV'",
      'input_filename',
      '-R .',
      '\'include "x"; .\'',
    ],
  ],
  [/^yq$/, ['.', '.a', '\'load(".env")\'', 'keys']],
  [/^tr$/, ['a b', '-d a']],
  [/^expr$/, ['1 + 1']],
];

/** Evaluates the words of a command one after the other, in the order that the program takes them. */
function makeCommand(row: CommandRow, random: Random): string {
  const [pattern, flags] = row;
  const [program = '', sub = ''] = pattern.replace(' --no-pager', '').split(' ');
  const count = Math.floor(random() * 2.6);
  const options =
    flags === '*' || flags === ''
      ? []
      : Array.from({ length: count }, () => makeOption(row, random));
  const first = FIRST.find(([name]) => name.test(program))?.[1];
  const operands =
    program === 'git'
      ? [makeGitOperands(sub, random)]
      : Array.from({ length: Math.floor(random() ** 2 * 2.9) + (random() < 0.8 ? 1 : 0) }, () =>
          makeWord(random),
        );
  if (program === 'find')
    return [
      pattern,
      ...operands,
      ...options,
      pick(['', '-print', '-type f', '-maxdepth 2'], random),
    ].join(' ');
  const between = random() < 0.08 ? ['--'] : [];
  const words = [
    pattern,
    ...options,
    ...(first === undefined ? [] : [pick(first, random)]),
    ...between,
    ...operands,
  ];
  // Options behind operands, too.
  if (random() < 0.12 && options.length > 0) words.push(...words.splice(1, 1));
  return words.filter((word) => word !== '').join(' ');
}

const PRODUCERS: readonly string[] = [
  ...[
    'ls',
    'ls plain',
    'find plain -type f',
    'find . -maxdepth 1 -type f',
    'git ls-files',
    'git ls-files plain',
    'rg -l x plain',
    'rg --files plain',
  ],
  ...[
    'grep -rl x plain',
    "find . -name '*.txt'",
    'echo a.txt',
    'cat list',
    'printf "%s\\n" plain/*',
    'git diff --name-only',
    'find plain -print0',
    'git ls-files -z',
    'fd . plain',
  ],
];
const XARGS: readonly string[] = [
  'xargs',
  'xargs -0',
  'xargs -r',
  'xargs -n 1',
  'xargs -I{}',
  "xargs -d '\\n'",
];

/** A line with a command of a row, alone or as a part of something larger. */
export function makeLine(rows: readonly CommandRow[], random: Random): string {
  const command = () => makeCommand(pickRow(rows, random), random);
  const chance = random();
  if (chance < 0.74) return command();
  if (chance < 0.79)
    return `cd ${pick(['src', 'plain', 'src/sub', 'dir', 'linked', 'src/up', 'plain/sub/..'], random)} && ${command()}`;
  if (chance < 0.83) return `${command()} | ${command()}`;
  if (chance < 0.87) return `${command()} < ${makeWord(random)}`;
  if (chance < 0.92) {
    const xargs = pick(XARGS, random);
    return `${pick(PRODUCERS, random)} | ${xargs} ${command()}${xargs.endsWith('{}') ? ' {}' : ''}`;
  }
  if (chance < 0.95) return `for f in ${makeWord(random)}; do ${command()} "$f"; done`;
  if (chance < 0.97) return `${command()} $(${pick(PRODUCERS, random)})`;
  return `find ${makeWord(random)} ${pick(['-type f', "-name '*.txt'", '-maxdepth 1', ''], random)} -exec ${command()} {} ${pick(['+', '\\;'], random)}`;
}

/** A row of one of the programs, or of one of the subcommands of git. */
function pickRow(rows: readonly CommandRow[], random: Random): CommandRow {
  const names = [...new Set(rows.map(toName))];
  const name = pick(names, random);
  const own = rows.filter((row) => toName(row) === name);
  return own[Math.floor(random() * own.length)] ?? ['cat', ''];
}

function toName([pattern]: CommandRow): string {
  const [program = '', sub = ''] = pattern.replace(' --no-pager', '').split(' ');
  return program === 'git' && sub !== '' ? `git ${sub}` : program;
}

/** The rows whose programs read files. */
export function toReaders(rows: readonly CommandRow[]): readonly CommandRow[] {
  return rows.filter(([pattern]) => !LEFT_OUT.test(pattern));
}
