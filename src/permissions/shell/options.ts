import type { ShellWord } from './acts.ts';
import type { Program } from './programTable.ts';

/** A program's arguments, sorted by what they do. Numbers are indices of words. */
export interface Options {
  /** Words that an allow must spell out (C8). */
  readonly risky: Set<number>;
  /** Words that run something: what follows may be a command. */
  readonly runs: number[];
  readonly operands: number[];
  /** Files named by options, and how. */
  readonly files: { readonly path: string; readonly access: 'fs.read' | 'fs.write' }[];
  /** Hosts and URLs that options name, with the index of the word. */
  readonly addresses: { readonly value: string; readonly index: number }[];
  sweeps: boolean;
}

interface Names {
  readonly valued: ReadonlySet<string>;
  readonly runs: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
  readonly sweeps: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
}

/** Reads the words from `start` on by the program's row. What is not literal is an operand. */
export function parseOptions(
  program: Program,
  words: readonly ShellWord[],
  start: number,
): Options {
  const names = namesOf(program);
  const found: Options = {
    risky: new Set(),
    runs: [],
    operands: [],
    files: [],
    addresses: [],
    sweeps: program.sweeps === '*',
  };
  let index = start;
  const takesPlus = program.runs !== undefined;
  for (; index < words.length; index += 1) {
    const word = words[index];
    const text = word?.value ?? '';
    if (text === '--' && program.words !== true) break;
    // A plus starts an option for some editors and pagers: `less +!sh`, `vim +cmd`.
    const option = /^-./.test(text) || (takesPlus && /^\+./.test(text));
    if (word?.literal !== true || !option || program.inert === true) {
      found.operands.push(index);
    } else if (text.startsWith('+')) mark(found, index, index, 'runs');
    else if (text.startsWith('--') || program.words === true) {
      index += readLong(text.replace(/^--?/, ''), index, words, names, found);
    } else index += readShort(text, index, words, names, found);
  }
  for (index += 1; index < words.length; index += 1) found.operands.push(index);
  return found;
}

type Kind = 'runs' | 'writes' | 'reads' | 'addresses' | 'valued' | 'sweeps';

/** Returns how many further words the option takes. */
function readLong(
  text: string,
  index: number,
  words: readonly ShellWord[],
  names: Names,
  found: Options,
): number {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const kind = findLong(name, names);
  if (kind === undefined) return 0;
  if (kind === 'sweeps') found.sweeps = true;
  const takes = equals < 0 && kind !== 'sweeps' && index + 1 < words.length;
  const value = equals < 0 ? words[index + 1]?.value : text.slice(equals + 1);
  take(found, kind, index, takes ? index + 1 : index, value);
  // Whether a risky option has a value is not written down, so its neighbour stays an operand too.
  return takes && kind !== 'runs' && kind !== 'writes' ? 1 : 0;
}

/** GNU programs take any unambiguous beginning of a long option. */
function findLong(name: string, names: Names): Kind | undefined {
  const kinds: readonly Kind[] = ['runs', 'writes', 'reads', 'addresses', 'sweeps', 'valued'];
  for (const kind of kinds) if (names[kind].has(name)) return kind;
  if (name.length < 2) return undefined;
  return kinds.find((kind) =>
    [...names[kind]].some((each) => each.length > 1 && each.startsWith(name)),
  );
}

function readShort(
  text: string,
  index: number,
  words: readonly ShellWord[],
  names: Names,
  found: Options,
): number {
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    const rest = text.slice(at + 1);
    const kind = (['runs', 'writes', 'reads', 'addresses', 'valued'] as const).find((each) =>
      names[each].has(letter),
    );
    if (names.sweeps.has(letter)) found.sweeps = true;
    if (kind === undefined) continue;
    const value = rest === '' ? words[index + 1]?.value : rest;
    take(found, kind, index, rest === '' && index + 1 < words.length ? index + 1 : index, value);
    if (kind !== 'runs' && kind !== 'writes') return rest === '' ? 1 : 0;
  }
  return 0;
}

function take(
  found: Options,
  kind: Kind,
  index: number,
  last: number,
  value: string | undefined,
): void {
  if (kind === 'runs' || kind === 'writes') mark(found, index, last, kind);
  if (value === undefined || value === '') return;
  if (kind === 'addresses') found.addresses.push({ value, index: last });
  if (kind === 'reads') found.files.push({ path: value, access: 'fs.read' });
  if (kind === 'writes') found.files.push({ path: value, access: 'fs.write' });
}

function mark(found: Options, index: number, last: number, kind: 'runs' | 'writes'): void {
  found.risky.add(index);
  found.risky.add(last);
  if (kind === 'runs') found.runs.push(index);
}

const known = new WeakMap<Program, Names>();

function namesOf(program: Program): Names {
  const cached = known.get(program);
  if (cached !== undefined) return cached;
  const names: Names = {
    valued: toSet(program.valued),
    runs: toSet(program.runs),
    writes: toSet(program.writes),
    reads: toSet(program.reads),
    sweeps: toSet(program.sweeps),
    addresses: toSet(program.addresses),
  };
  known.set(program, names);
  return names;
}

export function toSet(names: string | undefined): ReadonlySet<string> {
  return new Set(names === undefined ? [] : names.split(/\s+/).filter((name) => name !== ''));
}
