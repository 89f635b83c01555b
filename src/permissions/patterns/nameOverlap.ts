import { expandLists } from './expandLists.ts';
import { matchesStar, parseStar } from './star.ts';

/**
 * Whether a file that a rule's path pattern matches may have a name like `only`, where `*` is any
 * text. Two patterns that are open at opposite ends, such as `*.ts` and `.env.*`, are treated as
 * disjoint, because a name that matches both is unlikely to exist.
 */
export function mayBearName(pattern: string, only: string): boolean {
  const [last = ''] = pattern.split('/').slice(-1);
  const isGlob = /[*?[{]/.test(pattern);
  // The pattern covers everything in a folder. Without wildcards the last name may be a folder's,
  // too.
  if (/^\**$/.test(last) || !isGlob) return true;
  return expandLists(last).some((each) => mayMeet(toStars(each), toStars(toPlain(only))));
}

/** Whether a name that exists may be one of those that a program's glob means. */
export function mayBeNamed(name: string, glob: string): boolean {
  const folded = name.toLowerCase();
  return expandLists(toPlain(glob)).some((each) => matchesStar(parseStar(toStars(each)), folded));
}

/** Programs read a backslash before a character as that character: `\\.env` is `.env`. */
function toPlain(glob: string): string {
  return glob.includes('\\') ? glob.replace(/[\\[{].*$/s, '*') : glob;
}

function mayMeet(name: string, wanted: string): boolean {
  if (!name.includes('*')) return matchesStar(parseStar(wanted), name);
  if (!wanted.includes('*')) return matchesStar(parseStar(name), wanted);
  const one = getEnds(name);
  const other = getEnds(wanted);
  const heads = one.head.startsWith(other.head) || other.head.startsWith(one.head);
  const tails = one.tail.endsWith(other.tail) || other.tail.endsWith(one.tail);
  const meet = (one.head !== '' && other.head !== '') || (one.tail !== '' && other.tail !== '');
  return heads && tails && meet;
}

/** Replaces other glob syntax with `*`. Ignores case, because file systems may. */
function toStars(name: string): string {
  return name.toLowerCase().replace(/[[{].*[\]}]|[?[\]{}]/g, '*');
}

function getEnds(name: string): { readonly head: string; readonly tail: string } {
  return { head: name.split('*', 1)[0] ?? '', tail: name.slice(name.lastIndexOf('*') + 1) };
}
