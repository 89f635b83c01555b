import { statSync } from 'node:fs';
import { Minimatch } from 'minimatch';
import { coversGlob, type Glob, matchesSegment, parseSegment, run, type Segment } from './glob.ts';
import { foldPath, realFolder } from './paths.ts';
import { expandVariables, type Roots } from './roots.ts';

/** A compiled path pattern. Every alternative is an absolute glob over a real path with `/`. */
export interface PathPattern {
  readonly alternatives: readonly Glob[];
  /**
   * The alternatives without wildcards, as names joined by `/`, not including what is below them.
   */
  readonly literals: ReadonlySet<string>;
  /** The pattern is `*` or `**`, which matches everything (spec decision 6). */
  readonly everything: boolean;
}

export interface PathPatternContext {
  readonly roots: Roots;
  readonly platform: NodeJS.Platform;
  /** The folders that relative patterns start at. */
  readonly bases: readonly string[];
  /**
   * For a deny or ask: `**` at the start matches in every folder, and links are followed. A
   * relative pattern of an allow stays inside the roots.
   */
  readonly reachesEverywhere: boolean;
  /** A pattern without wildcards also covers everything below it (spec C-52, CA-4). */
  readonly prefixes: boolean;
}

/**
 * Longer patterns and patterns with more alternatives are invalid, so that matching stays bounded.
 */
const LENGTH_LIMIT = 4096;
const ALTERNATIVE_LIMIT = 256;

/**
 * Compiles a path pattern. Undefined: it is too long, has too many alternatives or isn't a valid
 * glob. Throws `UnknownVariableError` for an unknown variable (spec C-40).
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

/** The literal folders before the first wildcard: `/w/secrets` for `/w/secrets/**`. */
export function getHeads({ alternatives }: PathPattern): readonly string[] {
  return alternatives.flatMap((glob) => {
    const end = glob.findIndex((each) => each.kind !== 'star' || each.parts.length > 1);
    return end === 0 ? [] : [toLiteral(end < 0 ? glob : glob.slice(0, end))];
  });
}

/** The literal text after a leading `**`: `.env` for `**` + `/.env`. */
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

/** Whether the pattern is exactly this path, so that no matching glob is narrower (spec CA-2). */
export function isExactly(pattern: PathPattern, path: string, platform: NodeJS.Platform): boolean {
  return pattern.literals.size > 0 && pattern.literals.has(`/${toNames(path, platform).join('/')}`);
}

/** Wildcard characters that aren't escaped. */
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
    // Fast path: most patterns fail at the last name.
    const end = glob.at(-1);
    if (end !== undefined && end.kind !== 'globstar' && !matchesSegment(end, last)) continue;
    if (beginsLike(glob, names) && run(glob, names).includes(glob.length)) return true;
  }
  return false;
}

/** Whether the names fit the segments before the first `**`. */
function beginsLike(glob: Glob, names: readonly string[]): boolean {
  for (let at = 0; at < glob.length; at += 1) {
    const [segment, name] = [glob[at], names[at]];
    if (segment === undefined || segment.kind === 'globstar') return true;
    if (name === undefined || !matchesSegment(segment, name)) return false;
  }
  return true;
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

/** Escapes wildcard characters in the path of a root. */
export function escapeGlob(text: string): string {
  return text.replace(/[?*[\]{}\\,]/g, (char) => `\\${char}`);
}

/** An absolute glob. `..` must not leave its first `floor` names. */
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
    // For a deny or ask, `**.env` matches any folder and any start of the name; for an allow it is
    // a single name.
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
 * The pattern, and the same pattern with its literal folders resolved, because paths are evaluated
 * after resolving links (corpus C7). A link to a file is a name of its own, so only the folder of a
 * file's path is resolved.
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

/** Compiles a glob. `outside`: the glob leaves the names that it must stay below. */
function parseGlob(
  text: string,
  floor: number,
  platform: NodeJS.Platform,
): Glob | 'outside' | undefined {
  const segments: Segment[] = [];
  for (const name of toNames(text, platform)) {
    if (name === '.') continue;
    if (name === '..') {
      // Real paths contain no `..`, so it is resolved here.
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

/** The names of an absolute path, folded as the file system compares them. */
export function toNames(path: string, platform: NodeJS.Platform): readonly string[] {
  return foldPath(path, platform)
    .split('/')
    .filter((name) => name !== '');
}

let latest: { path: string; platform: string; names: readonly string[] } | undefined;

/** Caches the names of the last path, because a path is matched against many patterns in turn. */
function listNames(path: string, platform: NodeJS.Platform): readonly string[] {
  if (latest?.path === path && latest.platform === platform) return latest.names;
  latest = { path, platform, names: toNames(path, platform) };
  return latest.names;
}
