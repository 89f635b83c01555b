import { statSync } from 'node:fs';
import { Minimatch } from 'minimatch';
import { coversGlob, type Glob, matchesSegment, parseSegment, run, type Segment } from './glob.ts';
import { foldPath, realFolder } from './paths.ts';
import { expandVariables, type Roots } from './roots.ts';

/** Compiled once. Every alternative is an absolute glob over a real path with `/`. */
export interface PathPattern {
  readonly alternatives: readonly Glob[];
  /** Those of them that are no glob, as `/`-joined names without what lies below. */
  readonly literals: ReadonlySet<string>;
  /** `*` or `**` alone: everything (spec decision 6). */
  readonly everything: boolean;
}

export interface PathPatternContext {
  readonly roots: Roots;
  readonly platform: NodeJS.Platform;
  /** Folders that a relative pattern is taken from. */
  readonly bases: readonly string[];
  /**
   * A deny or ask that starts with `**` reaches everywhere, and its links are followed; an allow
   * whose pattern is relative stays inside the roots.
   */
  readonly reachesEverywhere: boolean;
  /** A pattern without a glob means what lies below it too (spec C-52, CA-4). */
  readonly prefixes: boolean;
}

/** Longer patterns and more alternatives than these are refused, so that matching stays bounded. */
const LENGTH_LIMIT = 4096;
const ALTERNATIVE_LIMIT = 256;

/**
 * Compiles a path pattern. Undefined: it is too long, has too many alternatives or is no glob.
 * Throws `UnknownVariableError` for a variable that does not exist (spec C-40).
 */
export function parsePathPattern(
  pattern: string,
  context: PathPatternContext,
): PathPattern | undefined {
  if (pattern === '' || pattern.length > LENGTH_LIMIT || pattern.includes('\0')) return undefined;
  if (/^\*+$/.test(pattern)) return { alternatives: [], literals: new Set(), everything: true };

  const slashed = context.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
  const absolute = expandVariables(slashed, context.roots, escapeGlob).flatMap((each) =>
    toAbsolute(each, context),
  );
  const alternatives: Glob[] = [];
  const literals = new Set<string>();
  for (const { text, floor } of absolute) {
    const prefix = context.prefixes && !GLOB.test(text);
    const texts = expandBraces(prefix ? `${text}/**` : text);
    if (texts === undefined) return undefined;
    for (const each of texts) {
      const glob = parseGlob(each, floor, context.platform);
      if (glob === undefined || alternatives.length >= ALTERNATIVE_LIMIT) return undefined;
      if (glob === 'outside') continue;
      alternatives.push(glob);
      if (prefix) literals.add(toLiteral(glob));
    }
  }
  return { alternatives, literals, everything: false };
}

/** What its alternatives say before their first glob: `/w/secrets` of `/w/secrets/**`. */
export function getHeads({ alternatives }: PathPattern): readonly string[] {
  return alternatives.flatMap((glob) => {
    const end = glob.findIndex((each) => each.kind !== 'star' || each.parts.length > 1);
    return end === 0 ? [] : [toLiteral(end < 0 ? glob : glob.slice(0, end))];
  });
}

/** What follows the `**` of its alternatives, where that is no glob: `.env` of `**` + `/.env`. */
export function getTails({ alternatives }: PathPattern): readonly string[] {
  return alternatives.flatMap(([first, ...rest]) => {
    const named = rest.at(-1)?.kind === 'globstar' ? rest.slice(0, -1) : rest;
    const plain = named.every((each) => each.kind === 'star' && each.parts.length === 1);
    return first?.kind === 'globstar' && plain && named.length > 0
      ? [toLiteral(named).slice(1)]
      : [];
  });
}

function toLiteral(glob: Glob): string {
  return glob
    .map((segment) => (segment.kind === 'star' ? `/${segment.parts.join('')}` : ''))
    .join('');
}

/** Whether the pattern is the very text of this path: no glob that matches it is narrower (spec CA-2). */
export function isExactly(pattern: PathPattern, path: string, platform: NodeJS.Platform): boolean {
  return pattern.literals.size > 0 && pattern.literals.has(`/${toNames(path, platform).join('/')}`);
}

