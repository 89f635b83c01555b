import { isRangeOrPattern, parseRevisionPath } from '../patterns/revision.ts';
import { exists } from '../repository/diskFile.ts';
import { printsContent } from '../repository/printed.ts';
import type { ShellWord } from '../shell/acts.ts';
import { type GitObjects, UnclearMove } from './gitObjects.ts';

/** A command of which git can list the files that it prints beforehand. */
export interface PrintingCommand {
  readonly verb: 'diff' | 'show' | 'cat-file';
  /** It prints what commits change, and not only their messages. */
  readonly patch: boolean;
  readonly cached: boolean;
  /** Revisions and paths, as written, before `--`. */
  readonly operands: readonly string[];
  /** The paths behind `--`. Undefined: there is no `--`, so operands may be paths, too. */
  readonly paths: readonly string[] | undefined;
}

/** Options that print no file that isn't listed without them. */
const PLAIN =
  /^(?:-[pubwasqRmcz]+|-[UM]\d*|-[SG].+|--(?:patch|cc|relative|inter-hunk-context|pickaxe-all|pickaxe-regex|color-moved|ws-error-highlight|compact-summary|dirstat|no-patch|stat|numstat|shortstat|summary|raw|name-only|name-status|check|no-color|color|word-diff|color-words|ignore-all-space|ignore-space-change|ignore-blank-lines|minimal|patience|histogram|exit-code|quiet|no-ext-diff|no-textconv|unified|function-context|no-renames|find-renames|no-prefix|full-index|binary|text|oneline|format|pretty|abbrev|abbrev-commit|no-abbrev-commit|decorate|no-decorate|date|no-notes)(?:=.*)?)$/s;

/** Undefined: it is another command, or it may print files that aren't listed. */
export function toPrintingCommand(words: readonly ShellWord[]): PrintingCommand | undefined {
  const [git, verb, ...rest] = words.map(({ value }) => value);
  if (git !== 'git' || (verb !== 'diff' && verb !== 'show' && verb !== 'cat-file'))
    return undefined;
  if (words.some(({ literal }) => !literal)) return undefined;
  const mark = rest.indexOf('--');
  const before = mark < 0 ? rest : rest.slice(0, mark);
  const paths = mark < 0 ? undefined : rest.slice(mark + 1);
  const isCached = (word: string) => verb === 'diff' && /^--(?:cached|staged)$/.test(word);
  const options = before.filter((word) => word.startsWith('-'));
  if (!options.every((word) => isCached(word) || PLAIN.test(word))) return undefined;
  const operands = before.filter((word) => !word.startsWith('-'));
  // `HEAD^!` and `HEAD^@` are several commits, and `:/text` is looked for.
  if (operands.some((word) => /^\^|\^[!@-]|^$|^:\//.test(word))) return undefined;
  const isNamed = (word: string) => parseRevisionPath(word) !== undefined;
  if (verb === 'diff' && operands.some(isNamed)) return undefined;
  if (verb === 'show' && operands.some(isRangeOrPattern)) return undefined;
  const patch = verb !== 'cat-file' && printsContent(verb, rest);
  return { verb, patch, cached: options.some(isCached), operands, paths };
}

/**
 * The files whose content the command prints, relative to the root of the repository, whether they
 * exist or not. Throws `UnclearMove`.
 */
export async function listPrinted(
  command: PrintingCommand,
  folder: string,
  git: Git,
): Promise<readonly string[]> {
  const { revisions, paths, named } = await splitOperands(command, folder, git);
  // The files that operands name are evaluated by their names.
  if (!command.patch || (named && revisions.length === 0)) return [];
  const list = (plumbing: string, ...args: readonly string[]) =>
    git.listNames(plumbing, ...NAMES, ...args, '--', ...paths);
  const [from, to, ...more] = revisions;
  if (command.verb === 'show') {
    const shown: string[] = [];
    for (const commit of from === undefined ? ['HEAD'] : revisions)
      shown.push(...(await list('diff-tree', '-r', '-m', '--root', '--no-commit-id', commit)));
    return shown;
  }
  const { cached } = command;
  if (more.length > 0 || (cached && to !== undefined))
    throw new UnclearMove('there are several revisions');
  if (to !== undefined) return list('diff-tree', '-r', from ?? '', to);
  if (from !== undefined) return list('diff-index', ...(cached ? ['--cached'] : []), from);
  return cached ? list('diff-index', '--cached', 'HEAD') : list('diff-files');
}

/** Lists the names of files from the root of the repository. */
export const NAMES = [
  '--name-only',
  '-z',
  '--no-renames',
  '--no-relative',
  '--ignore-submodules=none',
];

type Git = Omit<GitObjects, 'root'>;

/** The most operands about which git is asked. */
const OPERANDS = 50;

interface Split {
  readonly revisions: readonly string[];
  readonly paths: readonly string[];
  /** There are operands such as `HEAD:a.ts`. */
  readonly named: boolean;
}

/** The ids of the revisions, then the paths: a word that is no revision starts them. */
async function splitOperands(
  { verb, operands, paths }: PrintingCommand,
  folder: string,
  git: Git,
): Promise<Split> {
  if (operands.length > OPERANDS) throw new UnclearMove('there are too many operands');
  const revisions: string[] = [];
  let named = false;
  for (const [index, operand] of operands.entries()) {
    const file = parseRevisionPath(operand);
    if (file !== undefined) {
      // A path in another object than a commit isn't the path in the repository.
      const isKnown = file.revision === '' || (await git.resolve(file.revision)) !== undefined;
      if (!isKnown) throw new UnclearMove(`"${operand}" is not in a commit`);
      named = true;
      continue;
    }
    const ids = await resolve(operand, verb, git);
    if (ids.length > 0) {
      revisions.push(...ids);
      continue;
    }
    const behind = operands.slice(index);
    for (const each of behind) {
      if (verb === 'cat-file' || paths !== undefined || !(await exists(each, folder)))
        throw new UnclearMove(`"${each}" is no commit`);
    }
    return { revisions, paths: behind, named };
  }
  return { revisions, paths: paths ?? [], named };
}

/** `a..b` are two revisions, and `a...b` starts where they forked. */
async function resolve(
  operand: string,
  verb: PrintingCommand['verb'],
  git: Git,
): Promise<readonly string[]> {
  const [, one, dots, other] = /^(.*?)(\.{2,})(.*)$/.exec(operand) ?? [];
  // The paths in another tree would not be those in the repository.
  const find = async (name: string | undefined) => git.resolve(name || 'HEAD');
  if (dots === undefined) {
    const id = await git.resolve(operand);
    return id === undefined ? [] : [id];
  }
  const [from, to] = await Promise.all([find(one), find(other)]);
  // A path may contain dots, too.
  if (from === undefined || to === undefined) return [];
  if (verb === 'show') throw new UnclearMove('it prints several commits');
  if (dots === '..') return [from, to];
  const [base, ...others] = await git.findBases(from, to);
  if (base === undefined || others.length > 0) throw new UnclearMove('there is no single base');
  return [base, to];
}
