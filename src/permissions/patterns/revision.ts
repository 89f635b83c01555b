/** A file of a revision, or of the index, as git commands name it. */
export interface RevisionPath {
  /** Empty: the index. */
  readonly revision: string;
  /** Relative to the root of the repository, or to the command's folder if it starts with a dot. */
  readonly path: string;
}

/** Splits `HEAD:src/a.ts`, `:a.ts` and `:0:a.ts` as git does. Undefined: it is no such name. */
export function parseRevisionPath(word: string): RevisionPath | undefined {
  if (word.startsWith('-') || /^:[/!^(]/.test(word)) return undefined;
  const path = /^:(?:[0-3]:)?(.+)$/s.exec(word)?.[1];
  if (path !== undefined) return { revision: '', path };
  let depth = 0;
  for (let at = 0; at < word.length; at += 1) {
    const sign = word[at] ?? '';
    // No name of a revision has a space: this is a message.
    if (depth === 0 && /\s/.test(sign)) return undefined;
    if (sign === '{') depth += 1;
    else if (depth > 0 && sign === '}') depth -= 1;
    else if (depth === 0 && sign === ':')
      return { revision: word.slice(0, at), path: word.slice(at + 1) };
  }
  return undefined;
}

/** `HEAD`, `HEAD~2`, `main^`, `:/text`: commits whatever the repository holds. A tag may name any object. */
const COMMIT =
  /^:\/|^(?:@|(?:[A-Z]+_)?HEAD)(?:@\{[^}]*\})?$|(?:~\d*|\^\d*|\^\{(?:commit|\/.*)\}|@\{(?:u|upstream|push|-\d+)\})$/s;

/** Whether the word certainly names commits: `HEAD~2`, `HEAD~2..HEAD`. */
export function namesCommits(word: string): boolean {
  if (/^:\//.test(word)) return true;
  if (parseRevisionPath(word) !== undefined) return false;
  const parts = word.split(/\.{2,3}/);
  const isKnown = (part: string) => COMMIT.test(part.replace(/^\^/, ''));
  return parts.every((part) => isKnown(part) || (part === '' && parts.length > 1));
}

/**
 * A word such as `HEAD:src/a.ts` that names a file of a revision and nothing else. `HEAD:a..HEAD` is a
 * range, too, and git takes a word that names no object for a path: `HEAD:x/../*env` is `*env`.
 */
export function parsePlainPath(word: string): RevisionPath | undefined {
  const named = parseRevisionPath(word);
  // No revision starts with a slash, so `HEAD:../a.ts` is no range.
  const isPlain = !/\.\.|[*?[\\]/.test(word.replace(':../', ':'));
  return named?.path !== '' && isPlain ? named : undefined;
}

/** Whether a word that looks like a file of a revision may be a range or a pattern of paths, too. */
export function isRangeOrPattern(word: string): boolean {
  return (parseRevisionPath(word)?.path ?? '') !== '' && parsePlainPath(word) === undefined;
}

/** Whether the word certainly names a file by its path in the repository. */
export function namesFile(word: string): boolean {
  const named = parsePlainPath(word);
  if (named === undefined) return false;
  return named.revision === '' || namesCommits(named.revision);
}

/** Options that stand for references, which may be those of any object, or for other objects. */
const OBJECT_OPTION =
  /^--(?:all|branches|tags|remotes|glob|alternate-refs|indexed-objects|stdin)(?:=|$)/;

/**
 * The operands of a git subcommand that may be revisions or objects: those before `--`, and options
 * that stand for some.
 */
export function listObjects(sub: string, given: readonly string[]): readonly string[] {
  const end = given.indexOf('--');
  const before = end < 0 ? given : given.slice(0, end);
  if (sub !== 'grep')
    // An empty word names nothing: git refuses it.
    return before.filter(
      (word) => (word !== '' && !word.startsWith('-')) || OBJECT_OPTION.test(word),
    );
  const hasPattern = before.some((word) => /^-[a-zA-Z]*[ef]/.test(word));
  const operands = before.filter(
    (word, index) => !word.startsWith('-') && !/^-[a-zA-Z]*[efmABC]$/.test(before[index - 1] ?? ''),
  );
  return operands.slice(hasPattern ? 0 : 1);
}

const PATCH =
  /^-(?!-)[^-SG]*[pucUWLSG]|^--(?:patch|cc|dd|unified|word-diff|color-words|function-context|binary|check|remerge-diff|diff-merges)/;
/** Options after which only names, modes and numbers of files are printed. */
const SUMMARY =
  /^(?:-s|--(?:stat|shortstat|numstat|dirstat|name-only|name-status|summary|quiet|no-patch|raw)(?:=.*)?)$/;
/** Of these, `-q` suppresses the patch. For others it means something else. */
const QUIETS: ReadonlySet<string> = new Set(['show', 'log', 'reflog', 'whatchanged']);
/** Options that take no value from the next word. */
const ALONE =
  /^(?:$|[^-]|--no-|--?[\w-]+=|-\d+$|-[MCUnl]\d+%?$|-[abwzMCR]+$|--(?:cached|staged|oneline|graph|decorate|abbrev-commit|first-parent|merge-base|merges|reverse|follow|minimal|patience|histogram|text|full-index|exit-code|color|find-renames|find-copies|root|ignore-(?:all-space|space-change|blank-lines))$)/;

/**
 * Whether the options of a git subcommand make it print what files contain. Undefined: they say
 * nothing about it.
 */
export function printsPatch(sub: string, given: readonly string[]): boolean | undefined {
  if (given.some((word) => PATCH.test(word))) return true;
  const end = given.indexOf('--');
  const isSummary = (word: string) => SUMMARY.test(word) || (word === '-q' && QUIETS.has(sub));
  const summarizes = given.slice(0, end < 0 ? given.length : end).some((word, index) => {
    // It may be the value of the option before it: `git show --author --stat` prints a patch.
    const before = given[index - 1];
    return isSummary(word) && (before === undefined || isSummary(before) || ALONE.test(before));
  });
  return summarizes ? false : undefined;
}

/** Whether a path pattern of git only leaves files out: `:!x`, `:(top,exclude)x`. */
export function isExclusion(spec: string): boolean {
  return /^:(?:\/*[!^]|\((?:[^)\\]*,)?exclude[,)])/.test(spec);
}

/** Subcommands that print any object. Paths behind `--` are those in the object. */
const PRINTERS = /^(?:show|diff|grep|diff-tree|cat-file|range-diff)$/;

/**
 * Whether an option prints more than the paths behind `--` say: what a file held under its earlier names, or
 * all that a commit changes which changes one of them.
 */
export function widensPaths(given: readonly string[]): boolean {
  return given.some((word) => /^(?:--follow|--full-diff|-L)/.test(word));
}

/** Whether the paths behind `--` restrict what the subcommand prints to files at these paths. */
export function namesOnlyCommits(sub: string, given: readonly string[]): boolean {
  if (widensPaths(given)) return false;
  if (!PRINTERS.test(sub) || (sub === 'diff' && !given.includes('--'))) return true;
  return listObjects(sub, given).every(namesCommits);
}
