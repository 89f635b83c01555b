import { Minimatch } from 'minimatch';
import { failure, type Outcome, success } from '../../base/outcome.ts';

/** Selects files by a glob relative to the searched folder. */
export interface NameFilter {
  matches(name: string): boolean;
  /** ripgrep options that exclude most other files early. */
  readonly options: readonly string[];
}

/**
 * ripgrep's `--glob` overrides ignore files, so ripgrep only gets the last segment of the glob, as
 * a file type; the whole glob is matched here.
 */
export function parseNameFilter(pattern: string | undefined): Outcome<NameFilter> {
  if (pattern === undefined) return success({ matches: () => true, options: [] });
  if (pattern.includes('\0')) return failure('A glob cannot contain a NUL character.');
  if (pattern.length > 4096) return failure('The glob is too long. Use a shorter one.');
  if (
    pattern.startsWith('/') ||
    /(^|[/{,])\.\.([/},]|$)/.test(pattern) ||
    /^[a-z]:/i.test(pattern)
  ) {
    return failure(
      'A glob must be relative and stay below path. Put the folder in path, as in {"path":"lib","pattern":"**/*.ts"}.',
    );
  }
  if (pattern.endsWith('/')) {
    return failure('A glob ending in / matches folders, but only files are returned. Append **.');
  }
  if (/^!+$/.test(pattern))
    return failure('Put a pattern to exclude after the !, as in !*.test.ts.');
  if (pattern.startsWith('!')) return negated(pattern.slice(1));

  const text = pattern.replace(/^\.\//, '');
  const glob = new Minimatch(text.includes('/') ? text : `**/${text}`, OPTIONS);
  if (glob.set.length > ALTERNATIVES)
    return failure('The glob expands to too many alternatives. Use a simpler one.');
  const last = text.split('/').at(-1) ?? '';
  const plain = /^[\w.*?-]+$/.test(last) && !/^\*+$/.test(last);
  const type = [`--type-add=${TYPE}:${last}`, `--type=${TYPE}`];
  // `**/*.ts` means the same as the type alone.
  const whole = plain && /^(\*\*\/)*[^/]+$/.test(text);
  const matches = whole ? () => true : (name: string) => glob.match(name);
  return success({ matches, options: plain ? type : [] });
}

/** Whether the glob names something hidden, such as `.github/**`. Then hidden files are wanted. */
export function namesHidden(pattern: string | undefined): boolean {
  return pattern !== undefined && /(^|[/{,(])\.[^./]/.test(pattern) && !pattern.startsWith('!');
}

const ALTERNATIVES = 256;
const TYPE = 'wanted';
const OPTIONS = {
  dot: true,
  nonegate: true,
  nocomment: true,
  noext: true,
  platform: 'linux',
  braceExpandMax: ALTERNATIVES + 1,
} as const;

function negated(pattern: string): Outcome<NameFilter> {
  const filter = parseNameFilter(pattern.replace(/^!+/, ''));
  if (!filter.ok) return filter;
  const glob = new Minimatch(pattern.includes('/') ? pattern : `**/${pattern}`, OPTIONS);
  return success({ matches: (name) => !glob.match(name), options: [] });
}
