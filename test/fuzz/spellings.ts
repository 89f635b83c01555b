import type { Program } from '../../src/permissions/shell/programs/tables/program.ts';
import { PROGRAMS } from '../../src/permissions/shell/programs/tables/programTable.ts';

/** An option of a program, spelled apart from its value and in the other ways that the program takes. */
export interface Spelled {
  readonly program: string;
  readonly option: string;
  readonly kind: Kind;
  /** How the row says that operands are used. */
  readonly operands: Program['operands'];
  /** The line with each option and each value in a word of its own. `FILE`: what the rules are about. */
  readonly apart: string;
  readonly others: readonly string[];
  /** These once more, behind the first spelling, and behind the operands. */
  readonly placed: readonly string[];
}

/** Fields of a row that name options: with a value that may be a file, with another value, with none. */
const NAMING = ['runs', 'writes', 'lists', 'reads', 'workFolders'] as const;
const VALUED = ['valued', 'addresses'] as const;
const FLAGS = ['sweeps', 'follows', 'descends', 'stays', 'edits'] as const;
type Kind = (typeof NAMING)[number] | (typeof VALUED)[number] | (typeof FLAGS)[number] | 'unknown';

/** An option that no row has. */
export const UNKNOWN = 'zz-unknown';
/** Stands for what the rules are about. */
export const FILE = '%%';

/** Every option of every row, in every spelling. */
export function listSpelled(): readonly Spelled[] {
  return Object.entries(PROGRAMS).flatMap(([program, row]) => listRow(program, row));
}

function listRow(program: string, row: Program): readonly Spelled[] {
  const options = new Map<string, Kind>();
  for (const kind of [...FLAGS, ...VALUED, ...NAMING])
    for (const option of toNames(row[kind])) options.set(option, kind);
  options.set(UNKNOWN, 'unknown');
  return [...options].map(([option, kind]) => {
    const value = isFlag(kind) ? undefined : isValued(kind) ? '3' : FILE;
    const rest = value === FILE ? 'src/f' : FILE;
    const operands = row.operands === 'copies' ? `${rest} out` : rest;
    const [first = '', ...spellings] = spell(option, value, row, [...options.keys()]).filter(
      (each) => program !== 'rg' || !isShortened(each, option),
    );
    return {
      program: program.replace(/ .*/, ''),
      option,
      kind,
      operands: row.operands,
      apart: `${program} ${first} ${operands}`,
      others: spellings.map((each) => `${program} ${each} ${operands}`),
      placed: [
        ...spellings.map((each) => `${program} ${first} ${each} ${operands}`),
        ...(row.optionsFirst === true || program.includes(' ')
          ? []
          : [first, ...spellings].map((each) => `${program} ${operands} ${each}`)),
      ],
    };
  });
}

/** The spellings of an option, the one apart from its value first. */
function spell(
  option: string,
  value: string | undefined,
  row: Program,
  known: readonly string[],
): readonly string[] {
  if (row.words === true) return spellWord(option, value, row);
  if (option.length > 1) return spellLong(option, value, known);
  const flag = [...'vqklnwzA'].find((letter) => !known.includes(letter)) ?? 'v';
  const isFirst = row.letters === 'first';
  if (value === undefined)
    return isFirst ? [`-${option}`] : [`-${option}`, `-${flag}${option}`, `-${option}${flag}`];
  const apart = `-${option} ${value}`;
  if (row.letters === 'apart') return [apart, `-${flag}${option} ${value}`];
  const attached = `-${option}${value}`;
  if (isFirst) return [apart, attached];
  return [apart, attached, `-${flag}${option}${value}`, `-${flag}${option} ${value}`];
}

function spellLong(
  option: string,
  value: string | undefined,
  known: readonly string[],
): readonly string[] {
  const shorter = Array.from(option, (_, at) => option.slice(0, at)).filter(
    (start) => start.length > 1 && known.filter((each) => each.startsWith(start)).length === 1,
  );
  // The shortest beginning, and the longest.
  const dashed = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = new Set([option, dashed, ...shorter.slice(0, 1), ...shorter.slice(-1)]);
  return [...names].flatMap((name) =>
    value === undefined ? [`--${name}`] : [`--${name} ${value}`, `--${name}=${value}`],
  );
}

/** With one dash or two, as programs written in Go take it. */
function spellWord(option: string, value: string | undefined, row: Program): readonly string[] {
  if (value === undefined) return [`-${option}`, `--${option}`];
  const attached = toNames(row.attached).includes(option) ? [`-${option}${value}`] : [];
  const joined = [`-${option}=${value}`, `--${option} ${value}`, `--${option}=${value}`];
  return [`-${option} ${value}`, ...attached, ...joined];
}

/** ripgrep takes no beginning of a name for it. */
function isShortened(spelling: string, option: string): boolean {
  return spelling.startsWith('--') && !spelling.startsWith(`--${option}`);
}

function isFlag(kind: Kind): boolean {
  return FLAGS.some((each) => each === kind);
}

function isValued(kind: Kind): boolean {
  return VALUED.some((each) => each === kind);
}

function toNames(field = ''): readonly string[] {
  return field.split(/\s+/).filter((name) => name !== '' && name !== '*');
}
