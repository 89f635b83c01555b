import fc from 'fast-check';

/** Stub programs: each only writes down that it started. */
export const STUBS = ['git', 'rm', 'curl', 'ls', 'cat', 'npm', 'p1', 'p2'] as const;

/** Real programs that start others, as far as a machine has them. */
export const REAL_LAUNCHERS = [
  'env',
  'nice',
  'timeout',
  'xargs',
  'find',
  'nohup',
  'setsid',
  'stdbuf',
  'sh',
  'dash',
  'bash',
] as const;

const stub = fc.constantFrom(...STUBS);
const plain = fc.constantFrom(
  'a',
  'b1',
  '-x',
  '--long=v',
  'x.txt',
  '-',
  '--',
  'a=b',
  'c=~/d',
  '1',
  '{}',
  '+',
  '!',
  '%',
  '~',
  '#',
  'in',
  'do',
  'then',
  '-c',
  '-n',
  '5',
);
const text = fc.constantFrom(
  'a b',
  '',
  ';',
  '| git',
  '&& rm',
  '$(curl)',
  '`p1`',
  '#',
  '\\',
  "it's",
  '*',
  '>',
  '<(cat)',
  'x\ny',
  '${x@P}',
  '$x',
  '!',
  'git status',
  'é',
  'p2 x',
);

/** Words that the shell replaces by the names of files. */
const glob = fc.constantFrom(
  '*',
  '*.txt',
  'd1/*',
  './*.txt',
  '?1',
  '[ab]1',
  '[ab]',
  '{a,x}.txt',
  '{a}x,b1}',
  '%{}a.txt,d1/y}',
  'd1/{a,z}*',
  '*/',
  '*/a.txt',
  'x*.none',
  '"a"*',
  'a\\ *',
  "'*'.t*",
  '*"$v"',
  '$v*',
  '$v/*',
  '"$v"/a*',
  '${v}/*.txt',
  '~/*.txt',
  '.*.txt',
  'c*',
  '[cl]*',
);

/** Ways to give the variable `v` a value; values that arithmetic or a second reading would run. */
const VALUES = [
  'a',
  '5',
  '-x',
  "'a b'",
  "'a[$(p1)]'",
  "'$(p2)'",
  "'`p1`'",
  "'p1; p2'",
  "'*'",
  "'%n'",
  '-v',
  'PATH',
  'p1',
  '',
  '"$v"',
  '$((1+1))',
  '*.txt',
  "'*.txt'",
  'd1',
  '{a,x}',
] as const;

/** Ways to use `v` that run nothing, whatever it is. */
const INERT_USES = [
  'ls $v',
  'ls "$v"',
  'cat d1/* $v',
  'cat "$v"/*.txt',
  'cat $v/*',
  'ls "$v"*',
  'cd d1; ls *',
  '(cd d1; ls *); cat *.txt',
  'set -- *; ls "$1"',
  'ls x$v"y$v"',
  `ls \${v} \${v%b} "\${v##*a}"`,
  `ls \${#v} \${v^^} \${v/a/b}`,
  'echo "$v"',
  'echo $v',
  '[[ $v == a* ]]',
  '[ "$v" -eq 1 ]',
  '[ -n "$v" ]',
  '[ ! "$v" = a ]',
  'printf %s "$v"',
  'basename "$v"',
  'git $v',
  'timeout 5 ls $v -x',
  "sh -c 'ls $v'",
  'sh -c "$v"',
  'cat <<< "$v"',
  'cat <<E\n$v\nE\n',
  'ls > /dev/null < $v',
  'read -r v <<< "a[\\$(p2)]"',
  'exit $v',
  ': "$v"',
] as const;

