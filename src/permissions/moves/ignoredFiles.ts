import path from 'node:path';
import type { Evaluation } from '../decide/evaluation.ts';
import { resolveTargets } from '../decide/targets.ts';
import { findHazard } from '../repository/configuration.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import type { ReadGit } from '../rules/policy.ts';
import { type Act, ELSEWHERE, type FileAct, type ShellWord } from '../shell/acts.ts';
import { findProtectedLook } from '../sweeps/protectedBelow.ts';
import { mayBringFiles } from '../sweeps/settled.ts';
import { findLook } from '../sweeps/sweep.ts';
import { askGit } from './askGit.ts';
import { openGit } from './gitObjects.ts';
import { findGitVerb } from './gitVerb.ts';

/**
 * Marks the files that `git add .` and its kind leave out because the repository ignores them, so
 * that no rule for one of them asks. `started`: when the time for looking began.
 */
export async function markIgnored(
  acts: readonly Act[],
  compiled: Evaluation,
  started: number,
): Promise<readonly Act[]> {
  const looks = [...compiled.looks.values()];
  if (looks.every(({ found }) => found.length === 0)) return acts;
  const sweeping = findSweeping(acts, compiled);
  if (sweeping.length === 0) return acts;
  return askGit(compiled, started, acts, async (read, signal) => {
    const marked = new Map<Act, Act>();
    // `git add a b c` is several sweeps, about which git is asked once.
    for (const [folder, group] of Map.groupBy(sweeping, toFolder)) {
      const files = new Set(group.flatMap((act) => listFound(act, compiled)));
      const ignored = await findIgnored(folder, [...files], read, signal);
      if (ignored.size > 0) for (const act of group) marked.set(act, { ...act, ignored });
    }
    return acts.map((act) => marked.get(act) ?? act);
  });
}

/** The sweeps of commands that leave out ignored files, and found some that matter. */
function findSweeping(acts: readonly Act[], compiled: Evaluation): readonly FileAct[] {
  // A line may hold thousands of sweeps of one command.
  const known = new Map<readonly ShellWord[], boolean>();
  // The operands of a command that stands alone are its own.
  const alone = acts.filter(({ kind }) => kind === 'command').length === 1;
  const others = acts.filter((act) => !alone || act.kind !== 'file' || act.role !== 'operand');
  const leavesOut = (command: readonly ShellWord[]) => {
    const leaves =
      known.get(command) ??
      (leavesIgnored(command) && !others.some((each) => mayChangeIgnored(each, command)));
    known.set(command, leaves);
    return leaves;
  };
  return acts.filter((act): act is FileAct => {
    if (act.kind !== 'file' || act.sweep === undefined || act.command === undefined) return false;
    if (act.past === true || act.unsettled === true || !leavesOut(act.command)) return false;
    return listFound(act, compiled).length > 0;
  });
}

/** Options that include ignored files, which may be abbreviated and clustered. */
const INCLUDES: Readonly<Record<string, RegExp>> = {
  add: /^(?:-(?!-).*f|--f)/,
  stage: /^(?:-(?!-).*f|--f)/,
  commit: /^$/,
  stash: /^(?:-(?!-).*a|--a)/,
  clean: /^-(?!-).*[xX]/,
};

function leavesIgnored(command: readonly ShellWord[]): boolean {
  const [git, verb = '', ...rest] = command.map(({ value }) => value);
  const includes = Object.hasOwn(INCLUDES, verb) ? INCLUDES[verb] : undefined;
  if (git !== 'git' || includes === undefined || command.some(({ literal }) => !literal))
    return false;
  return !rest.some((word) => includes.test(word));
}

/** Subcommands that keep what is ignored and tracked, apart from what they add themselves. */
const KEEPS = /^(?:add|stage|commit|push)$/;

/** Whether another command of the line may change what the repository ignores. */
function mayChangeIgnored(act: Act, command: readonly ShellWord[]): boolean {
  if (act.kind === 'host') return false;
  if (act.kind === 'file')
    return act.access === 'fs.write' && act.target !== '/dev/null' && act.command !== command;
  if ((act.inFolder ?? act).words === command) return false;
  const verb = findGitVerb(act);
  return mayBringFiles(act) || (verb !== undefined && !KEEPS.test(verb));
}

function listFound(act: FileAct, compiled: Evaluation): readonly string[] {
  const files = resolveTargets(act, compiled).real;
  const found = files.flatMap((file) => [
    ...(findLook(act, file, compiled)?.found ?? []),
    ...(findProtectedLook(act, file, compiled)?.found ?? []),
  ]);
  return found.flatMap(({ path: file, folder }) => (folder ? [] : [file]));
}

/** The only folder that the command may run in. */
function toFolder({ folders: [folder = ELSEWHERE, ...others] }: FileAct): string {
  return others.length > 0 ? ELSEWHERE : folder;
}

/** Those of the files that git ignores. All are real and absolute. */
async function findIgnored(
  folder: string,
  files: readonly string[],
  read: ReadGit,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (folder === ELSEWHERE) return NONE;
  try {
    const own = findGitFolder(folder);
    // Listing files must not run what the repository configures.
    if (own === undefined || findHazard(own) !== undefined) return NONE;
    const { git } = await openGit(folder, read, signal);
    const below = files.filter((file) => file.startsWith(`${git.root}/`));
    const specs = below.map((file) => `:(top,literal,icase)${path.posix.relative(git.root, file)}`);
    if (specs.length === 0) return NONE;
    const listed = await git.listNames('ls-files', '-z', ...LISTED, '--', ...specs);
    const taken = new Set(listed.map((name) => name.toLowerCase()));
    const isTaken = (file: string) => {
      const name = path.posix.relative(git.root, file).toLowerCase();
      // A repository within is listed by its folder.
      return [...taken].some(
        (each) => each === name || (each.endsWith('/') && name.startsWith(each)),
      );
    };
    return new Set(below.filter((file) => !isTaken(file)));
  } catch {
    // The repository can't be read, so nothing is known to be ignored.
    return NONE;
  }
}

const LISTED = ['--cached', '--others', '--exclude-standard'] as const;
const NONE: ReadonlySet<string> = new Set();
