import type { CommandAct, ShellWord } from '../acts.ts';
import { type Folders, move } from '../folders.ts';
import type { Arguments } from '../simpleCommand.ts';

/** A git command without `-C folder`, and where it runs. */
export interface GitInFolder {
  readonly words: readonly ShellWord[];
  readonly folders: Folders;
  /** The index of `-C` in the written words. */
  readonly at: number;
}

/** Global options that may precede `-C` and change nothing. */
const PLAIN = /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/;

/**
 * Reads `git -C folder …` as `git …` in that folder. Undefined: there is no such option, or the
 * folder isn't certain. Git follows links before `..`, which `cd` doesn't.
 */
export function readFolderOption(
  words: readonly ShellWord[],
  folders: Folders,
): GitInFolder | undefined {
  const at = words.findIndex(({ value }, index) => index > 0 && !PLAIN.test(value));
  const [option, folder] = words.slice(at, at + 2);
  if (at < 0 || option?.literal !== true || option.value !== '-C') return undefined;
  if (folder?.literal !== true || folder.tilde === true || folder.glob !== undefined)
    return undefined;
  const names = folder.value.split('/');
  if (folder.value === '' || folder.value.startsWith('-') || names.includes('..')) return undefined;
  const rest = words.slice(at + 2);
  // Another folder, or another way to name the repository.
  if (rest.find(({ value }) => !PLAIN.test(value))?.value.startsWith('-') === true)
    return undefined;
  const { ok } = move([{ value: 'cd', literal: true }, folder], folders, '');
  return { words: [...words.slice(0, at), ...rest], folders: ok, at };
}

/** The words that matter to rules: of the written command, and of the one without `-C folder`. */
export function toActWords(
  { risky, hosts }: Pick<Arguments, 'risky' | 'hosts'>,
  git: GitInFolder | undefined,
): Pick<CommandAct, 'risky' | 'hosts' | 'inFolder'> {
  const own = { risky, ...(hosts && { hosts }) };
  if (git === undefined) return own;
  const { at } = git;
  const toWritten = (indices: ReadonlySet<number>) =>
    [...indices].map((index) => (index < at ? index : index + 2));
  return {
    risky: new Set([...toWritten(risky), at, at + 1]),
    ...(hosts && { hosts: new Set(toWritten(hosts)) }),
    inFolder: { words: git.words, ...own },
  };
}
