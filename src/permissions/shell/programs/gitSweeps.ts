import {
  isExclusion,
  listObjects,
  namesCommits,
  namesFile,
  namesOnlyCommits,
  printsPatch,
} from '../../patterns/revision.ts';
import type { FileAct, Includes, ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import { dropTexts, isOwnPattern, toNames } from '../git/pathspecs.ts';
import type { Walk } from '../walkState.ts';
import { findExclusions } from './exclusions.ts';
import type { Below } from './filters.ts';
import { GIT_WRITERS } from './gitTable.ts';
import { pushUnsure, toFolder, toNamed } from './unnamed.ts';

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
  // What these read comes from a commit, or from a file that lies elsewhere.
  const past = { past: true, command } as const;
  const own = { command, ...(without.length > 0 && { without }) };
  const options = toValues(given).filter((value) => value.startsWith('-'));
  const whole = !namesOnlyCommits(sub, toValues(given));
  for (const { access, sweep, includes, when, targets, present, carries } of sweeps) {
    if (when?.(options, given) === false) continue;
    const more = { ...(includes && { includes }), ...(carries && { carries }) };
    const below = { ...(present === true ? own : past), ...more };
    const into = sub === 'mv' ? given.findLast(({ value }) => !value.startsWith('-')) : undefined;
    const moved = given.filter((word) => word !== into);
    for (const target of toTargets(whole ? 'all' : targets, carries ? moved : given, carries)) {
      const top = target === WHOLE && !HERE.has(sub);
      const folder = target === WHOLE ? '.' : target;
      pushUnsure(folder, access, sweep, folders, walk, top ? { ...below, top } : below);
    }
  }
  if (!PATHSPECS.has(sub)) return;
  const carried = sweeps.find(({ carries }) => carries !== undefined)?.carries;
  const accesses = GIT_WRITERS.has(sub) ? (['fs.read', 'fs.write'] as const) : READ;
  for (const access of accesses) {
    const below = { ...(PRESENT.has(sub) ? own : past), ...(carried && { carries: carried }) };
    for (const word of dropTexts(sub, given)) addPathspec(word, access, folders, walk, below);
    if (given.some(({ value }) => FROM_FILE.test(value)))
      pushUnsure('.', access, 'all', folders, walk, below);
  }
}

/** Adds every file of the repository as one that the command may touch. */
export function addWholeTree(sub: string, folders: Folders, walk: Walk): void {
  for (const access of GIT_WRITERS.has(sub) ? (['fs.read', 'fs.write'] as const) : READ)
    pushUnsure('.', access, 'all', folders, walk, { past: true, top: true });
}

export const toValues = (words: readonly ShellWord[]) => words.map(({ value }) => value);

const READ = ['fs.read'] as const;

/** Stands for the whole work tree, from wherever the command runs. */
const WHOLE = ':/';
/** Subcommands that affect only the files below the folder that they run in. */
const HERE: ReadonlySet<string> = new Set(['apply', 'archive', 'checkout-index', 'clean']);
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
const FROM_FILE = /^--(std?i?n?|batch|batch-co[a-z]*|pathspec-fr[a-z-]*)(=|$)/;

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
  if (isExclusion(value)) return;
  const path = rest.replace(/^\/+/, (slashes) => (magic === '' ? slashes : ''));
  // A backslash hides the name too; on Windows git takes it for a slash.
  const isEscaped = path.includes('\\') && walk.platform !== 'win32';
  const isPattern = /[*?[]/.test(path) || /icase|glob|attr|prefix/.test(magic);
  if (!isPattern && magic !== '') {
    const target = path === '' ? '.' : path;
    walk.acts.push({ kind: 'file', access, target, folders, role: 'operand' });
    if (toFolder({ value: target, literal }) !== undefined)
      pushUnsure(target, access, 'all', folders, walk, below);
  }
  if (!isPattern && !isEscaped) return;
  // What a backslash precedes is no folder's whole name either.
  const start = path.replace(/\\.*$/s, '*');
  const folder = magic === '' ? (toFolder({ value: start, literal }) ?? '.') : '.';
  for (const only of toNames(path))
    pushUnsure(folder, access, 'all', folders, walk, { ...below, ...(only && { only }) });
}

