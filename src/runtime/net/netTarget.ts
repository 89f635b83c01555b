import { failure, type Outcome, success } from '../../base/outcome.ts';
import { findUrlFault } from '../../permissions/patterns/urlFault.ts';

/**
 * Parses a URL or the `Location` of a redirect. Rejects URLs that the permission check and the
 * connection could interpret differently.
 */
export function parseTarget(written: string, before?: URL): Outcome<URL> {
  const url = URL.canParse(written, before) ? new URL(written, before) : undefined;
  if (url === undefined) {
    return failure(
      `${written.slice(0, 200)} is not a URL. Use a complete URL that starts with https://.`,
    );
  }
  const fault = findUrlFault(written, url);
  if (fault !== undefined) return failure(fault);
  if (before?.protocol === 'https:' && url.protocol === 'http:') {
    return failure(`${before.host} redirects from https to http, which is refused.`);
  }
  url.hash = '';
  return success(url);
}
