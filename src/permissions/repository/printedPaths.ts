import { lstatSync } from 'node:fs';
import path from 'node:path';
import { listObjects, namesCommits, widensPaths } from '../patterns/revision.ts';
import { toPrinted } from './printed.ts';

/**
 * The absolute paths at or below which everything lies whose content a git command prints or
 * searches, now or in the past: the root of the repository if that can't be told. None: it prints no
 * content. `words` follow `git`; `folder` is real and absolute.
 */
export function listPrintedPaths(
  words: readonly string[],
  folder: string,
  root: string,
): readonly string[] {
  if (toPrinted(words) === undefined) return [];
  const at = words.findIndex((word) => !word.startsWith('-'));
  const sub = words[at] ?? '';
  const given = words.slice(at + 1);
  return listRestricted(sub, given, folder) ?? [root];
}

/** The commands whose paths restrict what they print. */
const RESTRICTED: ReadonlySet<string> = new Set(['diff', 'show', 'log', 'whatchanged', 'grep']);
/** These may also print what an operand names by its content. */
const ANY_OBJECT: ReadonlySet<string> = new Set(['diff', 'show', 'grep']);
/** Prints more than the folder that the command runs in. */
const LEAVES_FOLDER = /^--no-rel/;
/** Options without a value, so that the next word is an operand. */
const LETTERS = /^-(?:[psuwbaEFPizWv]+|[UMC]?\d+)$/;
const GREP_LETTERS = /^-(?:[aEFGPhHiIlLnopqvwWz]+|[ABC]?\d+)$/;
const NAMES =
  /^--(?:patch|stat|numstat|shortstat|summary|oneline|cached|staged|name-only|name-status|no-color|no-renames|word-diff|graph|all|relative|exit-code|check|raw|reverse|merges|no-merges|first-parent|ignore-all-space|ignore-case|line-number|count|word-regexp|fixed-strings|untracked|[\w-]+=.*)$/s;

/** Undefined: it may print any file of the repository. */
function listRestricted(
  sub: string,
  given: readonly string[],
  folder: string,
): readonly string[] | undefined {
  const mark = given.indexOf('--');
  const before = mark < 0 ? given : given.slice(0, mark);
  const widens = widensPaths(before) || before.some((word) => LEAVES_FOLDER.test(word));
  if (!RESTRICTED.has(sub) || widens) return undefined;
  // After other options, a word may be their value.
  const letters = sub === 'grep' ? GREP_LETTERS : LETTERS;
  const isFree = (index: number) => {
    const last = before[index - 1] ?? '';
    return !last.startsWith('-') || letters.test(last) || NAMES.test(last);
  };
  if (mark >= 0 && !isFree(mark)) return undefined;
  const operands = listObjects(sub, before);
  const named = mark < 0 ? operands.filter((word) => isPath(word, folder)) : [];
  const revisions = operands.filter((word) => !named.includes(word));
  if (ANY_OBJECT.has(sub) && !revisions.every(namesCommits)) return undefined;
  const specs = [...named, ...given.slice(mark < 0 ? given.length : mark + 1)];
  if (named.some((word) => !isFree(before.indexOf(word)))) return undefined;
  const taken = specs.filter((spec) => !EXCLUDES.test(spec));
  const relative = before.some((word, index) => word === '--relative' && isFree(index));
  if (relative || (sub === 'grep' && taken.length === 0)) return [folder];
  const found = taken.map((spec) => toPath(spec, folder));
  return found.length === 0 || found.includes(undefined)
    ? undefined
    : found.filter((each) => each !== undefined);
}

const EXCLUDES = /^:(?:[!^]|\(exclude\))/;

/** Whether the word is a path: git refuses one that could also be a revision. */
function isPath(word: string, folder: string): boolean {
  if (/^[^:^~@]*[*?[][^:^~@]*$/.test(word)) return true;
  try {
    return lstatSync(path.resolve(folder, word), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // No permission, or no valid path: it may be a revision.
    return false;
  }
}

/** Up to the first pattern. Git, too, resolves `..` by the names alone. */
function toPath(spec: string, folder: string): string | undefined {
  if (spec.startsWith(':') || spec === '') return undefined;
  const names = path.resolve(folder, spec).split(path.sep);
  const pattern = names.findIndex((name) => /[*?[\\]/.test(name));
  return pattern < 0 ? names.join('/') : names.slice(0, pattern).join('/') || '/';
}