/**
 * `all`: the whole tree. `folders`: the operands. `paths`: the operands, `marked`: those after
 * `--`; if there are none, the whole tree. `certain`: operands that can't be revisions.
 */
type Targets = 'all' | 'folders' | 'paths' | 'marked' | 'certain';

interface Sweep {
  readonly access: FileAct['access'];
  readonly sweep: 'all' | 'visible';
  readonly includes?: Includes;
  readonly targets: Targets;
  /** Only files that lie there now are touched. */
  readonly present?: true;
  readonly carries?: FileAct['carries'];
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

/** Whether the contents of files are printed, not only their names. */
const shows: When = (_, given) => printsPatch('diff', toValues(given)) !== false;
const patches: When = (_, given) => printsPatch('log', toValues(given)) === true;

/**
 * `HEAD:src/a.ts` names a file, which is evaluated by that name. Other names may be those of a file's
 * content, which is printed even without a patch.
 */
const showsTree: When = (_, given) => {
  const operands = listObjects('show', toValues(given));
  if (operands.length > 0 && operands.every(namesFile)) return false;
  const patch = printsPatch('show', toValues(given)) !== false;
  return patch || !operands.every((word) => namesCommits(word) || namesFile(word));
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
    when: has(/^--(a|u|pathspec-fr)/, 'Au'),
  },
  { ...READS, targets: 'marked', when: has(/^--(p(?!athspec)|i(?!gn|nt)|e)/, 'pie') },
];
/** Parts of files are selected one by one, each of which is printed first. */
const SELECTS: Sweep = { ...READS, targets: 'marked', when: has(/^--p(?!athspec)/, 'p') };
const SHOWS: readonly Sweep[] = [{ ...READS, targets: 'marked', when: shows }];
const RESTORES: readonly Sweep[] = [{ access: 'fs.write', sweep: 'all', targets: 'folders' }];
const carry = (carries: Sweep['carries'], access: Sweep['access'] = 'fs.write'): readonly Sweep[] =>
  RESTORES.map((each) => ({ ...each, access, present: true, ...(carries && { carries }) }));

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
      when: has(/^--(all|pathspec-fr)/, 'a'),
    },
    {
      ...READS,
      targets: 'all',
      when: (options) => options.some((each) => COMMIT_SHOWS.test(each)),
    },
  ],
  status: [{ ...READS, targets: 'all', when: has(/^--v/, 'v') }],
  rebase: [{ ...READS, targets: 'all', when: has(/^--sh/) }],
  rerere: [{ ...READS, targets: 'all', when: (_, given) => verb(given) === 'diff' }],
  // Another name than the file's is given to an object, which may be its content.
  notes: [{ ...READS, targets: 'all', when: has(/^--reu|^--ree/, 'Cc') }],
  replace: [{ ...READS, targets: 'all', when: (options) => !has(/^--(d|l)/, 'dl')(options, []) }],
  'update-index': [{ ...READS, targets: 'all', when: has(/^--ca/) }],
  bisect: [{ ...READS, targets: 'all', when: patches }],
  diff: SHOWS,
  'diff-files': [{ ...READS, targets: 'marked', when: patches }],
  'diff-index': [{ ...READS, targets: 'marked', when: patches }],
  'diff-tree': [{ ...READS, targets: 'marked', when: patches }],
  log: [{ ...READS, targets: 'marked', when: patches }],
  reflog: [{ ...READS, targets: 'marked', when: patches }],
  whatchanged: SHOWS,
  show: [{ ...READS, targets: 'marked', when: showsTree }],
  'cat-file': [{ ...READS, targets: 'all', when: showsBlob }],
  'format-patch': [{ ...READS, targets: 'all' }],
  archive: [{ ...READS, targets: 'all' }],
  'range-diff': [{ ...READS, targets: 'all', when: shows }],
  // With three operands it prints what it merges.
  'merge-tree': [{ ...READS, targets: 'all' }],
  'fast-export': [{ ...READS, targets: 'all' }],
  'request-pull': [{ ...READS, targets: 'all', when: has(/^--p/, 'p') }],
  bundle: [{ ...READS, targets: 'all', when: (_, given) => verb(given) === 'create' }],
  stash: [
    {
      ...READS,
      targets: 'all',
      when: (options, given) => (verb(given) === 'show' ? shows : patches)(options, given),
    },
    {
      access: 'fs.read',
      sweep: 'all',
      targets: 'all',
      present: true,
      when: (options, given) => stashes(options, given) && has(/^--(a|i)/, 'au')(options, given),
    },
    { ...WRITES, includes: 'tracked', targets: 'all', present: true, when: stashes },
    {
      access: 'fs.write',
      sweep: 'all',
      targets: 'all',
      present: true,
      when: (options, given) => stashes(options, given) && has(/^--(a|i)/, 'au')(options, given),
    },
  ],
  // Creating a branch keeps the working tree, or is a switch.
  checkout: [
    { access: 'fs.write', sweep: 'all', targets: 'certain' },
    { ...WRITES, targets: 'folders', when: (options, given) => !branches(options, given) },
    SELECTS,
  ],
  restore: [...RESTORES, SELECTS],
  rm: carry('tracked'),
  mv: [...RESTORES, ...carry('all'), ...carry('all', 'fs.read')],
  'checkout-index': [
    { access: 'fs.write', sweep: 'all', targets: 'all', when: has(/^--all/, 'a') },
  ],
  reset: [{ access: 'fs.write', sweep: 'all', targets: 'all', when: has(/^--(h|me|k)/) }, SELECTS],
  clean: [
    {
      access: 'fs.write',
      sweep: 'all',
      targets: 'paths',
      present: true,
      carries: 'untracked',
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

/** Letters that take the rest of the word as their value come before no other letter. */
const COMMIT_SHOWS = /^(?:-[^-mFCctSu]*[vp]|--(?:v|p(?!athspec)))/;

function showsBlob(options: readonly string[], given: readonly ShellWord[]): boolean {
  if (options.some((option) => /^(-t|-s|-e|--batch-check)/.test(option))) return false;
  const operands = toValues(given).filter((value) => !value.startsWith('-'));
  return operands.length === 0 || !operands.every(namesFile);
}

function toTargets(
  targets: Targets,
  given: readonly ShellWord[],
  carries?: FileAct['carries'],
): readonly string[] {
  if (targets === 'all') return [WHOLE];
  const mark = given.findIndex(({ value }) => value === '--');
  const unmarked = mark < 0 ? given : given.slice(0, mark);
  const behind = mark < 0 ? [] : given.slice(mark + 1);
  // Words before `--` may be revisions.
  const operands = unmarked.filter(({ value }) => !value.startsWith('-'));
  const certain = operands.filter(({ value }) => /^\.{1,2}(?:\/|$)|\/$/.test(value));
  const before = targets === 'marked' ? [] : targets === 'certain' ? certain : operands;
  const written = [...before, ...behind];
  const paths = written.filter(({ value }) => !/^:(?:[!^]|\(exclude\))/.test(value));
  // With nothing but exclusions, git takes everything else.
  const all = written.length > 0 || /^(paths|marked)$/.test(targets);
  if (paths.length === 0 && all) return [WHOLE];
  const toPaths = (word: ShellWord) => (carries ? toNamed(word) : (toFolder(word) ?? []));
  return paths.flatMap((word) => (isOwnPattern(word.value) ? [] : toPaths(word)));
}
