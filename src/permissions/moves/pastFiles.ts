import path from 'node:path';
import { toCodeSpan } from '../../base/codeSpan.ts';
import { matchesFile } from '../decide/decide.ts';
import type { Evaluation } from '../decide/evaluation.ts';
import { isExclusion, parseRevisionPath, widensPaths } from '../patterns/revision.ts';
import { findHazard } from '../repository/configuration.ts';
import { findGitFolder, type GitFolder } from '../repository/gitFolder.ts';
import { listTrackedFiles } from '../repository/trackedFiles.ts';
import type { CompiledRule } from '../rules/compiledRule.ts';
import type { ReadGit } from '../rules/policy.ts';
import { type Act, ELSEWHERE, type FileAct, type ShellWord } from '../shell/acts.ts';
import { joinWords } from '../shell/words.ts';
import { askGit } from './askGit.ts';
import { type GitObjects, openGit } from './gitObjects.ts';
import { NAMES } from './printedNames.ts';

/**
 * Where git can't list which files a git command prints, rules for hidden files count, too, if the
 * repository holds or ever held one that they match, or if that can't be told. `started`: when the time
 * for looking began.
 */
export async function addPastFiles(
  acts: readonly Act[],
  compiled: Evaluation,
  started: number,
): Promise<readonly Act[]> {
  const all = compiled.fileRules['fs.read'].all.filter(counts);
  if (all.length === 0 || !acts.some(isGuess)) return acts;
  const isShipped = ({ rule }: CompiledRule) => rule.origin?.layer === 'default';
  const own = all.filter((rule) => !isShipped(rule));
  return askGit(compiled, started, async (read, signal) => {
    const known = new Map<readonly ShellWord[], Promise<readonly string[] | undefined>>();
    const widened = acts.map(async (act): Promise<readonly Act[]> => {
      if (!isGuess(act)) return [act];
      const asked = known.get(act.command);
      const listing = asked ?? listMatching(act, { all, own }, compiled, read, signal);
      known.set(act.command, listing);
      const files = await listing;
      if (files === undefined) return [{ ...act, sweep: 'all', misread: describe(act.command) }];
      const given = asked === undefined ? files.map((file) => toAct(file, act)) : [];
      return [act, ...given];
    });
    return (await Promise.all(widened)).flat();
  });
}

/** The shipped ask about all files outside isn't about what a repository holds. */
function counts({ rule }: CompiledRule): boolean {
  if (rule.action === 'allow' || rule.credentials === true) return false;
  return rule.origin?.layer !== 'default' || rule.pattern !== '**';
}

function describe(command: readonly ShellWord[]): string {
  return `Gatehouse can't tell whether ${toCodeSpan(joinWords(command))} prints a file that usually holds secrets.`;
}

function toAct(target: string, { folders }: Guess): FileAct {
  return { kind: 'file', access: 'fs.read', target, folders, role: 'operand' };
}

type Guess = FileAct & { readonly command: readonly ShellWord[] };

/** Files that git may print, of which hidden ones are left out so far. */
function isGuess(act: Act): act is Guess {
  if (act.kind !== 'file' || act.past !== true || act.access !== 'fs.read') return false;
  return act.sweep === 'visible' && act.command !== undefined;
}

interface Rules {
  readonly all: readonly CompiledRule[];
  /** Those of the user. */
  readonly own: readonly CompiledRule[];
}

/** More files than this are looked at as if they were unknown. */
const FILES = 100;

/**
 * The files that the command may print and that a shipped rule matches, absolute. Undefined: they can't
 * be told, or a rule of the user's matches one.
 */
async function listMatching(
  { command, folders, from = folders }: Guess,
  rules: Rules,
  compiled: Evaluation,
  read: ReadGit,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { platform } = compiled.policy;
  const matches = (path: string) => (rule: CompiledRule) => matchesFile(rule, { path }, platform);
  try {
    const found = new Set<string>();
    for (const folder of from) {
      if (folder === ELSEWHERE) return undefined;
      const own = findGitFolder(folder);
      if (own === undefined) continue;
      const names = await listNames(own, folder, command, rules, { read, signal });
      if (names === undefined) return undefined;
      const files = names.map((name) => path.posix.join(own.root, name));
      if (files.some((file) => rules.own.some(matches(file)))) return undefined;
      for (const file of files) if (rules.all.some(matches(file))) found.add(file);
    }
    return found.size > FILES ? undefined : [...found];
  } catch {
    // No permission, no time, or a name that git can't resolve.
    return undefined;
  }
}

async function listNames(
  own: GitFolder,
  folder: string,
  command: readonly ShellWord[],
  rules: Rules,
  { read, signal }: { readonly read: ReadGit; readonly signal: AbortSignal },
): Promise<readonly string[] | undefined> {
  // Listing files must not run what the repository configures. Its index still counts.
  if (findHazard(own) !== undefined)
    return rules.own.length > 0 ? undefined : listTrackedFiles(own);
  const { git, here } = await openGit(folder, read, signal);
  const names = await listEver(command.slice(1), git, here);
  return names && [...new Set(names)];
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
  const restricts = RESTRICTED.test(verb) && !widensPaths(before);
  const paths = mark < 0 || hasTree || !restricts ? [] : values.slice(mark + 1);
  const reader = paths.length > 0 ? here : git;
  // With nothing but exclusions, `log` takes all others, and `ls-files` those below the folder.
  if (paths.length > 0 && paths.every(isExclusion)) paths.push(':/');
  const newest = findLimit(verb, before, operands.length);
  const history = newest === undefined ? HISTORY : ['log', newest, ...EACH];
  const [past, now] = await Promise.all([
    reader.listNames(...history, ...NAMES, ...commits, '--', ...paths),
    reader.listNames('ls-files', '-z', '--full-name', '--', ...paths),
  ]);
  return [...past, ...now];
}

/** Also those that only the reflog or the command itself names; each parent of a merge counts. */
const EACH = ['-m', '--root', '--format='] as const;
const HISTORY = ['log', '--all', '--reflog', ...EACH] as const;

/** Options that neither leave commits out nor change their order. */
const PLAIN =
  /^(?:log|-P|-p|-u|-w|-U\d*|--(?:no-pager|patch|stat|shortstat|oneline|abbrev-commit|no-color|color|decorate|no-decorate|word-diff|reverse)|--(?:unified|format|pretty|date|color|decorate)=.*)$/s;

/** The option by which `git log -p -3` prints only the newest commits. Undefined: it may print any. */
function findLimit(verb: string, before: readonly string[], operands: number): string | undefined {
  const [limit, ...others] = before.filter((word) => /^-(?:n?\d+|-max-count=\d+)$/.test(word));
  const options = before.filter((word) => word.startsWith('-') && word !== limit);
  const isPlain = verb === 'log' && operands === 1 && options.every((word) => PLAIN.test(word));
  return isPlain && others.length === 0 ? limit : undefined;
}

/** The names of commits in an operand, which may be any other word, too. */
function toRevisions(operand: string): readonly string[] {
  if (operand.startsWith(':/')) return [operand];
  const whole = parseRevisionPath(operand)?.revision ?? operand;
  const parts = whole.replace(/^\^/, '').split(/\.{2,3}/);
  return parts
    .map((part) => part.replace(/\^(?:[!@]|-\d*|\{tree\})$/, ''))
    .filter((part) => part !== '');
}
