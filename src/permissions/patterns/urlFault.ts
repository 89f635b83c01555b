import { toCodeSpan, toTargetSpan } from '../../base/codeSpan.ts';

/**
 * Why a URL can't be fetched, whatever the rules allow: the checker and the HTTP client may parse
 * it differently, or it isn't an HTTP URL. `url` is the parsed form of `written`.
 */
export function findUrlFault(written: string, url: URL): string | undefined {
  // Browsers treat a backslash as a slash, other programs don't.
  if (/[\\\p{Cc}\p{Cf}\s]/u.test(written)) {
    return `${toTargetSpan(written)} is not a valid URL, because it contains white space, an invisible character or a backslash.`;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `${toCodeSpan(url.protocol)} URLs can't be fetched. Use http or https.`;
  }
  const named = url.username !== '' || url.password !== '';
  if (named || /^[a-z]+:\/\/[^/?#]*@/i.test(written)) {
    return `URLs with a user name or password, such as the one for ${toCodeSpan(url.host)}, aren't supported.`;
  }
  return undefined;
}
