import { Minimatch } from 'minimatch';
import { coversStar, matchesStar, type StarPattern } from './star.ts';

/** The compiled segments of an absolute glob. */
export type Glob = readonly Segment[];

export type Segment =
  | { readonly kind: 'globstar' }
  | { readonly kind: 'star'; readonly parts: StarPattern }
  | { readonly kind: 'set'; readonly text: string; readonly matcher: Minimatch };

/**
 * Maximum number of stars in a segment with `?` or `[`. Such segments become regular expressions,
 * so this bounds their cost.
 */
const SET_STAR_LIMIT = 3;

/** Compiles one segment of a glob; undefined if it has too many stars. */
export function parseSegment(name: string): Segment | undefined {
  if (name === '**') return { kind: 'globstar' };
  const parts = [''];
  for (let index = 0; index < name.length; index += 1) {
    const char = name[index] ?? '';
    if (char === '?' || char === '[') return parseSet(name);
    if (char === '*') {
      parts.push('');
      continue;
    }
    if (char === '\\') index += 1;
    parts[parts.length - 1] += char === '\\' ? (name[index] ?? '\\') : char;
  }
  return { kind: 'star', parts };
}

function parseSet(name: string): Segment | undefined {
  if ((name.match(/\*/g)?.length ?? 0) > SET_STAR_LIMIT) return undefined;
  const options = { dot: true, nonegate: true, nocomment: true, noext: true };
  const matcher = new Minimatch(name, { ...options, platform: 'linux' });
  return { kind: 'set', text: name, matcher };
}

/**
 * The states after all names. Tracking a set of states bounds the time by glob length times path
 * length.
 */
export function run(glob: Glob, names: readonly string[]): readonly number[] {
  let row = enter(glob, 0, []);
  for (const name of names) {
    const next: number[] = [];
    for (const at of row) {
      const segment = glob[at];
      if (segment === undefined) continue;
      if (segment.kind === 'globstar') enter(glob, at, next);
      else if (matchesSegment(segment, name)) enter(glob, at + 1, next);
    }
    row = next;
    if (row.length === 0) return row;
  }
  return row;
}

/**
 * Adds a state, and the states that a `**` may skip to. States are added in ascending order, so a
 * lower one is already present.
 */
function enter(glob: Glob, state: number, row: number[]): number[] {
  let at = state;
  while (at > (row.at(-1) ?? -1)) {
    row.push(at);
    if (glob[at]?.kind === 'globstar') at += 1;
  }
  return row;
}

export function matchesSegment(segment: Segment, name: string): boolean {
  if (segment.kind === 'star') return matchesStar(segment.parts, name);
  return segment.kind === 'set' && segment.matcher.match(name);
}

export function coversGlob(wide: Glob, narrow: Glob): boolean {
  let row = enter(wide, 0, []);
  for (const segment of narrow) {
    const next: number[] = [];
    for (const at of row) {
      const own = wide[at];
      if (own === undefined) continue;
      if (own.kind === 'globstar') enter(wide, at, next);
      else if (coversSegment(own, segment)) enter(wide, at + 1, next);
    }
    row = next;
    if (row.length === 0) return false;
  }
  return row.includes(wide.length);
}

function coversSegment(wide: Segment, narrow: Segment): boolean {
  if (narrow.kind === 'globstar') return false;
  if (wide.kind === 'star' && narrow.kind === 'star') return coversStar(wide.parts, narrow.parts);
  if (wide.kind === 'star') return wide.parts.every((part) => part === '');
  if (wide.kind !== 'set') return false;
  if (narrow.kind === 'set') return wide.text === narrow.text;
  const [name = '', ...more] = narrow.parts;
  return more.length === 0 && wide.matcher.match(name);
}
