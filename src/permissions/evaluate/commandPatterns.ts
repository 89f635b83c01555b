import type { CommandAct } from '../shell/acts.ts';
import { authorityEnd } from '../shell/hosts.ts';
import { LAUNCHERS, SHELLS } from '../shell/programs/launcherTable.ts';
import { SUBCOMMAND_LAUNCHERS } from '../shell/programs/tables/subcommandLaunchers.ts';
import { quoteWord } from '../shell/words.ts';

/** A pattern that matches a command, and examples of other commands that it matches. */
export interface CommandPatternOffer {
  readonly pattern: string;
  readonly alsoMatches: readonly string[];
}

/**
 * From narrow to wide: `git push origin main`, `git push origin *`, `git push *`, `git *`. An allow
 * is never wider than the words that must be literal or the host that is contacted. A single word has
 * one pattern, because `ls` and `ls *` are the same (spec decision 4).
 */
export function findCommandPatterns(
  act: CommandAct,
  action: 'allow' | 'deny',
): readonly CommandPatternOffer[] {
  const words = act.words.map(({ value }) => value);
  const quoted = words.map(quoteWord);
  const host = Math.max(findLast(act.hosts), findLast(act.remotes));
  const literal = Math.max(findLast(act.risky) + 1, startsOthers(words) ? words.length : host + 1);
  const least = action === 'deny' ? 1 : literal;
  const lengths = new Set(
    [words.length, words.length - 1, host + 1, 2, 1].filter(
      (length) => length >= least && length <= words.length,
    ),
  );
  const steps = [...lengths]
    .sort((a, b) => b - a)
    .map((length) => {
      const head = words.slice(0, length).join(' ');
      const whole = length === words.length;
      const pattern = quoted.slice(0, length).join(' ') + (whole ? '' : ' *');
      return { pattern, alsoMatches: whole ? [`${head} …`] : [head, `${head} …`] };
    });
  const last = words[host] ?? '';
  const end = authorityEnd(last);
  // The widest step: the same command with any URL of the same host.
  if (host === 0 || least > host + 1 || startsOthers(words) || last[end] !== '/') return steps;
  const site = last.slice(0, end);
  const pattern = [...quoted.slice(0, host), `${quoteWord(site)}/*`].join(' ');
  return [...steps, { pattern, alsoMatches: [[...words.slice(0, host), `${site}/…`].join(' ')] }];
}

function findLast(indices: ReadonlySet<number> = new Set()): number {
  return [...indices].reduce((last, index) => Math.max(last, index), 0);
}

const INTERPRETERS: ReadonlySet<string> = new Set(
  'python python2 python3 pypy pypy3 node nodejs deno tsx ts-node perl ruby php lua luajit tclsh expect osascript Rscript R julia'.split(
    ' ',
  ),
);

/**
 * Launchers, shells and interpreters only get the exact rule, because the words after them decide
 * what runs.
 */
function startsOthers([name = '', ...rest]: readonly string[]): boolean {
  const starters = Object.hasOwn(SUBCOMMAND_LAUNCHERS, name)
    ? SUBCOMMAND_LAUNCHERS[name]
    : undefined;
  return (
    SHELLS.has(name) ||
    Object.hasOwn(LAUNCHERS, name) ||
    INTERPRETERS.has(name) ||
    name.includes('/') ||
    rest.some((word) => starters?.includes(word) === true)
  );
}