/** What makes a pattern a glob, unless it is escaped. */
const GLOB = /(?<!\\)[*?[{]/;

/** `path` is real, absolute and with `/`. */
export function matchesPath(
  pattern: PathPattern,
  path: string,
  platform: NodeJS.Platform,
): boolean {
  if (pattern.everything) return true;
  const names = listNames(path, platform);
  const last = names.at(-1) ?? '';
  for (const glob of pattern.alternatives) {
    // Most patterns fail at the last name already.
    const end = glob.at(-1);
    if (end !== undefined && end.kind !== 'globstar' && !matchesSegment(end, last)) continue;
    if (run(glob, names).includes(glob.length)) return true;
  }
  return false;
}

/** Whether the pattern may match something below `folder`; true when in doubt. */
export function mayMatchBelow(
  pattern: PathPattern,
  folder: string,
  platform: NodeJS.Platform,
): boolean {
  if (pattern.everything) return true;
  const names = listNames(folder, platform);
  return pattern.alternatives.some(
    (glob) => glob[0]?.kind === 'globstar' || run(glob, names).some((at) => at < glob.length),
  );
}

/** Whether the pattern matches everything below `folder`; false when in doubt. */
export function matchesAllBelow(
  pattern: PathPattern,
  folder: string,
  platform: NodeJS.Platform,
): boolean {
  if (pattern.everything) return true;
  const names = listNames(folder, platform);
  const isRest = (glob: Glob, at: number) =>
    at === glob.length - 1 && glob[at]?.kind === 'globstar';
  return pattern.alternatives.some((glob) => run(glob, names).some((at) => isRest(glob, at)));
}

/** Whether `wide` matches every path that `narrow` matches. Never wrongly true. */
export function coversPath(wide: PathPattern, narrow: PathPattern): boolean {
  if (wide.everything) return true;
  if (narrow.everything) return false;
  return narrow.alternatives.every((part) =>
    wide.alternatives.some((other) => coversGlob(other, part)),
  );
}

/** Makes a root's own `[`, `*`, `{` and the like plain text. */
function escapeGlob(text: string): string {
  return text.replace(/[?*[\]{}\\,]/g, (char) => `\\${char}`);
}

/** An absolute glob; its first `floor` names are not to be left by `..`. */
interface Absolute {
  readonly text: string;
  readonly floor: number;
}

function toAbsolute(pattern: string, context: PathPatternContext): readonly Absolute[] {
  const text = pattern.replace(/^(\.\/)+/, '');
  const { bases, reachesEverywhere, roots } = context;
  const anywhere = (each: string) => ({ text: each, floor: 0 });
  if (text.startsWith('/') || (context.platform === 'win32' && /^[a-z]:\//i.test(text))) {
    return reachesEverywhere ? withRealPath(text, context).map(anywhere) : [anywhere(text)];
  }
  if (text === '~' || text.startsWith('~/')) {
    const homes = roots.home.map((home) => escapeGlob(home) + text.slice(1));
    const real = (each: string) => withRealPath(each, context);
    return (reachesEverywhere ? homes.flatMap(real) : homes).map(anywhere);
  }
  if (reachesEverywhere && pattern.startsWith('**')) {
    // `**.env` says any folder and any beginning of the name; for an allow it is one name alone.
    return [anywhere(`/${text.replace(/^\*{2,}(?=[^/*])/, '**/*')}`)];
  }
  const based = bases.map((base) => `${escapeGlob(base === '/' ? '' : base)}/${text}`);
  if (reachesEverywhere) return based.flatMap((each) => withRealPath(each, context)).map(anywhere);
  return based.map((each, index) => {
    const floor = toNames(bases[index] ?? '', context.platform).length;
    return { text: each, floor };
  });
}

/**
 * A pattern, and the same where the folders of its literal head lead: paths are judged as real ones
 * (corpus C7). A link to a file is a name of its own, so of a file's path its folder alone is followed.
 */
function withRealPath(text: string, { platform }: PathPatternContext): readonly string[] {
  const names = text.split('/');
  const wild = names.findIndex((name) => GLOB.test(name));
  const head = names.slice(0, wild < 0 ? names.length : wild);
  if (head.length < 2) return [text];
  const toReal = (part: readonly string[]) =>
    realFolder(part.join('/').replace(/\\(.)/g, '$1'), platform);
  const whole = toReal(head);
  const folders = wild >= 0 || isFolder(whole) ? head : head.slice(0, -1);
  if (folders.length < 2) return [text];
  const folder = folders === head ? whole : toReal(folders);
  const real = [escapeGlob(folder), ...names.slice(folders.length)].join('/');
  return real === text ? [text] : [text, real];
}

function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

function expandBraces(text: string): readonly string[] | undefined {
  if (!text.includes('{')) return [text];
  const whole = new Minimatch('', { braceExpandMax: ALTERNATIVE_LIMIT + 1 });
  whole.pattern = text;
  const expanded = whole.braceExpand();
  return expanded.length > ALTERNATIVE_LIMIT ? undefined : expanded;
}

/** `outside`: the glob leaves the names it has to stay below. */
function parseGlob(
  text: string,
  floor: number,
  platform: NodeJS.Platform,
): Glob | 'outside' | undefined {
  const segments: Segment[] = [];
  for (const name of toNames(text, platform)) {
    if (name === '.') continue;
    if (name === '..') {
      // Real paths hold no `..`, so a pattern's own is taken away here.
      if (segments.pop()?.kind !== 'star') return undefined;
      if (segments.length < floor) return 'outside';
      continue;
    }
    const segment = parseSegment(name);
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** The names of an absolute path as the disk compares them. */
export function toNames(path: string, platform: NodeJS.Platform): readonly string[] {
  return foldPath(path, platform)
    .split('/')
    .filter((name) => name !== '');
}

let latest: { path: string; platform: string; names: readonly string[] } | undefined;

/** One path is held against many patterns in turn, so its names are kept until the next one. */
function listNames(path: string, platform: NodeJS.Platform): readonly string[] {
  if (latest?.path === path && latest.platform === platform) return latest.names;
  latest = { path, platform, names: toNames(path, platform) };
  return latest.names;
}
