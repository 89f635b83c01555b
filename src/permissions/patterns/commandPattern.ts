import { arrangeOptions } from './aroundOptions.ts';
import { listGitSpellings } from './git/gitSpellings.ts';
import { coversStar, matchesStar, type StarPattern } from './star.ts';

/** A compiled command pattern (spec decision 4). */
export interface CommandPattern {
  readonly parts: StarPattern;
  /** More words may follow: `git push` and `git push *` are the same pattern. */
  readonly openTail: boolean;
}

/** Stands for an unquoted `*` while quotes are removed. */
const STAR = '\uFFFE';

/**
 * Compiles a pattern. Quotes are removed as bash does, and only an unquoted `*` is special.
 * Undefined: unbalanced quotes, or an empty pattern.
 */
export function parseCommandPattern(pattern: string): CommandPattern | undefined {
  const text = removeQuotes(pattern);
  if (text === undefined || text === '') return undefined;

  const hasStar = text.includes(STAR);
  const closed = text.replace(/ \uFFFE+$/, '');
  const openTail = !hasStar || closed !== text;
  const parts = closed.split(/\uFFFE+/);
  return { parts, openTail };
}

export function matchesCommand(pattern: CommandPattern, text: string): boolean {
  // Fast path: both forms have the same start, and most patterns fail there.
  if (!text.startsWith(pattern.parts[0] ?? '')) return false;
  if (matchesStar(pattern.parts, text)) return true;
  return pattern.openTail && matchesStar(withTail(pattern.parts), text);
}

/**
 * Whether the pattern matches if options that it doesn't name may precede each of its words, with
 * their values, and the options that it names stand anywhere: `git push` matches
 * `git --no-pager push`, and `rm -r*` matches `rm -v -r x`, `rm -vr x` and `rm x -r`.
 */
export function matchesAroundOptions(pattern: CommandPattern, text: string): boolean {
  if (matchesCommand(pattern, text)) return true;
  const without = arrangeOptions(pattern.parts, text);
  return without !== undefined && matchesCommand(pattern, without);
}

/** Whether `wide`, also around options, matches every command that `narrow` matches. */
export function coversCommand(wide: CommandPattern, narrow: CommandPattern): boolean {
  const covers = (parts: StarPattern) =>
    coversWith(wide, parts) && (!narrow.openTail || coversWith(wide, withTail(parts)));
  const [head = '', ...others] = narrow.parts;
  return [head, ...listHeadSpellings(narrow.parts)].some((each) => {
    const without = arrangeOptions(wide.parts, each);
    return covers([each, ...others]) || (without !== undefined && covers([without, ...others]));
  });
}

const NONE: readonly string[] = [];

/** The other spellings of the words that a pattern begins with, unless a wildcard may go on with the last. */
function listHeadSpellings([head = '', ...others]: StarPattern): readonly string[] {
  if (!head.startsWith('git ') || !head.includes(' -')) return NONE;
  const isOpen = others.length > 0 && / -[^ ]*$/.test(head);
  return isOpen ? NONE : listGitSpellings(head.split(' '));
}

/**
 * Which part of a matched text the pattern contains literally: the characters before `head` and
 * from `tail` on. Everything in between is matched by wildcards (corpus C8).
 */
export function literalSpan(
  pattern: CommandPattern,
  text: string,
): { readonly head: number; readonly tail: number } {
  const { parts, openTail } = pattern;
  const head = parts[0]?.length ?? 0;
  if (parts.length === 1) return { head, tail: text.length };
  const exact = openTail ? matchesStar(parts, text) : true;
  const last = parts.at(-1) ?? '';
  return { head, tail: exact ? text.length - last.length : text.length };
}

const folded = new WeakMap<CommandPattern, CommandPattern>();

/** The same pattern in lower case, for shells that ignore case. */
export function foldCommand(pattern: CommandPattern): CommandPattern {
  const known = folded.get(pattern);
  if (known !== undefined) return known;
  const made = { ...pattern, parts: pattern.parts.map((part) => part.toLowerCase()) };
  folded.set(pattern, made);
  return made;
}

function coversWith(wide: CommandPattern, narrow: StarPattern): boolean {
  return (
    coversStar(wide.parts, narrow) || (wide.openTail && coversStar(withTail(wide.parts), narrow))
  );
}

const tails = new WeakMap<StarPattern, StarPattern>();

function withTail(parts: StarPattern): StarPattern {
  const known = tails.get(parts);
  if (known !== undefined) return known;
  const made = [...parts.slice(0, -1), `${parts.at(-1) ?? ''} `, ''];
  tails.set(parts, made);
  return made;
}

/**
 * Removes quotes in one linear pass. Runs of unquoted white space become one space. A pair of
 * quotes without content is a word.
 */
function removeQuotes(pattern: string): string | undefined {
  let text = '';
  let quote = '';
  let inWord = false;
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index] ?? '';
    if (quote === '' && /\s/.test(char)) {
      if (inWord) text += ' ';
      inWord = false;
      continue;
    }
    inWord = true;
    if (quote === "'") {
      if (char === "'") quote = '';
      else text += char;
    } else if (char === '\\' && index + 1 < pattern.length) {
      const next = pattern[index + 1] ?? '';
      if (quote === '' || '"\\$`'.includes(next)) {
        index += 1;
        text += next;
      } else text += char;
    } else if (char === '"' || (char === "'" && quote === '')) {
      quote = quote === char ? '' : char;
    } else text += char === '*' && quote === '' ? STAR : char;
  }
  if (quote !== '') return undefined;
  return inWord ? text : text.replace(/ $/, '');
}
