import { failure, type Outcome, success } from '../base/outcome.ts';

/** Reads a URL, or the `Location` of a redirect, and refuses what checker and dialler may read differently. */
export function parseTarget(written: string, before?: URL): Outcome<URL> {
  const shown = written.slice(0, 200);
  // Browsers take a backslash for a slash, others do not.
  if (/[\\\p{Cc}\p{Cf}\s]/u.test(written)) {
    return failure(`${shown}: a URL holds no blank, invisible character or backslash.`);
  }
  const url = URL.canParse(written, before) ? new URL(written, before) : undefined;
  if (url === undefined) return failure(`${shown} is not a URL. Give it whole, with https://.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return failure(`${url.protocol} is refused: only http and https can be fetched.`);
  }
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?#]*@/i.test(written)) {
    return failure(`${url.host}: a URL with a user name is refused.`);
  }
  if (before?.protocol === 'https:' && url.protocol === 'http:') {
    return failure(`${before.host} redirects from https to http, which is refused.`);
  }
  url.hash = '';
  return success(url);
}
