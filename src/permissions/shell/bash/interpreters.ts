import { posix } from 'node:path';
import type { ShellWord } from '../acts.ts';
import { toSet } from '../programs/spellings/optionNames.ts';

/** The options of an interpreter that matter to where its program comes from. Long names without `--`. */
interface Interpreter {
  /** Options with a value, which may be the next word. */
  readonly valued?: string;
  /** Letters whose value can only be attached: `perl -i.bak`. */
  readonly attached?: string;
  /** Options after which it runs no script: those that print something, or whose value is the code. */
  readonly ends?: string;
  /** Options that print something and end it, unless a script follows. */
  readonly prints?: string;
  /** Options with which it goes on with its input after the script. */
  readonly goesOn?: string;
}

const PYTHON: Interpreter = {
  goesOn: 'i',
  valued: 'W X check-hash-based-pycs',
  ends: 'c m V h ? version help help-env help-xoptions help-all',
};
const NODE: Interpreter = {
  goesOn: 'i interactive',
  valued: `C conditions r require import loader experimental-loader input-type title disable-warning env-file
    env-file-if-exists icu-data-dir openssl-config max-http-header-size unhandled-rejections dns-result-order
    redirect-warnings diagnostic-dir trace-event-categories allow-fs-read allow-fs-write localstorage-file
    secure-heap secure-heap-min heapsnapshot-signal heapsnapshot-near-heap-limit tls-cipher-list watch-path
    network-family-autoselection-attempt-timeout tsconfig`,
  ends: 'v version h help v8-options e eval p print pe test run prof-process build-snapshot build-sea completion-bash',
};
const LUA: Interpreter = { valued: 'l', attached: 'O j', ends: 'e v b', goesOn: 'i' };

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python: PYTHON,
  python2: PYTHON,
  python3: PYTHON,
  pypy: PYTHON,
  pypy3: PYTHON,
  ipython: PYTHON,
  ipython3: PYTHON,
  node: NODE,
  nodejs: NODE,
  tsx: NODE,
  'ts-node': { valued: 'P project O compiler-options D cwd', ends: NODE.ends ?? '' },
  perl: { valued: 'I', attached: 'F M m D C i x', ends: 'e E v V h ?' },
  ruby: {
    valued: 'I r C E encoding external-encoding internal-encoding',
    attached: 'W K x T i F',
    ends: 'e version copyright h help',
    prints: 'v',
  },
  php: {
    valued: 'd c z t',
    ends: 'f r B R E F S v i m h ? l w s version info modules help ini rf rc re rz ri',
  },
  lua: LUA,
  luajit: LUA,
  tclsh: { valued: 'encoding' },
  Rscript: { ends: 'e version help' },
  julia: {
    goesOn: 'i',
    valued: 'L p t C J H threads procs load sysimage home',
    attached: 'O g',
    ends: 'e E v h version help eval print',
  },
  deno: { ends: 'version V help h' },
  bun: { ends: 'version v revision help h e eval p print' },
  osascript: { valued: 'l s', ends: 'e' },
};

/** They take their input for a program only if a word says so. */
const OTHERS: ReadonlySet<string> = new Set(
  `bb clisp clj clojure coffee crystal dart elixir erl escript fennel gjs go groovy groovysh guile jshell kotlin
  kotlinc nbb nim ocaml octave qjs racket raku rdmd runghc runhaskell sbcl scala swift tcc wish`.split(
    /\s+/,
  ),
);

/** The standard input as a file. */
const INPUT = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|thread-self|\d+)\/fd\/\d+)$/;

/**
 * Whether the program may run its standard input, where Gatehouse doesn't see what it runs: an
 * interpreter without a script, or with `-` or `/dev/stdin` as its script.
 */
export function runsInput(name: string, words: readonly ShellWord[], folder = '/'): boolean {
  const args = words.slice(1).map(({ value }) => value);
  const isInput = (value: string) => INPUT.test(posix.resolve(folder, value));
  if (OTHERS.has(name)) {
    const reads = name === 'coffee' ? /^(?:-|-s|--stdin)$/ : /^-$/;
    return args.some((value) => reads.test(value) || (!value.startsWith('-') && isInput(value)));
  }
  const interpreter = Object.hasOwn(INTERPRETERS, name) ? INTERPRETERS[name] : undefined;
  // It takes options behind the script, too.
  if (name.startsWith('ipython') && args.includes('-i')) return true;
  return interpreter !== undefined && mayRunInput(interpreter, args, isInput);
}

/** Whether one of the options in the word makes it go on with its input. */
function goesOn(arg: string, names: Names): boolean {
  if (arg.startsWith('--')) return names.goesOn.has(arg.slice(2));
  for (const letter of arg.slice(1)) {
    if (names.goesOn.has(letter)) return true;
    if (names.valued.has(letter) || names.attached.has(letter) || names.ends.has(letter))
      return false;
  }
  return false;
}

function mayRunInput(
  { valued, attached, ends, prints, goesOn: goes }: Interpreter,
  args: readonly string[],
  isInput: (value: string) => boolean,
): boolean {
  const names = {
    valued: toSet(valued),
    attached: toSet(attached),
    ends: toSet(ends),
    goesOn: toSet(goes),
  };
  let printed = false;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (arg === '-') return true;
    if (arg === '--') return isMissing(args[index + 1], isInput);
    // `bun run -`: the script follows.
    if (arg === 'run' && index === 0) continue;
    if (!arg.startsWith('-')) return isInput(arg);
    if (goesOn(arg, names)) return true;
    printed ||= arg.length === 2 && toSet(prints).has(arg.slice(1));
    const step = arg.startsWith('--') ? readLong(arg, names) : readShort(arg, names);
    const next = args[index + 1];
    if (step === 'ends') return next !== undefined && isInput(next);
    index += step;
  }
  return !printed;
}

function isMissing(script: string | undefined, isInput: (value: string) => boolean): boolean {
  return script === undefined || script === '-' || isInput(script);
}

interface Names {
  readonly valued: ReadonlySet<string>;
  readonly attached: ReadonlySet<string>;
  readonly ends: ReadonlySet<string>;
  readonly goesOn: ReadonlySet<string>;
}

/** The number of further words that the option takes. */
type Step = number | 'ends';

function readLong(arg: string, { valued, ends }: Names): Step {
  const [name = '', value] = arg.slice(2).split('=', 2);
  if (ends.has(name)) return 'ends';
  return valued.has(name) && value === undefined ? 1 : 0;
}

function readShort(arg: string, { valued, attached, ends }: Names): Step {
  const text = arg.slice(1);
  // Some have long names with one dash: `node -pe`.
  if (ends.has(text)) return 'ends';
  if (valued.has(text)) return 1;
  for (const [at, letter] of [...text].entries()) {
    if (ends.has(letter)) return 'ends';
    if (attached.has(letter)) return 0;
    if (valued.has(letter)) return at === text.length - 1 ? 1 : 0;
  }
  return 0;
}
