import type { ShellWord } from '../shell/acts.ts';
import type { Evaluation } from './evaluation.ts';

/**
 * The word of a command that may name a share of another machine, such as `//host/share`. Windows contacts
 * the host, and signs in there, as soon as a program or the shell looks whether such a file exists.
 * Undefined: none, or not on Windows.
 */
export function findShare(
  [program, ...words]: readonly ShellWord[],
  { policy: { platform } }: Evaluation,
): string | undefined {
  if (platform !== 'win32' || PRINTERS.has(program?.value ?? '')) return undefined;
  return words.find(({ value }) => SHARE.test(value))?.value;
}

/** At the beginning of a word, or behind what may be before a path, but not in a URL. */
const SHARE = /(?:^-[a-z]+|^|[=,;"'(]|(?<!\w):)(?:\\\\|\/\/|\\\/|\/\\)[^\s\\/]/i;

/** They use no word as a file. */
const PRINTERS: ReadonlySet<string> = new Set(
  'echo printf basename dirname expr true false :'.split(' '),
);
