import { toCodeSpan } from '../../../base/codeSpan.ts';
import type { FileAct, ShellWord } from '../acts.ts';
import type { Folders } from '../folders.ts';
import { addHost, toHostUrl } from '../hosts.ts';
import { pushUnsure } from '../programs/unnamed.ts';
import type { Arguments } from '../simpleCommand.ts';
import type { Walk } from '../walkState.ts';
import { toPaths } from '../wordPaths.ts';
import { literalWord } from '../words.ts';
import { type Cmdlet, NAMED, type Position, SWITCHES, TEXTS, type Use } from './cmdletTable.ts';

/** The analyzed arguments of a cmdlet, and whether they name its files. */
export interface CmdletArguments extends Arguments {
  readonly named: boolean;
}

interface Reading {
  readonly cmdlet: Cmdlet;
  readonly words: readonly ShellWord[];
  readonly folders: Folders;
  readonly walk: Walk;
  readonly risky: Set<number>;
  readonly hosts: Set<number>;
  /** Positional parameters without a value so far. */
  open: readonly Position[];
  /** A parameter is unknown, so any value may belong to any position. */
  loose: boolean;
  readonly recurses: boolean;
  named: boolean;
}

/**
 * Adds the files and hosts that a cmdlet's arguments name. Parameters can be in any order and
 * abbreviated. `loose`: the words were taken from a list, so their positions have no meaning.
 */
export function analyzeCmdlet(
  cmdlet: Cmdlet,
  words: readonly ShellWord[],
  folders: Folders,
  walk: Walk,
  loose: boolean,
): CmdletArguments {
  const { positions: open } = cmdlet;
  const call = { cmdlet, words, folders, walk, open, loose };
  const found = { risky: new Set<number>(), hosts: new Set<number>() };
  const recurses = words.some(({ value }) => /^-r/i.test(value) && isBeginning(value));
  const state: Reading = { ...call, ...found, recurses, named: false };
  const values: number[] = [];
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    const written = word?.literal === true ? PARAMETER.exec(word.value) : null;
    if (written === null) values.push(index);
    else index += readParameter(written[1] ?? '', written[2], index, state);
  }
  for (const index of values) {
    const [next, ...later] = state.open;
    const known = state.loose ? state.cmdlet.positions : next === undefined ? [] : [next];
    // More values than positions: the cmdlet fails, or isn't the one we know.
    const uses = known.length > 0 ? known : state.cmdlet.positions;
    use(
      uses.map((each) => each.use),
      words[index]?.value ?? '',
      index,
      state,
    );
    state.open = later;
  }
  const { risky, hosts, named } = state;
  return { risky, hosts, namesHosts: false, commands: [], guesses: [], named };
}

function isBeginning(value: string): boolean {
  return '-recurse'.startsWith(value.toLowerCase().replace(/:.*/s, ''));
}

/** PowerShell accepts three more characters as dashes. */
const PARAMETER = /^[-\u2013\u2014\u2015]([a-z][\w-]*)(?::(.*))?$/is;

/** Returns the number of further words that the parameter certainly takes. */
function readParameter(
  written: string,
  own: string | undefined,
  index: number,
  state: Reading,
): number {
  const uses = getUses(written.toLowerCase(), state);
  if (uses === 'switch') return 0;
  const at = own === undefined || own === '' ? index + 1 : index;
  const value = at === index ? (own ?? '') : (state.words[at]?.value ?? '');
  if (uses === 'unknown') {
    state.loose = true;
    const all = state.cmdlet.positions.map((each) => each.use);
    if (at === index) use(all, value, at, state);
    return 0;
  }
  if (uses.includes('spelled')) state.risky.add(index);
  use(uses, value, at, state);
  return at - index;
}