/** Ways to use `v` that may run its value, or a program that it names. */
const OTHER_USES = [
  'echo $((v)) $((v + 1)) $(($v))',
  '((v++))',
  '((v = v + 1))',
  '[[ $v -eq 1 ]]',
  '[[ -v $v ]]',
  '[ "$v" x ]',
  '[ -v "$v" ]',
  'test $v a',
  'printf "$v" PATH',
  'printf $v x',
  'printf a%n v',
  '$v',
  '$v ls',
  'env $v ls',
  'nice $v',
  'timeout 5 $v',
  'xargs $v',
  'eval "$v"',
  'cd $v && ls',
  'v=$v ls',
  'export v',
  'read v',
] as const;

/** Ways to write a program's name that mean the name. */
const name = stub.chain((word) =>
  fc.constantFrom(
    word,
    word,
    word,
    word,
    word,
    word,
    `\\${word}`,
    `'${word}'`,
    `"${word}"`,
    `${word[0]}''${word.slice(1)}`,
    `$'${word}'`,
    `${word[0]}\\\n${word.slice(1)}`,
    `./${word}`,
    `"${word[0]}"${word.slice(1)}`,
    `$'\\x${word.charCodeAt(0).toString(16)}${word.slice(1)}'`,
    `$"${word}"`,
    `$\\\n'${word}'`,
  ),
);

const quoted = text.chain((value) =>
  fc.constantFrom(
    `'${value.replaceAll("'", `'\\''`)}'`,
    `"${value.replace(/[$`\\"]/g, '\\$&')}"`,
    `$'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`,
    `"${value.replaceAll('"', '')}"`,
    value.replace(/[^\w]/g, '\\$&').replaceAll('\\\n', ''),
  ),
);

/** A word of the characters that mean something to the shell in some places, and nothing in others. */
const odd = fc
  .array(
    fc.constantFrom(...'aab1{},.~+-=:[]*?!@^#%$_', "'a'", '"b"', '\\', "'", '"', '\\\n', "$'a'"),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => parts.join(''));

/**
 * Every line of the grammar; recursion is bounded by depth. A wild line has expansions, functions
 * and builtins that make it uncertain; a tame one has only what an analysis can be certain about.
 */
