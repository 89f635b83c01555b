import type { CommandAct } from '../shell/acts.ts';

/** Subcommands of git that leave references and the index as they are. */
const KEEPS =
  /^(?:annotate|archive|blame|cat-file|check-.*|describe|diff|diff-.*|grep|log|ls-.*|merge-base|merge-tree|name-rev|reflog|rev-list|rev-parse|shortlog|show|show-.*|status|var|verify-.*|version|whatchanged)$/;

/** The subcommand of git, if it may change references or the index. */
export function findGitVerb({ words, inFolder, tightensOnly }: CommandAct): string | undefined {
  const [program = '', ...rest] = (inFolder?.words ?? words).map(({ value }) => value);
  if (tightensOnly === true || !/^(?:.*[\\/])?git(?:\.exe)?$/i.test(program)) return undefined;
  const verb = rest.find((each) => !each.startsWith('-')) ?? '';
  return KEEPS.test(verb) ? undefined : verb;
}
