import path from 'node:path';

/** Which tracked files a git command may print. */
export interface Printed {
  /** `file` is absolute; `folder` is where the command runs, `root` that of the repository. */
  mayInclude(file: string, folder: string, root: string): boolean;
}

/**
 * The files whose content a git command may print without naming them, now or in the past;
 * undefined: it prints none. `words` follow `git`.
 */
export function toPrinted(words: readonly string[]): Printed | undefined {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const sub = words[at] ?? '';
  const given = words.slice(at + 1);
  if (!prints(sub, given)) return undefined;
  const mark = given.indexOf('--');
  const specs = mark < 0 ? [] : given.slice(mark + 1);
  const left = specs.flatMap((spec) => /^:(?:[!^]|\(exclude\))(.*)$/s.exec(spec)?.[1] ?? []);
  const taken = specs.filter((spec) => !/^:(?:[!^]|\(exclude\))/.test(spec));
  const everything = taken.length === 0 || taken.some((spec) => /[*?[\\]|^:/.test(spec));
  return {
    mayInclude(file, folder, root) {
      const covers = (spec: string) => {
        const full = path.resolve(folder, spec);
        return file === full || file.startsWith(full === root ? root : `${full}/`);
      };
      return !left.some(covers) && (everything || taken.some(covers));
    },
  };
}

const PATCH =
  /^-(?!-)[^-SG]*[pucUWL]|^--(?:patch|cc|unified|word-diff|color-words|function-context|binary|check)/;
const SUMMARY =
  /^(?:-s|-q|--(?:stat|shortstat|numstat|dirstat|name-only|name-status|summary|quiet|no-patch|raw)(?:=.*)?)$/;
const NAMES = /^(?:-[a-zA-Z]*[lLcq]|--(?:files-with.*|name-only|count|quiet))$/;

function prints(sub: string, given: readonly string[]): boolean {
  const patch = given.some((word) => PATCH.test(word));
  switch (sub) {
    case 'grep':
      return !given.some((word) => NAMES.test(word));
    case 'diff':
    case 'show':
    case 'range-diff':
      return !printsNamed(sub, given) && (patch || !given.some((word) => SUMMARY.test(word)));
    case 'log':
    case 'reflog':
    case 'stash':
    case 'whatchanged':
    case 'diff-tree':
      return patch;
    // `-v -v` prints a patch.
    case 'status':
      return given.join(' ').replace(/[^v]/g, '').length > 1;
    // An object that isn't a commit may be a file.
    case 'cat-file':
      return given.includes('-p') && given.some((word) => /^[\da-f]{4,}$/i.test(word));
    default:
      return false;
  }
}

/** `git show HEAD:src/a.ts` names a file, which is evaluated by that name. */
function printsNamed(sub: string, given: readonly string[]): boolean {
  const operands = given.filter((word) => !word.startsWith('-'));
  return sub === 'show' && operands.length > 0 && operands.every((word) => /.:./.test(word));
}
