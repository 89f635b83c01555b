import type { Act, ShellWord } from '../acts.ts';

/** Subcommands whose words are never revisions. */
const PATHS_ONLY: ReadonlySet<string> = new Set(['add', 'apply', 'mv', 'rm', 'stage']);

/**
 * Marks the acts of a git command, from the given one on, whose word `HEAD` is the revision and no file: `git reset HEAD`.
 * A word behind `--` is a file.
 */
export function markHead(
  acts: Act[],
  from: number,
  sub: string,
  words: readonly ShellWord[],
): void {
  const values = words.map(({ value }) => value);
  const mark = values.indexOf('--');
  if (PATHS_ONLY.has(sub) || (mark >= 0 && values.lastIndexOf('HEAD') > mark)) return;
  for (const [at, act] of acts.entries()) {
    if (at >= from && act.kind === 'file' && act.target === 'HEAD')
      acts[at] = { ...act, revision: true };
  }
}
