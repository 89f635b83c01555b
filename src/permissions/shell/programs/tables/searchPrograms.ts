import type { Program } from './program.ts';
import { GREP } from './sharedRows.ts';

const UGREP: Program = {
  here: true,
  follows: 'R S dereference dereference-recursive dereference-files',
  operands: 'reads',
  skip: 1,
  instead: 'e f N regexp file neg-regexp and andnot not',
  reads: 'f file include-from exclude-from from',
  runs: 'pager filter view config save-config z decompress query Q',
  valued: 'A B C m g t',
  sweeps: '*',
};
/** It follows links, and `--file-list` names the files. */
const PCREGREP: Program = {
  ...GREP,
  reads: 'f file exclude-from include-from',
  lists: 'file-list',
  follows: '*',
};
const ZGREPS =
  'zegrep zfgrep xzgrep xzegrep xzfgrep bzgrep bzegrep bzfgrep lzgrep lz4grep zstdgrep';

/** Programs that search files and folders for text, besides grep itself and ripgrep. */
export const SEARCH_PROGRAMS: Readonly<Record<string, Program>> = {
  ...Object.fromEntries(ZGREPS.split(' ').map((name) => [name, GREP])),
  pcregrep: PCREGREP,
  pcre2grep: PCREGREP,
  // Besides its own options it takes those of ripgrep.
  rga: {
    here: true,
    follows: 'L follow',
    operands: 'reads',
    skip: 1,
    instead: 'e f regexp file files',
    valued: 'A B C E e g j M m r t T',
    runs: 'pre hostname-bin rga-config-file rga-adapters',
    reads: 'f file ignore-file',
    sweeps: '*',
  },
  sift: {
    here: true,
    follows: 'follow',
    operands: 'reads',
    skip: 1,
    instead: 'e f regexp file',
    reads: 'f file',
    writes: 'o output',
    runs: 'write-config',
    sweeps: '*',
  },
  pt: { here: true, follows: 'f follow', operands: 'reads', skip: 1, sweeps: '*' },
  ag: {
    here: true,
    follows: 'f follow',
    operands: 'reads',
    skip: 1,
    runs: 'pager z search-zip',
    // `A`, `B` and `C` take the next word only if it is a number.
    valued: 'G m',
    reads: 'p',
    sweeps: '*',
  },
  ack: {
    here: true,
    follows: 'follow',
    operands: 'reads',
    skip: 1,
    instead: 'match',
    // Older versions evaluate the value of `output`.
    runs: 'pager ackrc create-ackrc output x',
    lists: 'files-from',
    valued: 'm',
    sweeps: '*',
  },
  ugrep: UGREP,
  'ugrep+': UGREP,
  ug: UGREP,
  'ug+': UGREP,
};
