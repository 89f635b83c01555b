import { GIT_RISKY_LONG, GIT_RISKY_SHORT } from '../../src/permissions/shell/programs/gitTable.ts';
import { toKnownName } from '../../src/permissions/shell/programs/knownNames.ts';
import { LAUNCHERS, type Launcher } from '../../src/permissions/shell/programs/launcherTable.ts';
import { isLong } from '../workbench/sizes.ts';
import { FILE, listSpelled, type Spelled } from './spellings.ts';

/** A line, and others that do the same. */
export type Same = Pick<Spelled, 'program' | 'apart' | 'others'>;

/** Every option of every launcher before a command. */
export function listLaunchers(command: string): readonly Same[] {
  return Object.entries(LAUNCHERS).flatMap(([program, row]) => {
    const known = [row.flags, row.valued, row.attached, row.shellOption].flatMap(toNames);
    const operands = row.skip === 99 ? '' : 'x '.repeat(row.skip ?? 0);
    const rest = `${operands}${row.after?.[0] ?? ''} ${command}`;
    // Bash reads `time -p` itself, and in `time -qp` it takes `-qp` for a program.
    if (program === 'time') return [];
    return known.map((option) => {
      const [first = '', ...others] = spell(option, toValue(option, row, command), row, known);
      const toLine = (each: string) => `${program} ${each} ${rest}`;
      return { program, apart: toLine(first), others: others.map(toLine) };
    });
  });
}

function toValue(option: string, row: Launcher, command: string): string | undefined {
  if (toNames(row.shellOption).includes(option)) return `'${command}'`;
  return toNames(row.valued).includes(option) ? 'v' : undefined;
}

function spell(
  option: string,
  value: string | undefined,
  row: Launcher,
  known: readonly string[],
): readonly string[] {
  const end = value === undefined ? '' : ` ${value}`;
  if (row.words === true)
    return [`-${option}${end}`, ...(value === undefined ? [] : [`-${option}=${value}`])];
  if (option.length > 1) return spellLong(option, value, known);
  // `command -v` runs nothing.
  const flag = toNames(row.flags).find((each) => /^[a-uw-z]$/i.test(each) && each !== option);
  const clusters = flag === undefined ? [] : [`-${flag}${option}${end}`];
  if (value === undefined) return [`-${option}`, ...clusters];
  const attached = [
    `-${option}${value}`,
    ...(flag === undefined ? [] : [`-${flag}${option}${value}`]),
  ];
  return [`-${option}${end}`, ...clusters, ...attached];
}

function spellLong(
  option: string,
  value: string | undefined,
  known: readonly string[],
): readonly string[] {
  const shorter = Array.from(option, (_, at) => option.slice(0, at)).filter(
    (start) => start.length > 1 && known.filter((each) => each.startsWith(start)).length === 1,
  );
  const names = [option, ...shorter.slice(0, 1), ...shorter.slice(-1)];
  return names.flatMap((name) =>
    value === undefined ? [`--${name}`] : [`--${name} ${value}`, `--${name}=${value}`],
  );
}

/** Options of git with a file, by subcommand. */
const GIT_FILES: Readonly<Record<string, string>> = {
  add: 'pathspec-from-file',
  annotate: 'S',
  archive: 'o output',
  blame: 'S contents ignore-revs-file',
  bugreport: 'o output-directory',
  'check-mailmap': 'mailmap-file',
  checkout: 'pathspec-from-file',
  clone: 'u reference template separate-git-dir',
  commit: 'F file t template pathspec-from-file',
  'commit-tree': 'F',
  config: 'f file',
  diagnose: 'o output-directory',
  diff: 'O output',
  'diff-files': 'output',
  'diff-index': 'output',
  'diff-tree': 'output',
  'fast-export': 'export-marks',
  'format-patch': 'o output-directory signature-file',
  gc: 'expire-to',
  grep: 'f',
  init: 'template separate-git-dir',
  log: 'output',
  'ls-files': 'X exclude-from',
  mailsplit: 'o',
  merge: 'F file',
  notes: 'F file',
  'read-tree': 'index-output',
  repack: 'expire-to',
  reset: 'pathspec-from-file',
  restore: 'pathspec-from-file',
  rm: 'pathspec-from-file',
  show: 'output',
  stash: 'pathspec-from-file',
  tag: 'F file',
};

/** Every option of git that names a file, or that runs or writes something. */
export function listGit(): readonly Same[] {
  const named = Object.entries(GIT_FILES).flatMap(([sub, options]) =>
    spellGit(sub, toNames(options)),
  );
  const short = Object.entries(GIT_RISKY_SHORT).flatMap(([sub, letters]) =>
    spellGit(sub, [...letters]),
  );
  return [...named, ...short, ...['log', 'fetch'].flatMap((sub) => spellGit(sub, GIT_RISKY_LONG))];
}

function spellGit(sub: string, options: readonly string[]): readonly Same[] {
  return options.map((option) => {
    const letter = [`-${option} ${FILE}`, `-${option}${FILE}`];
    const shorter = [option, option.slice(0, -1), option.slice(0, -2)].filter(
      (each) => each.length > 1,
    );
    const long = shorter.flatMap((each) => [`--${each} ${FILE}`, `--${each}=${FILE}`]);
    const [first = '', ...others] = option.length === 1 ? letter : long;
    const toLines = (each: string) => [`git ${sub} ${each} HEAD`, `git ${sub} HEAD ${each}`];
    return { program: 'git', apart: `git ${sub} ${first} HEAD`, others: others.flatMap(toLines) };
  });
}

/** Every option that names a file, of programs that have other names: `gtar`, `make-4.4`. */
export function listAliases(): readonly Same[] {
  return listSpelled().flatMap(({ program, option, kind, apart, others }) => {
    const names = [`g${program}`, ...(OTHER_NAMES[program] ?? '').split(' ')];
    if (isLong()) names.push(`${program}-12`, `${program}3.11`);
    const known = names.filter((name) => name !== '' && toKnownName(name) === program);
    // Only `--include=GLOB` certainly leaves out what it doesn't match.
    if (kind === 'unknown' || option === 'include') return [];
    return known.map((name) => ({
      program: name,
      apart,
      others: [apart, ...others].map((line) => name + line.slice(program.length)),
    }));
  });
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  bmake: 'pmake fmake bsdmake',
  emacs: 'emacsclient emacs-nox',
  ld: 'ld.bfd ld.gold ld.lld',
  make: 'gmake mingw32-make remake colormake',
  ninja: 'samu',
  python3: 'ipython ipython3',
  vim: 'gvim rvim vimdiff',
};

function toNames(names = ''): readonly string[] {
  return names.split(/\s+/).filter((name) => name !== '');
}
