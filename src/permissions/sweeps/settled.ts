import { toCodeSpan } from '../../base/codeSpan.ts';
import type { Act, CommandAct } from '../shell/acts.ts';
import { LAUNCHERS, SHELLS } from '../shell/programs/launcherTable.ts';
import { PROGRAMS } from '../shell/programs/tables/programTable.ts';
import { isFreeGlob } from '../shell/words.ts';

/**
 * Marks the sweeps and globs before which another command of the line may bring files or links into the
 * folder, so that what lies there now doesn't decide. In a loop every command may run before.
 */
export function markUnsettled(acts: readonly Act[], compound: boolean): readonly Act[] {
  const changing = acts.findIndex(mayBringFiles);
  const option = acts.findIndex(mayMakeOption);
  const tracking = acts.findIndex(mayChangeTracked);
  const adding = acts.findIndex(mayAddTracked);
  if (changing < 0 && option < 0 && tracking < 0) return acts;
  const isAfter = (index: number, first: number) => first >= 0 && (compound || index > first);
  return acts.map((act, index) => {
    const changed = isAfter(index, changing);
    const differs = (glob: string) =>
      changed || (glob.startsWith('$(') && isAfter(index, tracking));
    if (act.kind === 'command') return withDoubt(act, differs, isAfter(index, option));
    if (act.kind === 'file' && act.glob !== undefined)
      return differs(act.glob) ? { ...act, doubt: describe(act.glob) } : act;
    // Whatever lies there may be tracked by then.
    if (act.kind === 'file' && act.carries === 'tracked' && isAfter(index, adding))
      return { ...act, carries: 'removed', ...(changed && { unsettled: true }) };
    const looks =
      act.kind === 'file' &&
      (act.sweep !== undefined || act.follows === true || act.archive === true);
    return changed && looks ? { ...act, unsettled: true } : act;
  });
}

function withDoubt(
  act: CommandAct,
  differs: (glob: string) => boolean,
  option: boolean,
): CommandAct {
  if (act.doubt !== undefined) return act;
  const globs = act.words.flatMap(({ glob }) => glob ?? []);
  const glob = globs.find(differs) ?? (option ? globs.find(isFreeGlob) : undefined);
  if (glob === undefined) return act;
  return { ...act, doubt: describe(glob) };
}

function describe(glob: string): string {
  return `Another part of the line may change what ${toCodeSpan(glob)} matches.`;
}

/** Whether a file gets a name that a program takes for an option where a glob matches it. */
function mayMakeOption(act: Act): boolean {
  return act.kind === 'file' && act.access === 'fs.write' && /(^|[\\/])-/.test(act.target);
}

/** Subcommands of git that leave the index, and what `git ls-files` reads beside it, as they are. */
const READS =
  /^(blame|cat-file|describe|diff|grep|log|ls-files|ls-tree|rev-list|rev-parse|shortlog|show|status)$/;

/** Whether a git command may change which files are tracked, and so what `$(git ls-files)` prints. */
function mayChangeTracked(act: Act): boolean {
  if (act.kind !== 'command') return false;
  const [program, ...rest] = (act.inFolder ?? act).words.map(({ value }) => value);
  const verb = rest.find((each) => !each.startsWith('-')) ?? '';
  return program?.replace(/^.*[\\/]/, '') === 'git' && !READS.test(verb);
}

/** Whether a git command may track more files than before. */
function mayAddTracked(act: Act): boolean {
  if (act.kind !== 'command') return false;
  const [program, verb] = (act.inFolder ?? act).words.map(({ value }) => value);
  if (program === 'git' && verb === 'rm') return false;
  return mayChangeTracked(act) || mayBringFiles(act);
}

/** Subcommands of git that leave the files of the work tree as they are. */
const GIT =
  /^(add|blame|branch|cat-file|commit|config|describe|diff|fetch|grep|log|ls-files|ls-tree|push|reflog|remote|rev-list|rev-parse|shortlog|show|status|tag)$/;
/** Programs that write or remove only what they name, and make no link. */
const PLAIN: ReadonlySet<string> = new Set(
  'tee touch mkdir rmdir rm unlink truncate chmod export set wait exit read'.split(' '),
);

/** Whether a command may bring files into a folder that the line doesn't name. */
export function mayBringFiles(act: Act): boolean {
  if (act.kind !== 'command' || act.tightensOnly === true) return false;
  const [program, ...rest] = (act.inFolder ?? act).words.map(({ value }) => value);
  const name = (program ?? '').replace(/^.*[\\/]/, '');
  if (name === 'git') return !GIT.test(rest.find((each) => !each.startsWith('-')) ?? '');
  // What these run is a command of its own.
  if (Object.hasOwn(LAUNCHERS, name) || SHELLS.has(name) || PLAIN.has(name)) return false;
  const row = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  return row?.operands !== 'reads' && row?.operands !== 'text';
}
