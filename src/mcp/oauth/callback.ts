import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isRecord } from '../../base/json.ts';

/** What the browser brings back after the user has signed in. */
export interface Answer {
  readonly code: string;
  /** Who issued it (RFC 9207). */
  readonly issuer?: string;
}

export interface Callback {
  /** Where the browser has to go, on this machine. */
  readonly url: string;
  /** Resolves with the first answer that knows `expected`; others are refused and change nothing. */
  wait(expected: string, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

/** Listens on a free port of the loopback interface, for as long as a sign-in takes (RFC 8252). */
export async function listenForAnswer(): Promise<Callback> {
  const answered = Promise.withResolvers<Answer>();
  // Nobody may wait when it fails.
  answered.promise.catch(() => undefined);
  let expected = '';
  const server = createServer((request, response) => {
    // Any page may send anything here, such as `//`, which is no URL.
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    const isOurs = request.method === 'GET' && url?.pathname === '/callback';
    const answer = isOurs && isSame(url.searchParams.get('state') ?? '', expected);
    response.writeHead(answer ? 200 : 404, HEADERS);
    if (!answer) return void response.end('This page belongs to no sign-in.');
    const read = readAnswer(url.searchParams);
    response.end(`${read instanceof Error ? read.message : 'You are signed in.'} ${CLOSE}`);
    if (read instanceof Error) answered.reject(read);
    else answered.resolve(read);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: unknown = server.address();
  const port = isRecord(address) ? address['port'] : undefined;
  return {
    url: `http://127.0.0.1:${port}/callback`,
    wait(state, signal) {
      expected = state;
      signal.addEventListener('abort', () => answered.reject(signal.reason), { once: true });
      if (signal.aborted) answered.reject(signal.reason);
      return answered.promise;
    },
    close() {
      server.close();
      // The page has to arrive.
      server.closeIdleConnections();
    },
  };
}

const CLOSE = 'You can close this page and go back to the editor.';
const HEADERS = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

function readAnswer(given: URLSearchParams): Answer | Error {
  const code = given.get('code');
  const issuer = given.get('iss');
  if (code !== null && code !== '') return { code, ...(issuer !== null && { issuer }) };
  const words = [given.get('error'), given.get('error_description')].filter((each) => each);
  return new Error(`The server refused the sign-in: ${words.join(': ').slice(0, 300)}.`);
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return b.length > 0 && a.length === b.length && timingSafeEqual(a, b);
}
