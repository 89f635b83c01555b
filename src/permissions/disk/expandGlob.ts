import { type Dirent, lstatSync, opendirSync, statSync } from 'node:fs';
import { toCodeSpan } from '../../base/codeSpan.ts';

/** What a word with a glob or a brace list expands to, or why that can't be told in advance. */
export type Expansion =
  | { readonly ok: true; readonly values: readonly string[] }
  | { readonly ok: false; readonly why: string | undefined };

/** Maximum number of words that one word may become. */
const WORD_LIMIT = 512;
/** Maximum number of folder entries that are looked at for one line, unless a policy limits them. */
const ENTRY_LIMIT = 10_000;
/** How long folders may be looked at for one line, in milliseconds, unless a policy limits it. */
const LOOK_MS = 500;
/** Maximum number of alternatives of brace lists. */
const LIST_LIMIT = 64;
/** Maximum number of `*` in one name, which bounds the time of matching. */
const STAR_LIMIT = 3;

/**
 * Expands a word as bash does without options: lists in braces, then file names, in a known folder.
 * Hidden names need a literal dot, and a pattern without a match stays as it is. Matches are in the
 * order of their bytes, which isn't that of every locale. What bash versions, locales or encodings
 * read differently isn't expanded.
 */
export function expandGlob(
  text: string,
  folder: string,
  budget: GlobBudget = createGlobBudget(),
): Expansion {
  const chars = toChars(text);
  const lists = chars && expandLists(chars);
  // Bash drops an empty word, unless it was quoted.
  if (lists === undefined || lists.some((list) => list.length === 0)) return UNKNOWN;
  const state: State = { folder, budget, values: [] };
  try {
    for (const list of lists) {
      const before = state.values.length;
      if (list.some(isWild)) match(toNames(list), 0, '', state);
      const matches = state.values.splice(before).sort(compareBytes);
      state.values.push(...(matches.length === 0 ? [toLiteral(list)] : matches));
    }
  } catch (error) {
    if (error instanceof Unsure) return { ok: false, why: error.message };
    throw error;
  }
  return { ok: true, values: state.values };
}

function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

const UNKNOWN: Expansion = { ok: false, why: undefined };

/** Ends an expansion whose result can't be told; the message is a clause that completes "because …". */
class Unsure extends Error {}

/** What all globs of a line may still look at: the reads are synchronous, and hold up the host. */
export interface GlobBudget {
  /** Folder entries. */
  left: number;
  readonly entries: number;
  /** Milliseconds. */
  readonly ms: number;
  /** When the time is over (`performance.now()`); undefined until the first look. */
  end: number | undefined;
}

export function createGlobBudget({ globEntries, lookMs }: GlobLimits = {}): GlobBudget {
  const entries = globEntries ?? ENTRY_LIMIT;
  return { left: entries, entries, ms: lookMs ?? LOOK_MS, end: undefined };
}

/** The limits of a policy. */
export interface GlobLimits {
  readonly globEntries?: number;
  readonly lookMs?: number;
}

/** Takes one look from the budget. Throws `Unsure` if nothing of it is left. */
function spend(budget: GlobBudget): void {
  budget.left -= 1;
  if (budget.left < 0) throw new Unsure(`there are more than ${budget.entries} files to look at`);
  // Reading the clock for each entry would take longer than reading the entry.
  if (budget.end === undefined) budget.end = performance.now() + budget.ms;
  else if (budget.left % 32 === 0) checkTime(budget);
}

function checkTime({ end = 0, ms }: GlobBudget): void {
  if (performance.now() > end) throw new Unsure(`looking takes longer than ${ms} ms`);
}

interface State {
  readonly folder: string;
  readonly budget: GlobBudget;
  readonly values: string[];
}

interface Char {
  readonly value: string;
  readonly quoted: boolean;
}

/** Characters without a meaning of their own outside quotes. */
const PLAIN = /^[\p{L}\p{N}\p{M}_./:=@,+%^!*?[\]{}-]$/u;

