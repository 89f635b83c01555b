import { statSync } from 'node:fs';
import path from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { mayBeNamed } from '../patterns/nameOverlap.ts';
import { realFolder } from '../patterns/paths.ts';
import { findHazard } from '../repository/configuration.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import { listTrackedFiles } from '../repository/trackedFiles.ts';
import { type Act, ELSEWHERE, type FileAct } from '../shell/acts.ts';
import { EXPANDED, QUOTED, SPLIT } from '../shell/fileNames.ts';
import { baseName, isMisread, lookAround, type Passing, UNKNOWN } from '../sweeps/oddNames.ts';
import { mayBringFiles } from '../sweeps/settled.ts';
import { askGit } from './askGit.ts';
import { findGitVerb } from './gitVerb.ts';

/**
 * Marks the acts whose names another command would misread: one that it takes for an option, or that
 * `xargs` splits into several. Where git can list the names, the files of these replace the sweep.
 * `started`: when the time for looking began.
 */
export async function checkPassedNames(
  acts: readonly Act[],
  compiled: Evaluation,
  started: number,
): Promise<readonly Act[]> {
  if (!acts.some(isPassing)) return acts;
  const changes = acts.some(mayChangeNames);
  const checked: Act[] = [];
  for (const act of acts) {
    if (isPassing(act)) checked.push(...(await check(act, changes, compiled, started)));
    else checked.push(act);
  }
  return checked;
}

function isPassing(act: Act): act is Passing {
  return act.kind === 'file' && act.passes !== undefined;
}

/** Whether a command of the line may bring a file with such a name, or make git print one. */
function mayChangeNames(act: Act): boolean {
  if (act.kind === 'host') return false;
  if (act.kind === 'file') return act.access === 'fs.write' && ODD.test(act.target);
  return mayBringFiles(act) || findGitVerb(act) !== undefined;
}

const ODD = /(?:^|[\\/])-|[\s'"\\*?[\]]/;

async function check(
  act: Passing,
  changes: boolean,
  compiled: Evaluation,
  started: number,
): Promise<readonly FileAct[]> {
  const { to, options, splits } = act.passes;
  const matters = options || splits;
  if (changes) {
    const why = `Another part of the command line may change the names that ${toCodeSpan(to)} gets.`;
    return [matters ? { ...act, misread: `${why} Run it as a command of its own.` } : act];
  }
  const all = act.passes.git === undefined ? undefined : await list(act, compiled, started);
  const listed = all === undefined || all === UNKNOWN ? all : restrict(all, act);
  const files = listed === undefined ? [act] : toFiles(listed, act);
  const odd = matters ? await findMisread(listed, act, compiled, started) : undefined;
  const [first = act, ...others] = files;
  return odd === undefined ? files : [{ ...first, misread: describe(odd, act) }, ...others];
}

/** Of the tracked files, only those at or below the path that `git ls-files` is given. */
function restrict(names: readonly string[], { target, folders }: Passing): readonly string[] {
  const [folder = ELSEWHERE] = folders;
  const root = findGitFolder(folder)?.root;
  if (target === '.' || root === undefined) return names;
  const top = path.relative(root, path.resolve(realFolder(folder), target));
  return names.filter((name) => `${name}/`.startsWith(`${top}/`));
}

function describe(odd: string, { passes }: Passing): string {
  const { to, options, splits, expands, git } = passes;
  const program = toCodeSpan(to);
  if (odd === UNKNOWN) {
    const as = options ? 'an option' : 'several names';
    return `Gatehouse can't tell whether ${program} would take a name for ${as}.`;
  }
  const name = toCodeSpan(odd, 60);
  if (expands === true && EXPANDED.test(odd))
    return `The shell splits and expands what a command prints, so ${program} would get other names than ${name}. Use \`xargs -0\` instead.`;
  if (splits && SPLIT.test(odd))
    return `\`xargs\` reads spaces and quotes, so ${program} would get other names than ${name}. Separate the names with NUL, and use \`xargs -0\`.`;
  if (splits && git !== undefined && QUOTED.test(odd))
    return `git quotes the name ${name}, so ${program} would get another one. Add \`-z\`, and use \`xargs -0\`.`;
  return `${program} would take the name ${name} for an option. Put \`--\` before the names.`;
}

function findMisread(
  listed: readonly string[] | typeof UNKNOWN | undefined,
  act: Passing,
  compiled: Evaluation,
  started: number,
): Promise<string | undefined> {
  if (listed === undefined) return lookAround(act, compiled, started);
  const odd = listed === UNKNOWN ? UNKNOWN : listed.find((name) => isMisread(name, act));
  return Promise.resolve(odd);
}

/** The most names that are evaluated one by one. */
const NAMES = 1000;

/** The files of the names. A folder is swept, and many names are. */
function toFiles(names: readonly string[] | typeof UNKNOWN, act: Passing): readonly FileAct[] {
  const [folder = ELSEWHERE, ...others] = act.folders;
  if (names === UNKNOWN || names.length > NAMES || folder === ELSEWHERE || others.length > 0)
    return [act];
  const root = findGitFolder(folder)?.root ?? folder;
  const { only } = act;
  const wanted =
    only === undefined ? names : names.filter((name) => mayBeNamed(baseName(name), only));
  // `git diff` prints paths from the root in every folder, unless it is configured otherwise.
  const targets = new Set(wanted.flatMap((name) => [`${root}/${name}`, `${folder}/${name}`]));
  if ([...targets].some(mayBeFolder)) return [act];
  return [...targets].map((target) => {
    return { kind: 'file', access: act.access, target, folders: act.folders, role: 'operand' };
  });
}

/** Also what can't be told, as of links that lead in a circle: then it is looked below the folder. */
function mayBeFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return true;
  }
}

/** The names that git prints, and perhaps others. Undefined: there is no repository. */
async function list(
  act: Passing,
  compiled: Evaluation,
  started: number,
): Promise<readonly string[] | typeof UNKNOWN | undefined> {
  const [folder = ELSEWHERE, ...others] = act.folders;
  if (folder === ELSEWHERE || others.length > 0) return UNKNOWN;
  try {
    const git = findGitFolder(folder);
    // Outside a repository `git diff` compares the files that it is given.
    if (git === undefined) return undefined;
    const tracked = listTrackedFiles(git);
    if (tracked === undefined || findHazard(git) !== undefined) return UNKNOWN;
    if (act.sweep !== 'all') return tracked;
    const changed = await listChanged(act, folder, compiled, started);
    return changed === UNKNOWN ? UNKNOWN : [...tracked, ...changed];
  } catch {
    // The repository can't be read, or there is a folder where a file should be.
    return UNKNOWN;
  }
}

/** The names of which some may only be in a commit. */
async function listChanged(
  { passes }: Passing,
  folder: string,
  compiled: Evaluation,
  started: number,
): Promise<readonly string[] | typeof UNKNOWN> {
  const [verb = 'diff', ...given] = passes.git ?? [];
  return askGit(compiled, started, async (read, signal) => {
    const safe = ['-z', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];
    const answer = await read(folder, [verb, ...safe, ...given], signal);
    if (answer === undefined) return UNKNOWN;
    // It fails then, and prints nothing.
    return answer.exitCode === 0 ? answer.output.split('\0').filter((name) => name !== '') : [];
  });
}
