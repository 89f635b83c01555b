import type { FileAct, ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import type { Walk } from '../walkState.ts';
import { findExclusions } from './exclusions.ts';
import type { Below } from './filters.ts';
import { GIT_WRITERS } from './gitTable.ts';
import { pushUnsure, toFolder } from './unnamed.ts';

/**
 * Adds the folders in which git reads or writes files that no word names: `git add .`, `git diff`,
 * `git checkout -- src`. Which files are tracked or changed is unknown, so a rule for one of them
 * asks. Repositories rarely contain hidden files, so rules for those only count if git includes
 * untracked files, too.
 */
export function addGitSweeps(
  sub: string,
  given: readonly ShellWord[],
  command: readonly ShellWord[],
  folders: Folders,
  walk: Walk,
): void {
  const sweeps = Object.hasOwn(SWEEPS, sub) ? (SWEEPS[sub] ?? []) : [];
  if (sweeps.length === 0 && !PATHSPECS.has(sub)) return;
  const without = findExclusions(command);
  const own = { command, ...(without.length > 0 && { without }) };
  const options = given.map(({ value }) => value).filter((value) => value.startsWith('-'));
  for (const { access, sweep, when, targets, present } of sweeps) {
    if (when?.(options, given) === false) continue;
    const below = present === true ? own : PAST;
    for (const target of toTargets(targets, given))
      pushUnsure(target, access, sweep, folders, walk, below);
  }
  if (!PATHSPECS.has(sub)) return;
  const accesses = GIT_WRITERS.has(sub) ? (['fs.read', 'fs.write'] as const) : READ;
  for (const access of accesses) {
    const below = PRESENT.has(sub) ? own : PAST;
    for (const word of dropTexts(sub, given)) addPathspec(word, access, folders, walk, below);
    if (given.some(({ value }) => FROM_FILE.test(value)))
      pushUnsure('.', access, 'all', folders, walk, below);
  }
}

const READ = ['fs.read'] as const;

/** What these read comes from a commit, or from a file that lies elsewhere. */
const PAST = { past: true } as const;
/** Subcommands whose path patterns only match files that lie there now. */
const PRESENT: ReadonlySet<string> = new Set(['add', 'stage', 'clean']);

/** Subcommands that take path patterns and access the contents of files. */
const PATHSPECS: ReadonlySet<string> = new Set(
  `add annotate archive blame cat-file checkout checkout-index clean commit diff diff-files diff-index
  diff-tree difftool format-patch grep log mv reset restore rm show stage stash whatchanged`.split(
    /\s+/,
  ),
);

/** Options that take the file names, or the objects to print, from elsewhere. */
const FROM_FILE = /^--(stdin|batch|batch-command|pathspec-from-file)(=|$)/;

/** Options whose value is a string, by subcommand. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  grep: /^-e$/,
  commit: /^(?:-m|--message)$/,
  stash: /^(?:-m|--message)$/,
  log: /^(?:-S|-G|--grep|--author|--committer)$/,
  show: /^(?:-S|-G|--grep|--author|--committer)$/,
  diff: /^(?:-S|-G)$/,
};

/** Removes search patterns, messages and similar texts: `git grep '.*x' src` names one path. */
function dropTexts(sub: string, given: readonly ShellWord[]): readonly ShellWord[] {
  const option = Object.hasOwn(TEXTS, sub) ? TEXTS[sub] : undefined;
  const is = (index: number) => option?.test(given[index]?.value ?? '') === true;
  const asks = sub === 'grep' && !given.some(({ value }) => /^-[a-zA-Z]*[ef]/.test(value));
  const first = asks ? given.findIndex(({ value }) => !value.startsWith('-')) : -1;
  const mark = given.findIndex(({ value }) => value === '--');
  // The value of an option may look like an option: `-S -S '*.env'` names a path.
  return given.filter((_, index) => {
    if (mark >= 0 && index > mark) return true;
    return index !== first && !(is(index - 1) && !is(index - 2));
  });
}

/** Adds the files of a pathspec: `:/.env`, `:(top,icase).ENV`, `'*.env'`. */
function addPathspec(
  { value, literal }: ShellWord,
  access: FileAct['access'],
  folders: Folders,
  walk: Walk,
  below: Below,
): void {
  if (!literal || value.startsWith('-')) return;
  const [, long, short = '', rest = value] = /^:(?:\(([^)]*)\)|([/!^]+))(.*)$/s.exec(value) ?? [];
  const magic = long ?? short;
  // Excluded files aren't touched.
  if (/exclude|[!^]/.test(magic)) return;
  const path = rest.replace(/^\/+/, (slashes) => (magic === '' ? slashes : ''));
  const isPattern = /[*?[]/.test(path) || /icase|glob|attr|prefix/.test(magic);
  if (!isPattern) {
    if (magic === '') return;
    const target = path === '' ? '.' : path;
    walk.acts.push({ kind: 'file', access, target, folders, role: 'operand' });
    if (toFolder({ value: target, literal }) !== undefined)
      pushUnsure(target, access, 'all', folders, walk, below);
    return;
  }
  const folder = magic === '' ? (toFolder({ value: path, literal }) ?? '.') : '.';
  const name = path.slice(path.lastIndexOf('/') + 1);
  pushUnsure(folder, access, 'all', folders, walk, { ...below, only: name === '' ? '*' : name });
}

/**
 * `all`: the whole tree. `folders`: the operands. `paths`: the operands, `marked`: those after
 * `--`; if there are none, the whole tree. `certain`: operands that can't be revisions.
 */
type Targets = 'all' | 'folders' | 'paths' | 'marked' | 'certain';

interface Sweep {
  readonly access: FileAct['access'];
  readonly sweep: 'all' | 'visible';
  readonly targets: Targets;
  /** Only files that lie there now are touched. */
  readonly present?: true;
  readonly when?: (options: readonly string[], given: readonly ShellWord[]) => boolean;
}

type When = NonNullable<Sweep['when']>;

/** Whether one of the options is given: long names, and single letters, which may be clustered. */
function has(long: RegExp, letters = ''): When {
  return (options) =>
    options.some((option) =>
      option.startsWith('--')
        ? long.test(option)
        : [...letters].some((letter) => option.includes(letter)),
    );
}

/** Matches abbreviated long options, as git does. */
const PATCH = has(/^--(patch|pat$|cc$|unified|word-diff|color-words|function-context)/, 'pucULW');
const SUMMARY =
  /^(-s|--(stat|shortstat|numstat|dirstat|name-only|name-status|summary|quiet|no-patch|raw|check)(=.*)?)$/;

/** Whether the contents of files are printed, not only their names. */
const shows: When = (options, given) => {
  if (PATCH(options, given)) return true;
  return !options.some((option) => SUMMARY.test(option));
};

/** `HEAD:src/a.ts` names a file, which is evaluated by that name. */
const showsTree: When = (options, given) => {
  const operands = given.filter(({ value }) => !value.startsWith('-'));
  const named = operands.length > 0 && operands.every(({ value }) => /.:./.test(value));
  return !named && shows(options, given);
};

const branches = has(/^--(orphan|track)/, 'bB');

const READS = { access: 'fs.read', sweep: 'visible' } as const;
const WRITES = { access: 'fs.write', sweep: 'visible' } as const;

const verb = (given: readonly ShellWord[]) =>
  given.find(({ value }) => !value.startsWith('-'))?.value ?? '';
const stashes: When = (_, given) => /^(push|save|create|)$/.test(verb(given));

const ADDS: readonly Sweep[] = [
  { access: 'fs.read', sweep: 'all', targets: 'folders', present: true },
  {
    access: 'fs.read',
    sweep: 'all',
    targets: 'paths',
    present: true,
    when: has(/^--(a|u|pathspec-from)/, 'Au'),
  },
];
const SHOWS: readonly Sweep[] = [{ ...READS, targets: 'marked', when: shows }];
const RESTORES: readonly Sweep[] = [{ access: 'fs.write', sweep: 'all', targets: 'folders' }];
const REMOVES = RESTORES.map((each) => ({ ...each, present: true as const }));

/** What the subcommands touch in addition to the files they name. */
const SWEEPS: Readonly<Record<string, readonly Sweep[]>> = {
  add: ADDS,
  stage: ADDS,
  commit: [
    {
      access: 'fs.read',
      sweep: 'all',
      targets: 'all',
      present: true,
      when: has(/^--(all|pathspec-from)/, 'a'),
    },
  ],
  diff: SHOWS,
  'diff-files': [{ ...READS, targets: 'marked', when: PATCH }],
  'diff-index': [{ ...READS, targets: 'marked', when: PATCH }],
  'diff-tree': [{ ...READS, targets: 'marked', when: PATCH }],
  log: [{ ...READS, targets: 'marked', when: PATCH }],
  reflog: [{ ...READS, targets: 'marked', when: PATCH }],
  whatchanged: SHOWS,
  show: [{ ...READS, targets: 'marked', when: showsTree }],
  'cat-file': [{ ...READS, targets: 'all', when: showsBlob }],
  'format-patch': [{ ...READS, targets: 'all' }],
  archive: [{ ...READS, targets: 'all' }],
  bundle: [{ ...READS, targets: 'all', when: (_, given) => verb(given) === 'create' }],
  stash: [
    { ...READS, targets: 'all', when: (_, given) => verb(given) === 'show' },
    {
      access: 'fs.read',
      sweep: 'all',
      targets: 'all',
      present: true,
      when: (options, given) => stashes(options, given) && has(/^--(a|inc)/, 'au')(options, given),
    },
    { ...WRITES, targets: 'all', present: true, when: stashes },
    {
      access: 'fs.write',
      sweep: 'all',
      targets: 'all',
      present: true,
      when: (options, given) => stashes(options, given) && has(/^--(a|inc)/, 'au')(options, given),
    },
  ],
  // Creating a branch keeps the working tree, or is a switch.
  checkout: [
    { access: 'fs.write', sweep: 'all', targets: 'certain' },
    { ...WRITES, targets: 'folders', when: (options, given) => !branches(options, given) },
  ],
  restore: RESTORES,
  rm: REMOVES,
  mv: RESTORES,
  'checkout-index': [
    { access: 'fs.write', sweep: 'all', targets: 'all', when: has(/^--all/, 'a') },
  ],
  reset: [{ access: 'fs.write', sweep: 'all', targets: 'all', when: has(/^--(h|merge|keep)/) }],
  clean: [
    {
      access: 'fs.write',
      sweep: 'all',
      targets: 'paths',
      present: true,
      when: (options, given) => !has(/^--dry/, 'n')(options, given),
    },
  ],
  apply: [
    {
      access: 'fs.write',
      sweep: 'all',
      targets: 'all',
      when: (options, given) => !has(/^--(check|stat|numstat|summary)/)(options, given),
    },
  ],
};

function showsBlob(options: readonly string[], given: readonly ShellWord[]): boolean {
  if (options.some((option) => /^(-t|-s|-e|--batch-check)/.test(option))) return false;
  return !given.some(({ value }) => /^[^-].*:./.test(value));
}

function toTargets(targets: Targets, given: readonly ShellWord[]): readonly string[] {
  if (targets === 'all') return ['.'];
  const mark = given.findIndex(({ value }) => value === '--');
  const unmarked = mark < 0 ? given : given.slice(0, mark);
  const behind = mark < 0 ? [] : given.slice(mark + 1);
  // Words before `--` may be revisions.
  const operands = unmarked.filter(({ value }) => !value.startsWith('-'));
  const certain = operands.filter(({ value }) => /^\.{1,2}(?:\/|$)|\/$/.test(value));
  const before = targets === 'marked' ? [] : targets === 'certain' ? certain : operands;
  const paths = [...before, ...behind];
  if (paths.length === 0 && /^(paths|marked)$/.test(targets)) return ['.'];
  return paths.flatMap((word) => (isOwnPattern(word.value) ? [] : (toFolder(word) ?? [])));
}

/**
 * Whether `addPathspec` handles the word. A command with only exclusions affects the whole tree.
 */
function isOwnPattern(value: string): boolean {
  return (
    /^:(?:\/(?![!^])|\((?!.*exclude))/.test(value) ||
    (!value.startsWith(':') && /[*?[]/.test(value))
  );
}
