/**
 * Why a URL is not fetched, whatever the rules say: who checks it and who dials it may read it
 * differently, or it is nothing that is fetched by HTTP. `url` is what was read from `written`.
 */
export function findUrlFault(written: string, url: URL): string | undefined {
  // Browsers take a backslash for a slash, others do not.
  if (/[\\\p{Cc}\p{Cf}\s]/u.test(written)) {
    return `${written.slice(0, 200)}: a URL holds no blank, invisible character or backslash.`;
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `${url.protocol} is refused: only http and https can be fetched.`;
  }
  const named = url.username !== '' || url.password !== '';
  if (named || /^[a-z]+:\/\/[^/?#]*@/i.test(written)) {
    return `${url.host}: a URL with a user name is refused.`;
  }
  return undefined;
}
