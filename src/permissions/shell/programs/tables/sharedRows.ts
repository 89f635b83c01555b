import type { Program } from './program.ts';

/** With `-c` it reads the files that its operand lists. */
export const HASH: Program = { operands: 'reads', valued: 'a algorithm', lists: 'c check' };
export const READER: Program = { operands: 'reads' };
/** GNU's tools for object files take more options from `@file`. */
export const BINARY: Program = {
  operands: 'reads',
  script: 'response',
  archives: true,
  runs: 'plugin',
};
export const GREP: Program = {
  operands: 'reads',
  skip: 1,
  instead: 'e f regexp file',
  valued:
    'A B C D d e m regexp after-context before-context max-count include exclude exclude-dir binary-files devices directories label',
  optional: 'context color colour',
  reads: 'f file exclude-from',
  sweeps: 'r R recursive dereference-recursive',
  follows: 'R dereference-recursive',
};
/** Without `-r` it compares the files directly in two folders. */
export const DIFF: Program = {
  operands: 'reads',
  valued: 'U C W I x label exclude palette',
  reads: 'from-file to-file X exclude-from',
  sweeps: '*',
  follows: '*',
  stays: 'no-dereference',
};
/** Of a compiler, what is passed to the assembler or linker may name a file to write. */
export const COMPILER: Program = {
  script: 'compiler',
  attached: 'o B T',
  operands: 'reads',
  words: true,
  writes: 'o output MF MJ aux-info dumpbase dumpdir auxbase serialize-diagnostics',
  runs: 'wrapper fplugin specs B T Xlinker Xassembler Xpreprocessor iplugindir fmodule-mapper fuse-ld fpass-plugin ld-path config ccc-gcc-name',
};
export const INTERPRETER = 'c e E eval p print i r require import m loader';
/** `entry-url` makes the first operand a URL, and `data:` is code. An inspector runs what it is sent. */
export const NODE_RUNS = `${INTERPRETER} entry-url inspect inspect-brk inspect-wait inspect-port debug-port experimental-loader experimental-network-imports experimental-policy env-file env-file-if-exists openssl-config experimental-config-file experimental-default-config-file run build-snapshot build-snapshot-config build-sea snapshot-blob test-reporter test-global-setup icu-data-dir`;
export const NODE_WRITES =
  'redirect-warnings cpu-prof-dir cpu-prof-name heap-prof-dir heap-prof-name diagnostic-dir report-dir report-directory report-filename test-reporter-destination trace-event-file-pattern tls-keylog localstorage-file experimental-sea-config';
export const PACKER: Program = { operands: 'copies' };
/** Its first operand says what it does: `7z a x.7z src`. */
export const COMMAND_PACKER: Program = { operands: 'copies', skip: 1, follows: '*' };
/** An editor displays the files it opens, and may write them. */
export const EDITOR: Program = { operands: 'copies' };

export const OPENSSL: Program = {
  script: 'stores',
  codeWords: 'engine',
  words: true,
  runs: 'engine provider provider-path config sess_out keylogfile prexit',
  writes: 'out keyout CAserial writerand',
  reads: 'in inkey CAfile key cert',
  addresses: 'connect proxy host url server',
  valued: 'subj days',
  spelledFrom: 99,
};

export const FD: Program = {
  follows: 'L follow',
  operands: 'reads',
  here: true,
  skip: 1,
  runs: 'x X exec exec-batch',
  valued:
    'd e E t S o c j max-depth min-depth exact-depth extension exclude type size owner color threads changed-within changed-before',
  reads: 'search-path base-directory ignore-file',
};

/** The program with a second name for each long option that has a value: curl takes `--expand-output` for `--output`. */
export function withPrefix(prefix: string, program: Program): Program {
  const add = (names = '') =>
    names
      .split(' ')
      .flatMap((name) => (name.length > 1 ? [name, prefix + name] : [name]))
      .join(' ');
  const { reads, writes, runs, addresses, valued } = program;
  return {
    ...program,
    reads: add(reads),
    writes: add(writes),
    runs: add(runs),
    addresses: add(addresses),
    valued: add(valued),
  };
}
