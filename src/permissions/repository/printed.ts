import path from 'node:path';
import {
  isRangeOrPattern,
  listObjects,
  namesCommits,
  namesFile,
  namesOnlyCommits,
  parsePlainPath,
  parseRevisionPath,
  printsPatch,
} from '../patterns/revision.ts';

/** Which tracked files a git command may print. */
export interface Printed {
  /**
   * `file` is absolute, and `id` that of its content; `folder` is where the command runs, `root` that
   * of the repository.
   */
  mayInclude(file: string, folder: string, root: string, id: string): boolean;
}

/**
 * The files whose content a git command may print without naming them, now or in the past;
 * undefined: it prints none. `words` follow `git`.
 */
export function toPrinted(words: readonly string[]): Printed | undefined {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const sub = words[at] ?? '';
  const given = words.slice(at + 1);
  const all = [toPatched(sub, given), toObjects(sub, given)].filter((each) => each !== undefined);
  if (all.length === 0) return undefined;
  return { mayInclude: (...asked) => all.some((each) => each.mayInclude(...asked)) };
}

/**
 * Whether it lists commits of submodules that the index may not have, so that nothing tells where their repositories
 * lie. Comparing one revision with the index or the work tree lists only those that are in both.
 */
export function listsPastSubmodules(words: readonly string[]): boolean {
  if (!words.some((word) => /^--submod[a-z]*(?:$|=(?!short$))/.test(word))) return false;
  const at = words.findIndex((word) => !word.startsWith('-'));
  if (words[at] !== 'diff') return true;
  const given = words.slice(at + 1);
  const mark = given.indexOf('--');
  const operands = given
    .slice(0, mark < 0 ? given.length : mark)
    .filter((word) => !/^-/.test(word));
  return operands.length > 1 || operands.some(isRangeOrParents);
}

function isRangeOrParents(word: string): boolean {
  return word.includes('..') || /\^[!@-]/.test(word);
}

/** What is printed of the files that the paths of the command name, by default all. */
function toPatched(sub: string, given: readonly string[]): Printed | undefined {
  if (!printsContent(sub, given)) return undefined;
  const mark = given.indexOf('--');
  const specs = mark < 0 ? [] : given.slice(mark + 1);
  const left = specs.flatMap((spec) => /^:(?:[!^]|\(exclude\))(.*)$/s.exec(spec)?.[1] ?? []);
  const taken = specs.filter((spec) => !/^:(?:[!^]|\(exclude\))/.test(spec));
  const everything = taken.length === 0 || taken.some((spec) => /[*?[\\]|^:/.test(spec));
  const restricts = namesOnlyCommits(sub, given);
  return {
    mayInclude(file, folder, root) {
      const covers = (spec: string) => {
        // In such a pattern `*` is any path, too.
        const [, end] = /^\*([^*?[\\/]+)$/.exec(spec) ?? [];
        if (end !== undefined) return file.startsWith(`${folder}/`) && file.endsWith(end);
        const full = path.resolve(folder, spec);
        return file === full || file.startsWith(full === root ? root : `${full}/`);
      };
      return !restricts || (!left.some(covers) && (everything || taken.some(covers)));
    },
  };
}

/** An object, perhaps abbreviated, also as `git describe` writes it. */
const OBJECT = /(?:^|-g)([\da-f]{4,})(?:[\^@{~].*)?$/is;

/** Without a patch `git show` still prints files that an operand names by their content, or in a tree. */
function toObjects(sub: string, given: readonly string[]): Printed | undefined {
  if (sub !== 'show' && sub !== 'cat-file') return undefined;
  const operands = listObjects(sub, given);
  const others = operands.filter((word) => !namesCommits(word) && !namesFile(word));
  const paths = others.flatMap((word) => {
    const named = parseRevisionPath(word)?.path;
    return named === undefined ? [] : path.posix.normalize(named).replace(/^(?:\.\.\/)+/, '');
  });
  const plain =
    sub === 'show' ? others.filter((word) => parseRevisionPath(word) === undefined) : [];
  const ids = plain.map((word) => OBJECT.exec(word)?.[1]?.toLowerCase());
  if (paths.length === 0 && ids.length === 0) return undefined;
  const isUnclear = sub === 'show' && others.some(isRangeOrPattern);
  return {
    mayInclude(file, _folder, _root, id) {
      if (isUnclear) return true;
      if (paths.some((each) => file.endsWith(`/${each}`))) return true;
      // Any other name may be a tag of the content.
      return ids.some((each) => each === undefined || id === '' || id.startsWith(each));
    },
  };
}

/**
 * Whether it prints the content of files that aren't named, or searches it: what a search finds tells
 * the content bit by bit.
 */
export function printsContent(sub: string, given: readonly string[]): boolean {
  const patch = printsPatch(sub, given);
  switch (sub) {
    case 'grep':
      return true;
    // The content of an object that a tag names.
    case 'for-each-ref':
    case 'tag':
    case 'branch':
      return given.some((word) => /%\(\*?raw/.test(word));
    case 'diff':
    case 'show':
    case 'range-diff':
      return !printsNamed(sub, given) && patch !== false;
    // `show` prints a patch with any option that says nothing about it.
    case 'stash':
      return given.includes('show') ? patch !== false : patch === true;
    case 'log':
    case 'reflog':
    case 'whatchanged':
    case 'diff-tree':
      return patch === true;
    // `-v` prints what is staged as a patch.
    case 'status':
      return given.some((word) => /^(?:-[a-z]*v|--v)/.test(word));
    // An object that isn't a commit may be a file.
    case 'cat-file':
      return given.includes('blob') || (given.includes('-p') && given.some(mayBeFile));
    default:
      return false;
  }
}

/** Any name may be that of a file's content, except for those of commits and their trees. */
function mayBeFile(word: string): boolean {
  if (word.startsWith('-') || parseRevisionPath(word) !== undefined) return false;
  return !namesCommits(word.replace(/\^\{tree\}$/, ''));
}

/** `git show HEAD:src/a.ts` names a file, which is evaluated by that name. */
function printsNamed(sub: string, given: readonly string[]): boolean {
  const operands = listObjects(sub, given);
  const isNamed = (word: string) => parsePlainPath(word) !== undefined;
  return sub === 'show' && operands.length > 0 && operands.every(isNamed);
}