/** The uses of every parameter that the abbreviation may refer to. */
function getUses(written: string, state: Reading): readonly Use[] | 'switch' | 'unknown' {
  const { cmdlet } = state;
  const means = (name: string) => name.startsWith(written);
  if (SWITCHES.has(written)) return 'switch';
  const position = cmdlet.positions.filter(({ name }) => means(name));
  const exact = cmdlet.positions.find(({ name }) => name === written);
  const own = ownUse(cmdlet);
  const named = Object.keys(NAMED).filter((name) =>
    Object.hasOwn(NAMED, written) ? name === written : means(name),
  );
  const found = new Set<Use>((exact ? [exact] : position).map((each) => each.use));
  if (exact === undefined) {
    for (const name of named) {
      const each = NAMED[name];
      if (each !== undefined) found.add(each === 'path' ? (own ?? 'copy') : each);
    }
  }
  if (found.size === 0) {
    if (TEXTS.has(written)) return ['text'];
    const valued = [...TEXTS].some(means);
    if ([...SWITCHES].some(means)) return valued ? 'unknown' : 'switch';
    return valued ? ['text'] : 'unknown';
  }
  state.open = state.open.filter(
    ({ name }) => name !== (exact ?? position[0])?.name && !isPath(name, named),
  );
  return [...found];
}

/** How the cmdlet uses its main files. */
function ownUse({ positions }: Cmdlet): Use | undefined {
  return positions.find((each) => each.use !== 'text' && each.use !== 'host')?.use;
}

/** Whether the name is the path parameter. With `-LiteralPath` there is no positional path. */
function isPath(name: string, named: readonly string[]): boolean {
  return /^(file)?path$/.test(name) && named.some((each) => NAMED[each] === 'path');
}

function use(uses: readonly Use[], value: string, index: number, state: Reading): void {
  for (const each of new Set(uses)) {
    if (each === 'text' || value === '') continue;
    if (each === 'host') addHostArgument(value, index, state);
    else addFiles(each, value, index, state);
  }
}

function addHostArgument(value: string, index: number, { hosts, walk }: Reading): void {
  const url = toHostUrl(literalWord(value));
  if (url === undefined) return;
  hosts.add(index);
  addHost(url, walk.acts);
}

const ACCESSES: Readonly<Record<Exclude<Use, 'host' | 'text'>, readonly FileAct['access'][]>> = {
  read: ['fs.read'],
  write: ['fs.write'],
  spelled: ['fs.write'],
  copy: ['fs.read', 'fs.write'],
  arrives: ['fs.write'],
};

/** Versions differ in whether a recursive cmdlet follows links. */
const BELOW = {
  read: { sweep: 'all', follows: true, carries: 'all' },
  write: { sweep: 'all', carries: 'removed' },
  spelled: { sweep: 'all' },
  arrives: { sweep: 'all' },
  copy: { sweep: 'all' },
} as const;

/**
 * Providers other than the file system that a path may refer to. Their items affect later commands.
 */
const SESSION =
  /^(alias|function|variable|env|cert|wsman|hk\w+|registry|microsoft\.powershell\.\w+\\(?!filesystem)\w+):/i;
const FILES = /^(microsoft\.powershell\.core\\)?filesystem::/i;

function addFiles(
  how: Exclude<Use, 'host' | 'text'>,
  value: string,
  index: number,
  state: Reading,
): void {
  const { risky, folders, walk, cmdlet } = state;
  const sweeps = state.recurses && !cmdlet.lists;
  state.named ||= how === ownUse(cmdlet);
  if (how === 'spelled') risky.add(index);
  if (SESSION.test(value)) {
    if (how !== 'read') walk.doubts.add(`${toCodeSpan(value)} changes the session, not a file.`);
    return;
  }
  const path = value.replace(FILES, '').replaceAll('\\', '/');
  for (const target of toPaths({ value: path, literal: true })) {
    for (const access of ACCESSES[how]) {
      const act = { kind: 'file', access, target, folders, role: 'operand' } as const;
      walk.acts.push(sweeps ? { ...act, ...BELOW[access === 'fs.read' ? 'read' : how] } : act);
    }
    // Whether it is a folder, and what then moves with it, the line doesn't tell.
    if (how === 'arrives' || how === 'copy')
      pushUnsure(target, 'fs.write', 'all', folders, walk, {
        past: true,
        ...(how === 'copy' && { carries: 'all' }),
      });
  }
}
