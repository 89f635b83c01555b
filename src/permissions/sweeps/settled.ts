import type { Act, CommandAct } from '../shell/acts.ts';
import { LAUNCHERS, SHELLS } from '../shell/programs/launcherTable.ts';
import { PROGRAMS } from '../shell/programs/programTable.ts';

/**
 * Marks the sweeps and globs before which another command of the line may bring files or links into the
 * folder, so that what lies there now doesn't decide. In a loop every command may run before.
 */
export function markUnsettled(acts: readonly Act[], compound: boolean): readonly Act[] {
  const changing = acts.findIndex((act) => act.kind === 'command' && mayBringFiles(act));
  if (changing < 0) return acts;
  return acts.map((act, index) => {
    if (!compound && index <= changing) return act;
    if (act.kind === 'command') return withDoubt(act);
    const looks = act.kind === 'file' && (act.sweep !== undefined || act.follows === true);
    return looks ? { ...act, unsettled: true } : act;
  });
}

function withDoubt(act: CommandAct): CommandAct {
  const glob = act.words.find((word) => word.glob !== undefined)?.glob;
  if (glob === undefined || act.doubt !== undefined) return act;
  return { ...act, doubt: `another part of the line may change what "${glob}" matches` };
}

/** Subcommands of git that leave the files of the work tree as they are. */
const GIT =
  /^(add|blame|branch|cat-file|commit|config|describe|diff|fetch|grep|log|ls-files|ls-tree|push|reflog|remote|rev-list|rev-parse|shortlog|show|status|tag)$/;
/** Programs that write or remove only what they name, and make no link. */
const PLAIN: ReadonlySet<string> = new Set(
  'tee touch mkdir rmdir rm unlink truncate chmod export set wait exit'.split(' '),
);

/** Whether a command may bring files into a folder that the line doesn't name. */
function mayBringFiles({ words, tightensOnly }: CommandAct): boolean {
  if (tightensOnly === true) return false;
  const [program, ...rest] = words.map(({ value }) => value);
  const name = (program ?? '').replace(/^.*[\\/]/, '');
  if (name === 'git') return !GIT.test(rest.find((each) => !each.startsWith('-')) ?? '');
  // What these run is a command of its own.
  if (Object.hasOwn(LAUNCHERS, name) || SHELLS.has(name) || PLAIN.has(name)) return false;
  const row = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return row?.operands !== 'reads' && row?.operands !== 'text';
}
