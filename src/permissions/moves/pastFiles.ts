import path from 'node:path';
import { matchesFile } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { followsRenames, parseRevisionPath } from '../patterns/revision.ts';
import { findHazard } from '../repository/configuration.ts';
import { findGitFolder } from '../repository/gitFolder.ts';
import type { CompiledRule } from '../rules/compiledRule.ts';
import type { ReadGit } from '../rules/policy.ts';
import { type Act, ELSEWHERE, type FileAct, type ShellWord } from '../shell/acts.ts';
import { askGit } from './askGit.ts';
import { type GitObjects, openGit } from './gitObjects.ts';
import { NAMES } from './printedNames.ts';

/**
 * Where git can't list which files a git command prints, a rule of the user's for hidden files counts,
 * too, if the repository holds or ever held one that it matches, or if that can't be told. `started`:
 * when the time for looking began.
 */
export async function addPastFiles(
  acts: readonly Act[],
  compiled: Evaluation,
  started: number,
): Promise<readonly Act[]> {
  const rules = compiled.fileRules['fs.read'].all.filter(
    ({ rule }) => rule.action !== 'allow' && rule.origin?.layer !== 'default',
  );
  if (rules.length === 0 || !acts.some(isGuess)) return acts;
  return askGit(compiled, started, acts, async (read, signal) => {
    const known = new Map<readonly ShellWord[], Promise<boolean>>();
    const widened = acts.map(async (act) => {
      if (!isGuess(act)) return act;
      const holds = known.get(act.command) ?? mayPrint(act, rules, compiled, read, signal);
      known.set(act.command, holds);
      return (await holds) ? ({ ...act, sweep: 'all' } as const) : act;
    });
    return Promise.all(widened);
  });
}

type Guess = FileAct & { readonly command: readonly ShellWord[] };

/** Files that git may print, of which hidden ones are left out so far. */
function isGuess(act: Act): act is Guess {
  if (act.kind !== 'file' || act.past !== true || act.access !== 'fs.read') return false;
  return act.sweep === 'visible' && act.command !== undefined;
}

/** Whether one of the rules matches a file that the command may print. */
async function mayPrint(
  { command, folders }: Guess,
  rules: readonly CompiledRule[],
  { policy: { platform } }: Evaluation,
  read: ReadGit,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    for (const folder of folders) {
      if (folder === ELSEWHERE) return true;
      const own = findGitFolder(folder);
      if (own === undefined) continue;
      // Listing files must not run what the repository configures.
      if (findHazard(own) !== undefined) return true;
      const { git, here } = await openGit(folder, read, signal);
      const names = await listEver(command.slice(1), git, here);
      if (names === undefined) return true;
      const files = [...new Set(names)].map((name) => ({ path: path.posix.join(git.root, name) }));
      if (files.some((file) => rules.some((rule) => matchesFile(rule, file, platform))))
        return true;
    }
    return false;
  } catch {
    // No permission, no time, or a name that git can't resolve.
    return true;
  }
}

/** Subcommands that only print files at the paths behind `--`, unless they follow renames. */
const RESTRICTED = /^(?:diff|diff-files|diff-index|diff-tree|log|reflog|show|whatchanged)$/;
/** Options of git itself that take no value. */
const GLOBAL = /^(?:-P|-p|--no-pager|--paginate|--no-optional-locks)$/;

/**
 * All files of the index and of all commits. Undefined: the words, which follow `git`, may name
 * others.
 */
async function listEver(
  words: readonly ShellWord[],
  git: GitObjects,
  here: Omit<GitObjects, 'root'>,
): Promise<readonly string[] | undefined> {
  if (words.some(({ literal }) => !literal)) return undefined;
  const values = words.map(({ value }) => value);
  const mark = values.indexOf('--');
  const before = mark < 0 ? values : values.slice(0, mark);
  const operands = before.filter((word) => !word.startsWith('-'));
  const commits: string[] = [];
  for (const name of new Set(operands.flatMap(toRevisions))) {
    const commit = await here.resolve(name);
    if (commit !== undefined) commits.push(commit);
    // The files of a tree, or of a file's content, may have any name.
    else if ((await here.resolve(name, 'object')) !== undefined) return undefined;
  }
  // A path in a tree isn't the path in the repository.
  const hasTree = operands.some((word) => word.includes(':') || word.includes('^{'));
  const verb = values.find((word) => !GLOBAL.test(word)) ?? '';
  const restricts = RESTRICTED.test(verb) && !followsRenames(before);
  const paths = mark < 0 || hasTree || !restricts ? [] : values.slice(mark + 1);
  const reader = paths.length > 0 ? here : git;
  const [past, now] = await Promise.all([
    reader.listNames(...HISTORY, ...NAMES, ...commits, '--', ...paths),
    reader.listNames('ls-files', '-z', '--full-name', '--', ...paths),
  ]);
  return [...past, ...now];
}

/** Also those that only the reflog or the command itself names; each parent of a merge counts. */
const HISTORY = ['log', '--all', '--reflog', '-m', '--root', '--format='] as const;

/** The names of commits in an operand, which may be any other word, too. */
function toRevisions(operand: string): readonly string[] {
  if (operand.startsWith(':/')) return [operand];
  const whole = parseRevisionPath(operand)?.revision ?? operand;
  const parts = whole.replace(/^\^/, '').split(/\.{2,3}/);
  return parts
    .map((part) => part.replace(/\^(?:[!@]|-\d*|\{tree\})$/, ''))
    .filter((part) => part !== '');
}
