import type { Program } from '../tables/program.ts';

/** The names in a program's row, by kind. */
export interface Names {
  readonly valued: ReadonlySet<string>;
  readonly runs: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  readonly workFolders: ReadonlySet<string>;
  readonly lists: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
  readonly sweeps: ReadonlySet<string>;
  readonly follows: ReadonlySet<string>;
  readonly descends: ReadonlySet<string>;
  readonly stays: ReadonlySet<string>;
  readonly edits: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
  readonly attached: ReadonlySet<string>;
  readonly optional: ReadonlySet<string>;
  readonly pairs: ReadonlySet<string>;
  readonly letters: Program['letters'];
  /** The names with letters of both cases, by the same in lower case and without dashes. */
  readonly folded: ReadonlyMap<string, string>;
}

/** Options that say how far a program goes, and what it does there. */
export type Reach = 'sweeps' | 'follows' | 'descends' | 'stays' | 'edits';
export type Kind =
  | 'runs'
  | 'writes'
  | 'lists'
  | 'reads'
  | 'workFolders'
  | 'addresses'
  | 'valued'
  | Reach;

export const RISKY: readonly Kind[] = ['runs', 'writes', 'lists'];
export const REACHES: readonly Reach[] = ['sweeps', 'follows', 'descends', 'stays', 'edits'];
const KINDS: readonly Kind[] = [
  ...RISKY,
  'reads',
  'workFolders',
  'addresses',
  ...REACHES,
  'valued',
];
/** Kinds of options that may have a value. */
export const TAKING: readonly Kind[] = [...RISKY, 'reads', 'workFolders', 'addresses', 'valued'];

/** Resolves an abbreviated name. GNU programs accept any unambiguous prefix of a long option. */
export function findLong(written: string, names: Names, abbreviates: boolean): string | undefined {
  if (KINDS.some((kind) => names[kind].has(written))) return written;
  if (names.optional.has(written)) return undefined;
  const folded = names.folded.size === 0 ? undefined : names.folded.get(fold(written));
  if (folded !== undefined) return folded;
  // A single letter is ambiguous, so it only matches options that an allow must contain literally:
  // `split --f=program`.
  const kinds = written.length > 1 ? KINDS : abbreviates && written !== '' ? RISKY : NO_KINDS;
  for (const kind of kinds) {
    const name = [...names[kind]].find((each) => each.startsWith(written));
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Programs written in JavaScript also take `--root-dir`, and some `--ROOTDIR`, for `--rootDir`. */
function fold(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

const NO_KINDS: readonly Kind[] = [];

const known = new WeakMap<Program, Names>();

export function getNames(program: Program): Names {
  const cached = known.get(program);
  if (cached !== undefined) return cached;
  const names: Names = {
    valued: toSet(program.valued),
    runs: toSet(program.runs),
    writes: toSet(program.writes),
    workFolders: toSet(program.workFolders),
    lists: toSet(program.lists),
    reads: toSet(program.reads),
    sweeps: toSet(program.sweeps),
    follows: toSet(program.follows),
    descends: toSet(program.descends),
    stays: toSet(program.stays),
    edits: toSet(program.edits),
    addresses: toSet(program.addresses),
    attached: toSet(program.attached),
    optional: toSet(program.optional),
    pairs: toSet(program.pairs),
    letters: program.letters,
    folded: new Map(
      KINDS.flatMap((kind) => [...toSet(program[kind])])
        .filter((name) => /[a-z][A-Z]/.test(name))
        .map((name) => [fold(name), name]),
    ),
  };
  known.set(program, names);
  return names;
}

const sets = new Map<string, ReadonlySet<string>>();

/** The names in a field of a table. Cached, because the tables never change. */
export function toSet(names = ''): ReadonlySet<string> {
  const set = sets.get(names) ?? new Set(names.split(/\s+/).filter((name) => name !== ''));
  sets.set(names, set);
  return set;
}