function makeLine(wild: 0 | 1) {
  return fc.letrec<
    Record<
      | 'word'
      | 'simple'
      | 'launched'
      | 'command'
      | 'compound'
      | 'pipeline'
      | 'list'
      | 'redirection'
      | 'dialect'
      | 'variable'
      | 'line',
      string
    >
  >((tie) => ({
    word: fc.oneof(
      { depthSize: 'small', maxDepth: 3, depthIdentifier: 'd' },
      { weight: 8, arbitrary: plain },
      { weight: 5, arbitrary: quoted },
      { weight: 2, arbitrary: odd },
      { weight: wild, arbitrary: glob },
      {
        weight: wild,
        arbitrary: fc.constantFrom(
          '$x',
          '"$x"',
          '*.txt',
          '{a,b}',
          '?',
          '[ab]',
          '${x:-d}',
          '${#x}',
          '~/a',
          '$((1+2))',
          '$[1+1]',
          '"${x[0]}"',
          '${x@P}',
          '${!x}',
        ),
      },
      { weight: 2 * wild, arbitrary: tie('list').map((inner) => `$(${inner})`) },
      { weight: wild, arbitrary: tie('list').map((inner) => `"$(${inner})"`) },
      { weight: wild, arbitrary: tie('simple').map((inner) => `\`${inner.replaceAll('`', '')}\``) },
      { weight: wild, arbitrary: tie('list').map((inner) => `<(${inner})`) },
      { weight: wild, arbitrary: tie('list').map((inner) => `\${y:-$(${inner})}`) },
      { weight: wild, arbitrary: tie('simple').map((inner) => `$(( $(${inner}) + 1 ))`) },
    ),
    redirection: fc.oneof(
      { weight: 6, arbitrary: fc.constant('') },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          ' > /dev/null',
          ' 2>&1',
          ' < /dev/null',
          ' 2>/dev/null',
          ' >&2',
          ' &> /dev/null',
          ' >\\\n&2',
          ' 10>/dev/null',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          ' > out',
          ' >> out',
          ' <> out',
          ' >| out',
          ' {fd}> out',
          ' 3>&-',
        ),
      },
      { weight: 1, arbitrary: tie('word').map((word) => ` <<< ${word}`) },
    ),
    simple: fc
      .tuple(
        wild === 1
          ? fc.constantFrom('', '', '', 'A=1 ', 'CI=1 ', 'x=$(p2) ')
          : fc.constantFrom('', '', '', '', 'CI=1 ', 'NODE_ENV=t '),
        name,
        fc.array(tie('word'), { maxLength: 3 }),
        tie('redirection'),
      )
      .map(
        ([assignment, program, words, redirection]) =>
          `${assignment}${[program, ...words].join(' ')}${redirection}`,
      ),
    launched: fc
      .tuple(
        fc.constantFrom(
          'env ',
          'env CI=1 ',
          'nice ',
          'nice -n 5 ',
          'nice -5 ',
          'timeout 5 ',
          'timeout -k 1 5 ',
          'nohup ',
          'setsid -w ',
          'stdbuf -oL ',
          'command ',
          'command -p ',
          'builtin command ',
          ...(wild === 1
            ? ['env -i PATH="$PATH" ', 'exec -a z ', 'exec ', 'xargs ', 'xargs -n1 ', 'xargs -I{} ']
            : []),
          'time ',
          'time -p ',
          '! ',
          'coproc ',
          'env -u A ',
          'env -- ',
          'timeout --foreground 5 ',
          'timeout -s KILL 5 ',
          'env env nice ',
        ),
        fc.oneof(tie('simple'), tie('launched')),
      )
      .map(([launcher, inner]) => launcher + inner),
    command: fc.oneof(
      { depthSize: 'small', maxDepth: 3, depthIdentifier: 'd' },
      { weight: 10, arbitrary: tie('simple') },
      { weight: 3, arbitrary: tie('launched') },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom(
              'ls',
              'cat',
              'ls -x',
              'cat x.txt',
              'timeout 5 cat',
              './ls',
              'cat -n --',
              'v=d1; cat',
              'v=d1; ls -x',
              'find d1 -name',
              'git -C d1',
            ),
            fc.array(fc.oneof({ weight: 3, arbitrary: glob }, tie('word')), {
              minLength: 1,
              maxLength: 3,
            }),
            tie('redirection'),
          )
          .map(([reader, words, redirection]) => `${reader} ${words.join(' ')}${redirection}`),
      },
      { weight: 2, arbitrary: tie('compound') },
      {
        weight: 2,
        arbitrary: fc
          .tuple(
            fc.constantFrom('sh', 'sh -e', 'dash', 'bash --posix', 'env sh'),
            fc.oneof(tie('list'), tie('dialect')),
          )
          .map(([shell, inner]) => `${shell} -c '${inner.replaceAll("'", `'\\''`)}'`),
      },
      {
        weight: 1,
        arbitrary: tie('list').map((inner) => `bash -c "${inner.replace(/[$`\\"]/g, '\\$&')}"`),
      },
      {
        weight: wild,
        arbitrary: tie('simple').map((inner) => `find . -maxdepth 0 -exec ${inner} \\;`),
      },
      {
        weight: wild,
        arbitrary: tie('simple').map((inner) => `eval '${inner.replaceAll("'", '')}'`),
      },
      {
        weight: wild,
        arbitrary: tie('simple').map((inner) => `trap '${inner.replaceAll("'", '')}' EXIT`),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'true',
          'false',
          ':',
          'echo hi',
          'test -n a',
          '[ a = a ]',
          '[[ a == b ]]',
          '((1+1))',
          'cd d1',
          'pwd',
          'set -e',
          'export CI=1',
          'wait',
          'echo git rm',
          'printf %s rm',
          ...(wild === 1
            ? [
                'x=1',
                'alias ls=rm',
                'unset x',
                'local x',
                'shift',
                'set -- rm',
                'read x',
                'let x=1',
                'hash -r',
              ]
            : []),
          'exit',
          'return',
        ),
      },
    ),
    variable: fc
      .tuple(
        fc.constantFrom(...VALUES),
        fc.constantFrom(...VALUES),
        fc.array(
          fc.oneof(
            { weight: 4, arbitrary: fc.constantFrom(...INERT_USES) },
            { weight: 1, arbitrary: fc.constantFrom(...OTHER_USES) },
          ),
          { minLength: 1, maxLength: 2 },
        ),
        tie('list'),
      )
      .chain(([value, other, uses, inner]) => {
        const used = uses.map((each) => each.replace(/\n$/, '')).join('\n');
        return fc.constantFrom(
          `v=${value}\n${used}`,
          `v=${value}; v=${other}\n${used}`,
          `v=${value}; if true; then v=${other}; fi\n${used}`,
          `v=${value}; true && v=${other}\n${used}`,
          `v=${value}; (v=${other})\n${used}`,
          `v=${value}; for i in 1 2; do\n${used}\nv=${other}; done`,
          `v=${value}; while :; do v=${other}; break; v=a; done\n${used}`,
          `for v in ${value} ${other}; do\n${used}\ndone`,
          `for ((v=0;v<2;v++)); do\n${used}\ndone`,
          `case a in b) v=${value};; *)\n${used}\n;; esac`,
          `echo ${value} | while read -r v; do\n${used}\ndone`,
          `while IFS= read -r v; do\n${used}\ndone <<< ${value || 'x'}`,
          `v=$(${inner})\n${used}`,
          `v="a $(${inner})"\n${used}`,
        );
      }),
    compound: fc.oneof(
      tie('variable'),
      tie('variable'),
      tie('list').map((inner) => `echo "$(${inner})" "$PWD" \${PWD##*/} $?`),
      tie('list').map((inner) => `[ -n "$(${inner})" ]`),
      fc
        .tuple(
          fc.constantFrom(
            'find . -exec',
            'find . -maxdepth 0 -exec',
            'find d1 -name x -o -exec',
            'find . -execdir',
            'find . -print0 | xargs -0',
            'find . | sort | xargs',
            'git ls-files | xargs -n1',
            'ls | xargs -I{}',
            "echo 'p1 p2' | xargs",
          ),
          fc.constantFrom(
            'cat',
            'ls -x',
            'head',
            'wc -l',
            'sh',
            'p1',
            'env',
            'nice',
            'grep x',
            'sed 1p',
          ),
          fc.constantFrom(' {} +', ' {} \\;', ' {}', '', ' -- {} +', ' x{} \\;'),
        )
        .map((parts) => parts.join(' ').replace('  ', ' ')),
      tie('list').map((inner) => `cat <(${inner}) <( ls )`),
      fc
        .tuple(
          tie('list'),
          fc.constantFrom('cat x', 'ls "x"', 'cat <(ls)', 'git $v', 'p1', 'cat\\ ', 'ls < x'),
          fc.constantFrom('', 'y', '"y"', '<(ls)', ' y'),
        )
        .map(([inner, before, after]) => `${before}<(${inner})${after}`),
      tie('list').map((inner) => `( ${inner} )`),
      tie('list').map((inner) => `{ ${inner}; }`),
      tie('list').map((inner) => `{ ${inner}\n}`),
      fc
        .tuple(tie('list'), tie('list'), tie('list'))
        .map(([a, b, c]) => `if ${a}; then ${b}; else ${c}; fi`),
      tie('list').map((inner) => `for i in a b; do ${inner}; break; done`),
      tie('list').map((inner) => `for ((i=0;i<1;i++)); do ${inner}; done`),
      fc.tuple(tie('simple'), tie('list')).map(([a, b]) => `while ${a}; do ${b}; break; done`),
      fc.tuple(tie('simple'), tie('list')).map(([a, b]) => `until ${a}; do ${b}; break; done`),
      fc
        .tuple(tie('word'), tie('list'), tie('list'))
        .map(([w, a, b]) => `case ${w} in a) ${a};; (b|*) ${b};; esac`),
      ...(wild === 1
        ? [
            tie('list').map((inner) => `f1() { ${inner}; }; f1`),
            tie('list').map((inner) => `function f2 { ${inner}; }\nf2`),
            tie('list').map((inner) => `git() { ${inner}; }; git`),
            tie('list').map((inner) => `[[ -n $(${inner}) ]]`),
          ]
        : []),
      fc
        .tuple(tie('simple'), fc.constantFrom("'E'", 'E', '"E"', '\\E', '"E"', "'E'"), tie('list'))
        .map(([a, mark, b]) => `${a} <<${mark}\n$(${b})\nE\n`),
    ),
    // What other shells than bash read differently.
    dialect: tie('simple').chain((inner) =>
      fc.constantFrom(
        `((${inner}))`,
        `( (${inner}) )`,
        `[[ a < ${inner} ]]`,
        `${inner} &> /dev/null`,
        `${inner} 2>&1 |& cat`,
        `${inner} <<< a`,
        `${inner} $'a' $"b"`,
        `${inner} {a,b} $[1+1]`,
        `time ${inner}`,
        `${inner} <<\\E\na\\\nE\nE`,
        `case a in a) ${inner};& b) cat;; esac`,
        `chdir d1; ${inner}`,
        `${inner} # it's\n${inner} &>/dev/null # '`,
        `select i in a; do ${inner}; done </dev/null`,
        `cat <(${inner})`,
        `${inner} a\\`,
      ),
    ),
    pipeline: fc
      .array(tie('command'), { minLength: 1, maxLength: 2 })
      .chain((commands) =>
        fc.constantFrom(' | ', ' |& ', '|', ' |\n').map((pipe) => commands.join(pipe)),
      ),
    list: fc
      .array(tie('pipeline'), { minLength: 1, maxLength: 3 })
      .chain((parts) =>
        fc
          .constantFrom('; ', ' && ', ' || ', '\n', ' & ', ';', '&&', ' &&\n', ' # c\n', ' \\\n&& ')
          .map((join) => parts.join(join)),
      ),
    line: tie('list'),
  }));
}

