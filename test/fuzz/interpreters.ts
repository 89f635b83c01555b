import fc from 'fast-check';

/** The program that an interpreter is given as its input: it makes the file `ran`. */
const INPUTS = {
  python3: 'open("ran", "w")',
  node: 'require("fs").writeFileSync("ran", "")',
  perl: 'open(my $f, ">", "ran")',
} as const;

const OPTIONS = {
  python3:
    '-u -B -E -I -s -S -O -q -i -bb -uB -Bi -W,ignore -Wignore -X,utf8 -Xutf8 --check-hash-based-pycs,always',
  node: '--no-warnings --trace-warnings -i --interactive -r,./own.cjs --require=./own.cjs --title,x --title=x --use-strict --input-type=commonjs --stack-size=900 -C,x',
  perl: '-w -W -X -s -t -T -I,x -Ix -Mstrict -mstrict -0 -l -f -u0',
} as const;

const SCRIPTS = {
  python3: ['', '', '-', '/dev/stdin', '/dev/fd/0', '-- -', 'own.py', '-c pass', '-m this', '-V'],
  node: [
    '',
    '',
    '-',
    '/dev/stdin',
    '/proc/self/fd/0',
    '-- -',
    'own.cjs',
    '-e 0',
    '-p 1',
    '-v',
    '-pe 1',
  ],
  perl: ['', '', '-', '/dev/stdin', '/dev/fd/0', '-- -', 'own.pl', '-e 1', '-we 1', '-v'],
} as const;

type Program = keyof typeof INPUTS;

/** Scripts that do nothing, and `input`, which an interpreter may read. */
export const INTERPRETER_FILES = ['own.py', 'own.cjs', 'own.pl'] as const;
export const PROGRAMS: readonly Program[] = ['python3', 'node', 'perl'];

/** A line that gives an interpreter, with options and perhaps a script, a program as its input. */
export function interpreterLine(program: Program): fc.Arbitrary<string> {
  const options = OPTIONS[program].split(' ').map((each) => each.replace(',', ' '));
  const input = INPUTS[program];
  return fc
    .tuple(
      fc.array(fc.constantFrom(...options), { maxLength: 3 }),
      fc.constantFrom(...SCRIPTS[program]),
      fc.constantFrom('', '', 'env ', 'timeout 20 '),
    )
    .chain(([given, script, launcher]) => {
      const command = `${launcher}${[program, ...given, script].join(' ').trim()}`;
      return fc.constantFrom(
        `${command} <<< '${input}'`,
        `echo '${input}' | ${command}`,
        `${command} <<'E'\n${input}\nE\n`,
        `printf %s '${input}' | ${command}`,
      );
    });
}
