import type { Act, ShellWord } from '../acts.ts';

/** Subcommands whose words are never revisions, or that write a file of any name. */
const PATHS_ONLY: ReadonlySet<string> = new Set([
  ...['add', 'apply', 'mv', 'rm', 'stage', 'merge-file', 'mailinfo', 'mailsplit', 'checkout-index'],
]);

/**
 * Marks the acts of a git command, from the given one on, whose word `HEAD` is the revision and no file: `git reset HEAD`.
 * A word behind `--` is a file. In lower case, git takes it for one where the disk ignores case, and for nothing elsewhere;
 * a tracked file of that name that it brings is an act of its own.
 */
export function markHead(
  acts: Act[],
  from: number,
  sub: string,
  words: readonly ShellWord[],
): void {
  const values = words.map(({ value }) => value);
  const mark = values.indexOf('--');
  if (PATHS_ONLY.has(sub) || (mark >= 0 && values.slice(mark).some(isHead))) return;
  for (const [at, act] of acts.entries()) {
    if (at >= from && act.kind === 'file' && isHead(act.target))
      acts[at] = { ...act, revision: true };
  }
}

/** The paths of a word of git without the revision in it: `@~1..` is no file `~1..`, as git reads no file named behind `@`. */
export function omitRevision({ value }: ShellWord, paths: readonly string[]): readonly string[] {
  return paths.filter((each) => !(/^~(?!\/)/.test(each) && value.startsWith(`@${each}`)));
}

function isHead(word: string): boolean {
  return word.toLowerCase() === 'head';
}