const tame = makeLine(0);

/** One line in five is wild, and one is about a variable. */
export const line: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: tame.line },
  { weight: 1, arbitrary: tame.variable },
  { weight: 1, arbitrary: makeLine(1).line },
);

/** A character or two in the wrong place, which is where parsers part company. */
const FRAGMENTS = [
  "'",
  '"',
  '`',
  '$(',
  ')',
  '\\',
  '\n',
  '\r',
  '#',
  '&',
  '|',
  ';',
  ' ',
  '{',
  '}',
  '$',
  '${',
  '((',
  '))',
  '<<E\n',
  '<<<',
  '!',
  '=',
  '*',
  '[',
  ']',
  '\t',
  '\u00a0',
  '>&',
  '$[',
  "$'",
  '|&',
  ';;',
  'do',
  'esac',
  '\v',
  '\f',
  '<(',
  '@(',
];

/** A line, sometimes broken. Lines with paths are left whole, so that nothing is written elsewhere. */
export const anyLine: fc.Arbitrary<string> = fc
  .tuple(
    line,
    fc.nat(99),
    fc.array(fc.tuple(fc.nat(1000), fc.constantFrom(...FRAGMENTS), fc.boolean()), {
      minLength: 1,
      maxLength: 2,
    }),
  )
  .map(([whole, chance, edits]) => {
    if (chance < 15) return edits.reduce((left, [place]) => continueAt(left, place), whole);
    if (chance < 60 || /[/~>]/.test(whole)) return whole;
    return edits.reduce((left, [place, fragment, insert]) => {
      const at = place % (left.length + 1);
      return left.slice(0, at) + (insert ? fragment : '') + left.slice(insert ? at : at + 1);
    }, whole);
  })
  .filter((made) => !made.includes('\0') && made.length < 4000);

function continueAt(line: string, place: number): string {
  const at = place % (line.length + 1);
  return `${line.slice(0, at)}\\\n${line.slice(at)}`;
}
