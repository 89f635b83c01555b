import { failure, type Outcome, success } from '../../base/outcome.ts';
import { findUrlFault } from '../../permissions/patterns/urlFault.ts';

/** Reads a URL, or the `Location` of a redirect, and refuses what checker and dialler may read differently. */
export function parseTarget(written: string, before?: URL): Outcome<URL> {
  const url = URL.canParse(written, before) ? new URL(written, before) : undefined;
  if (url === undefined) {
    return failure(`${written.slice(0, 200)} is not a URL. Give it whole, with https://.`);
  }
  const fault = findUrlFault(written, url);
  if (fault !== undefined) return failure(fault);
  if (before?.protocol === 'https:' && url.protocol === 'http:') {
    return failure(`${before.host} redirects from https to http, which is refused.`);
  }
  url.hash = '';
  return success(url);
}
