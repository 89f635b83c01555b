import { Minimatch } from 'minimatch';
import { failure, type Outcome, success } from '../../base/outcome.ts';

/** Which files of a search count, by a glob relative to the searched folder. */
export interface NameFilter {
  matches(name: string): boolean;
  /** Lets ripgrep leave out most of the others by itself. */
  readonly options: readonly string[];
}

/**
 * ripgrep's own `--glob` would bring back what ignore files leave out, so it only gets the last
 * part of the glob, as a file type; the glob itself is matched here.
 */
export function parseNameFilter(pattern: string | undefined): Outcome<NameFilter> {
  if (pattern === undefined) return success({ matches: () => true, options: [] });
  if (pattern.includes('\0')) return failure('A glob holds no NUL character.');
  if (pattern.length > 4096) return failure('The glob is too long. Make it simpler.');
  if (
    pattern.startsWith('/') ||
    /(^|[/{,])\.\.([/},]|$)/.test(pattern) ||
    /^[a-z]:/i.test(pattern)
  ) {
    return failure(
      'A glob is relative and stays below path: put the folder into path, as in {"path":"lib","pattern":"**/*.ts"}.',
    );
  }
  if (pattern.endsWith('/')) {
    return failure('A glob that ends with / names a folder, and only files are found: add **.');
  }
  if (/^!+$/.test(pattern))
    return failure('Write behind the ! what is left out, as in !*.test.ts.');
  if (pattern.startsWith('!')) return negated(pattern.slice(1));

  const text = pattern.replace(/^\.\//, '');
  const glob = new Minimatch(text.includes('/') ? text : `**/${text}`, OPTIONS);
  if (glob.set.length > ALTERNATIVES) return failure('The glob has too many alternatives.');
  const last = text.split('/').at(-1) ?? '';
  const plain = /^[\w.*?-]+$/.test(last) && !/^\*+$/.test(last);
  const type = [`--type-add=${TYPE}:${last}`, `--type=${TYPE}`];
  // `**/*.ts` says no more than the type does.
  const whole = plain && /^(\*\*\/)*[^/]+$/.test(text);
  const matches = whole ? () => true : (name: string) => glob.match(name);
  return success({ matches, options: plain ? type : [] });
}

/** Whether the glob itself names something hidden, `.github/**` say: who writes that wants to see it. */
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
