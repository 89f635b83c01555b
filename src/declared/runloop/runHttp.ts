import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../base/json.ts';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { MAX_STDOUT } from '../run/options.ts';
import { parseOutput } from '../run/parseOutput.ts';
import { quotingFailure, type RunOutcome, wholeText } from '../run/runOutcome.ts';
import type { Invocation } from './invocation.ts';
import { SECRET_PLACEHOLDER, URL_TEMPLATE } from './parseTransport.ts';

/**
 * The `http` transport (spec DA-4 … DA-6, DA-8): the input is the JSON body, or fills the URL where the
 * method has none; redirects are refused because they would forward the secrets (spec VD-29).
 */
export async function runHttp(invocation: Invocation): Promise<RunOutcome> {
  const { entry, args, timeoutMs, runtime } = invocation;
  const { transport } = entry;
  if (transport.kind !== 'http') return failure('not an http transport');
  const url = fillUrl(transport.url, args);
  if (!url.ok) return url;
  const headers = fillHeaders(transport.headers, invocation.secrets);
  if (!headers.ok) return headers;
  const hasBody = !isBodiless(transport.method);
  const response = await runtime.net.fetch({
    url: url.data,
    method: transport.method,
    headers: {
      accept: 'application/json',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...headers.data,
    },
    ...(hasBody && { body: JSON.stringify(args ?? {}) }),
    maxBytes: MAX_STDOUT,
    timeoutMs,
    redirect: 'refuse',
  });
  if (!response.ok) return response;
  const { status, body } = response.data;
  const text = body.toString('utf8');
  if (status >= 300 && status < 400) return failure(`HTTP ${status}: redirects are not followed`);
  if (status < 200 || status >= 400) return quotingFailure(wholeText(text), `HTTP ${status}: `);
  if (text.trim() === '') return success({});
  const parsed = parseOutput(text, isUtf8(body));
  if ('value' in parsed) return success(parsed.value);
  return quotingFailure(wholeText(text), `the response cannot be used: ${parsed.fault}: `);
}

function isBodiless(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Fills a URL with percent-encoded values of the input (spec DA-5). Scheme and host have no templates, so
 * the host that was evaluated is the host that is called.
 */
export function fillUrl(template: string, args: unknown): Outcome<string> {
  const missing: string[] = [];
  const filled = template.replace(URL_TEMPLATE, (_, name: string) => {
    const value = isRecord(args) && Object.hasOwn(args, name) ? args[name] : undefined;
    if (['string', 'number', 'boolean'].includes(typeof value))
      return encodeURIComponent(wellFormed(String(value)));
    missing.push(name);
    return '';
  });
  if (missing.length > 0)
    return failure(`the URL needs ${missing.join(', ')}: a string, number or boolean`);
  const [, path = ''] = /^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(filled) ?? [];
  // `..` has no percent-encoded form, and the client would resolve it as the parent path.
  if (path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part)) && template !== filled) {
    return failure('a value in the URL must not be "." or ".."');
  }
  return success(filled);
}

/** A lone half of a surrogate pair cannot be encoded. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

function fillHeaders(
  headers: Readonly<Record<string, string>>,
  secrets: ReadonlyMap<string, string>,
): Outcome<Readonly<Record<string, string>>> {
  const filled: Record<string, string> = {};
  for (const [name, template] of Object.entries(headers)) {
    let unsendable: string | undefined;
    filled[name] = template.replace(SECRET_PLACEHOLDER, (_, id: string) => {
      const value = secrets.get(id) ?? '';
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) unsendable = id;
      return value;
    });
    if (unsendable !== undefined) {
      return failure(
        `secret ${unsendable} cannot be sent in a header: it contains characters that headers do not allow`,
      );
    }
  }
  return success(filled);
}
