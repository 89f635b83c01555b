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
import { type GitObjects, openGit } from './gitObjects.ts';
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
  return askGit(compiled, started, async (read, signal) => {
    const marked = new Map<Act, Act>();
    // `git add a b c` is several sweeps, about which git is asked once.
    for (const group of Map.groupBy(sweeping, toGroup).values()) {
      const files = new Set(group.flatMap((act) => listFound(act, compiled)));
      const [act] = group;
      const cleans = act?.command?.[1]?.value === 'clean';
      const folder = act === undefined ? ELSEWHERE : toFolder(act);
      const ignored = await findIgnored({ folder, files: [...files], cleans }, read, signal);
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

/** Sweeps of one folder by a command that removes what git doesn't track, or by others. */
function toGroup(act: FileAct): string {
  return `${act.command?.[1]?.value === 'clean'} ${toFolder(act)}`;
}

interface Sweeping {
  readonly folder: string;
  /** Real and absolute. */
  readonly files: readonly string[];
  /** The command only touches what git doesn't track. */
  readonly cleans: boolean;
}

/** Those of the files that git ignores, or that it tracks where that is the same. */
async function findIgnored(
  { folder, files, cleans }: Sweeping,
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
    if (below.length === 0) return NONE;
    const toName = (file: string) => path.posix.relative(git.root, file);
    const specs = below.map((file) => `:(top,literal,icase)${toName(file)}`);
    // What a project neither tracks nor ignores is little.
    const options = cleans ? OTHERS : ['--cached', ...OTHERS];
    const asked = cleans && specs.length > SPEC_LIMIT ? [] : ['--', ...specs];
    const listed = await git.listNames('ls-files', '-z', ...options, ...asked);
    const taken = new Set(listed.map((name) => name.toLowerCase()));
    // A repository within is listed by its folder.
    const folders = [...taken].filter((each) => each.endsWith('/'));
    const isTaken = (name: string) =>
      taken.has(name) || folders.some((each) => name.startsWith(each));
    const [repositories, plain] = split(below, (file) => file.endsWith('/.git'));
    const kept = plain.filter((file) => !isTaken(toName(file).toLowerCase()));
    return new Set([...kept, ...(await findKept(repositories, toName, git))]);
  } catch {
    // The repository can't be read, so nothing is known to be ignored.
    return NONE;
  }
}

/**
 * The repositories in folders that git ignores. It never lists what is in `.git`, so that it lists none of that
 * tells nothing.
 */
async function findKept(
  repositories: readonly string[],
  toName: (file: string) => string,
  git: Pick<GitObjects, 'listNames'>,
): Promise<readonly string[]> {
  const names = repositories.map((file) => toName(path.posix.dirname(file)));
  // A colon starts what is no name to git.
  if (names.length === 0 || names.some((name) => name.startsWith(':'))) return [];
  try {
    // One in each line; other names than plain ones are quoted, and so are none of these.
    const [lines = ''] = await git.listNames('check-ignore', '--', ...names);
    const ignored = new Set(lines.split('\n'));
    return repositories.filter((_, index) => ignored.has(names[index] ?? ''));
  } catch {
    // None is ignored, or git can't tell.
    return [];
  }
}

function split<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

/** Git compares every file with each of them. */
const SPEC_LIMIT = 200;
const OTHERS = ['--others', '--exclude-standard'] as const;
const NONE: ReadonlySet<string> = new Set();
