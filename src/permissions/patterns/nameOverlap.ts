import { expandLists } from './expandLists.ts';
import { matchesStar, parseStar } from './star.ts';

/**
 * Whether a file that the path pattern of a rule is about may bear a name like `only`, where `*` is
 * any text. Two patterns that leave each other room at one end alone, as `*.ts` and `.env.*` do, are
 * taken for strangers: a name that both match would be no one's.
 */
export function mayBearName(pattern: string, only: string): boolean {
  const [last = ''] = pattern.split('/').slice(-1);
  const isGlob = /[*?[{]/.test(pattern);
  // All that lies in a folder is meant, and without a glob any name may be a folder's.
  if (/^\**$/.test(last) || !isGlob) return true;
  return expandLists(last).some((each) => mayMeet(toStars(each), toStars(only)));
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

/** What is special to a glob alone is any text here, and disks may fold case. */
function toStars(name: string): string {
  return name.toLowerCase().replace(/[[{].*[\]}]|[?[\]{}]/g, '*');
}

function getEnds(name: string): { readonly head: string; readonly tail: string } {
  return { head: name.split('*', 1)[0] ?? '', tail: name.slice(name.lastIndexOf('*') + 1) };
}