/** The characters of a word without its quotes; undefined if it has other expansions. */
function toChars(text: string): readonly Char[] | undefined {
  const chars: Char[] = [];
  let quote = '';
  const all = [...text];
  for (let at = 0; at < all.length; at += 1) {
    const value = all[at] ?? '';
    if (quote !== '') {
      if (value === quote) quote = '';
      else if (quote === '"' && /[$`\\!]/.test(value)) return undefined;
      else chars.push({ value, quoted: true });
    } else if (value === "'" || value === '"') quote = value;
    else if (value === '\\') {
      at += 1;
      const next = all[at];
      if (next === undefined || next === '\n') return undefined;
      chars.push({ value: next, quoted: true });
    } else if (PLAIN.test(value)) chars.push({ value, quoted: false });
    else return undefined;
  }
  return quote === '' ? chars : undefined;
}

/** Expands `{a,b}`; undefined for other braces, such as `{1..3}`, and for too many alternatives. */
function expandLists(chars: readonly Char[]): readonly (readonly Char[])[] | undefined {
  const open = chars.findIndex(({ value, quoted }) => !quoted && value === '{');
  if (open < 0) {
    const stray = chars.some(({ value, quoted }) => !quoted && value === '}');
    return stray ? undefined : [chars];
  }
  const parts: (readonly Char[])[] = [];
  let depth = 0;
  let from = open + 1;
  for (const [at, { value, quoted }] of chars.entries()) {
    if (at <= open || quoted) continue;
    if (value === '{') depth += 1;
    if (depth === 0 && (value === ',' || value === '}')) {
      parts.push(chars.slice(from, at));
      from = at + 1;
    }
    if (value !== '}') continue;
    if (depth > 0) depth -= 1;
    else if (parts.length < 2) return undefined;
    else return join(chars.slice(0, open), parts, chars.slice(at + 1));
  }
  return undefined;
}

function join(
  head: readonly Char[],
  parts: readonly (readonly Char[])[],
  tail: readonly Char[],
): readonly (readonly Char[])[] | undefined {
  const all: (readonly Char[])[] = [];
  for (const part of parts) {
    const inner = expandLists([...head, ...part, ...tail]);
    if (inner === undefined || all.length + inner.length > LIST_LIMIT) return undefined;
    all.push(...inner);
  }
  return all;
}

function isWild({ value, quoted }: Char): boolean {
  return !quoted && /[*?[]/.test(value);
}

function toLiteral(chars: readonly Char[]): string {
  return chars.map(({ value }) => value).join('');
}

/** The names of a path. */
function toNames(chars: readonly Char[]): readonly (readonly Char[])[] {
  const names: Char[][] = [[]];
  for (const char of chars) {
    if (char.value === '/') names.push([]);
    else names.at(-1)?.push(char);
  }
  if (names.slice(1, -1).some((name) => name.length === 0))
    throw new Unsure('it contains an empty name');
  return names;
}

/** Adds the words that complete the path from `done` on, which ends with a slash or is empty. */
function match(names: readonly (readonly Char[])[], at: number, done: string, state: State): void {
  const name = names[at];
  if (name === undefined) return;
  const last = at === names.length - 1;
  if (!name.some(isWild)) {
    const path = done + toLiteral(name);
    if (!last) match(names, at + 1, `${path}/`, state);
    else if (name.length === 0 ? isFolder(path, state) : exists(path, state)) add(path, state);
    return;
  }
  const pattern = toPattern(name);
  for (const entry of list(done, state)) {
    if (!fits(entry.name, pattern, name)) continue;
    if (last) add(done + entry.name, state);
    else if (!entry.isFile()) match(names, at + 1, `${done}${entry.name}/`, state);
  }
}

function add(path: string, { values }: State): void {
  if (values.length >= WORD_LIMIT) throw new Unsure(`it matches more than ${WORD_LIMIT} files`);
  values.push(path);
}

function fits(entry: string, pattern: RegExp, name: readonly Char[]): boolean {
  const dotted = name[0]?.value === '.';
  if (entry.startsWith('.') && !dotted) return false;
  const sets = name.some((each) => isWild(each) && each.value !== '*');
  // Such a character is one or several, depending on the locale.
  if (sets && /[^\x20-\x7e]/.test(entry))
    throw new Unsure(`the locale decides how it reads ${toCodeSpan(entry)}`);
  if (!pattern.test(entry)) return false;
  if (entry.includes('\ufffd')) throw new Unsure('it matches a name that is not UTF-8');
  return true;
}

/** Characters that mean something in a regular expression. */
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

/** Compiles a name. Throws for what bash may read in several ways. */
function toPattern(name: readonly Char[]): RegExp {
  let source = '';
  let stars = 0;
  for (let at = 0, char = name[0]; char !== undefined; at += 1, char = name[at]) {
    if (!isWild(char)) source += char.value.replace(SPECIAL, '\\$&');
    else if (char.value === '?') source += '[^]';
    else if (char.value === '*') {
      if (name[at - 1]?.value !== '*' || name[at - 1]?.quoted === true) stars += 1;
      source += source.endsWith('[^]*') ? '' : '[^]*';
    } else {
      const end = findSetEnd(name, at);
      source += toSet(name.slice(at + 1, end));
      at = end;
    }
  }
  if (stars > STAR_LIMIT) throw new Unsure('it contains too many `*`');
  const pattern = new RegExp(`^${source}$`, 'u');
  // Versions of bash differ in whether these are matched.
  if (name[0]?.value === '.' && (pattern.test('.') || pattern.test('..')))
    throw new Unsure('it may match the parent folder');
  return pattern;
}

function findSetEnd(name: readonly Char[], open: number): number {
  const first = name[open + 1];
  const negated = first?.quoted === false && /[!^]/.test(first.value);
  const end = name.findIndex(
    ({ value, quoted }, index) => index > open + (negated ? 2 : 1) && !quoted && value === ']',
  );
  if (end < 0) throw new Unsure('its bracket has no end');
  return end;
}

/** `abc`, `a-z` and `!0-9` between brackets; everything else depends on the locale. */
function toSet(inner: readonly Char[]): string {
  const [first] = inner;
  const negated = first?.quoted === false && /[!^]/.test(first.value);
  const set = toLiteral(negated ? inner.slice(1) : inner);
  const plain = /^(?:[a-z](?:-[a-z])?|[A-Z](?:-[A-Z])?|\d(?:-\d)?|[_.])+$/.test(set);
  const backwards = [...set.matchAll(/(.)-(.)/g)].some(([, from = '', to = '']) => from > to);
  if (!plain || backwards || inner.some(({ quoted }) => quoted))
    throw new Unsure('its brackets depend on the locale');
  return `[${negated ? '^' : ''}${set}]`;
}

function toPath(path: string, { folder }: State): string {
  return path.startsWith('/') ? path : `${folder}/${path}`;
}

function list(done: string, state: State): readonly Dirent[] {
  const entries: Dirent[] = [];
  try {
    const folder = opendirSync(toPath(done, state), { bufferSize: 1024 });
    try {
      spend(state.budget);
      checkTime(state.budget);
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        spend(state.budget);
        entries.push(entry);
      }
    } finally {
      folder.closeSync();
    }
  } catch (error) {
    if (isGone(error)) return [];
    if (error instanceof Unsure) throw error;
    throw new Unsure(`${toCodeSpan(done === '' ? '.' : done)} can't be read`);
  }
  return entries;
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^ENOENT|^ENOTDIR/.test(String(error.code));
}

function exists(path: string, state: State): boolean {
  spend(state.budget);
  return lookUp(() => lstatSync(toPath(path, state)) !== undefined);
}

function isFolder(path: string, state: State): boolean {
  spend(state.budget);
  return lookUp(() => statSync(toPath(path, state)).isDirectory());
}

function lookUp(look: () => boolean): boolean {
  try {
    return look();
  } catch (error) {
    if (isGone(error)) return false;
    throw new Unsure("a file can't be looked up");
  }
}
