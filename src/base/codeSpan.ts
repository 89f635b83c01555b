import { shorten, showHidden } from './hidden.ts';

/** Maximum length of a name in a sentence, in UTF-16 units. */
const LENGTH_LIMIT = 60;

/**
 * A piece of code, a name or a path in a sentence, as Markdown writes it: between backticks, more of
 * them if the text contains some. Hidden characters are visible. A text that is longer than `limit`
 * ends with "…".
 */
export function toCodeSpan(text: string, limit = LENGTH_LIMIT): string {
  // What the limit cuts off need not be looked at; a sign is longer than its character.
  const visible = showHidden(text.slice(0, limit + 1));
  const shown = visible.length > limit ? shorten(visible, limit - 1) : visible;
  const runs = shown.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)));
  const blank = shown === '' || shown.startsWith('`') || shown.endsWith('`') ? ' ' : '';
  return `${fence}${blank}${shown}${blank}${fence}`;
}

/** Maximum length of what a request is about, in UTF-16 units. */
const TARGET_LIMIT = 140;

/** The command, path or URL that a request is about. */
export function toTargetSpan(target: string): string {
  return toCodeSpan(target, TARGET_LIMIT);
}
