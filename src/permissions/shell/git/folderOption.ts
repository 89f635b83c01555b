import type { CommandAct, ShellWord } from '../acts.ts';
import { type Folders, move } from '../folders.ts';
import type { Arguments } from '../simpleCommand.ts';

/** A git command without `-C folder`, and where it runs. */
export interface GitInFolder {
  readonly words: readonly ShellWord[];
  readonly folders: Folders;
  /** The index of the first `-C` in the written words. */
  readonly at: number;
  /** How many of the written words are options with folders, and the folders. */
  readonly count: number;
}

/** Global options that may precede `-C` and change nothing. */
const PLAIN = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/;

/**
 * Reads `git -C folder …` as `git …` in that folder; each further `-C` is relative to the one before.
 * Undefined: there is no such option, or a folder isn't certain. Git follows links before `..`, which
 * `cd` doesn't, so `enter` returns the folders that a path may lead to.
 */
export function readFolderOption(
  words: readonly ShellWord[],
  folders: Folders,
  enter: (path: string) => Folders,
): GitInFolder | undefined {
  const at = words.findIndex(({ value }, index) => index > 0 && !PLAIN.test(value));
  if (at < 0) return undefined;
  let count = 0;
  let inside = folders;
  for (; words[at + count]?.value === '-C'; count += 2) {
    const [option, folder] = words.slice(at + count, at + count + 2);
    if (option?.literal !== true || folder === undefined || !isCertain(folder)) return undefined;
    inside = move([{ value: 'cd', literal: true }, folder], inside, '', enter).ok;
  }
  const rest = words.slice(at + count);
  // Another way to name the repository.
  if (rest.find(({ value }) => !PLAIN.test(value))?.value.startsWith('-') === true)
    return undefined;
  return count === 0
    ? undefined
    : { words: [...words.slice(0, at), ...rest], folders: inside, at, count };
}

function isCertain({ value, literal, tilde, glob }: ShellWord): boolean {
  return literal && tilde !== true && glob === undefined && !/^(?:-|$)/.test(value);
}

/** The words that matter to rules: of the written command, and of the one without `-C folder`. */
export function toActWords(
  { risky, hosts, remotes }: Pick<Arguments, 'risky' | 'hosts' | 'remotes'>,
  git: GitInFolder | undefined,
): Pick<CommandAct, 'risky' | 'hosts' | 'remotes' | 'inFolder'> {
  const own = { risky, ...(hosts && { hosts }), ...(remotes && { remotes }) };
  if (git === undefined) return own;
  const { at, count } = git;
  const toWritten = (indices: ReadonlySet<number>) =>
    [...indices].map((index) => (index < at ? index : index + count));
  const options = Array.from({ length: count }, (_, offset) => at + offset);
  return {
    risky: new Set([...toWritten(risky), ...options]),
    ...(hosts && { hosts: new Set(toWritten(hosts)) }),
    ...(remotes && { remotes: new Set(toWritten(remotes)) }),
    inFolder: { words: git.words, ...own },
  };
}
