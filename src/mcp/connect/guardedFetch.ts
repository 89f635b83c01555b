import type { LookupAddress } from 'node:dns';
import { MB } from '../../base/units.ts';
import { isPrivateHost } from '../../permissions/patterns/hostPattern.ts';
import { createRate, FLOODS } from './lines.ts';

/** Replacements for tests, which run without a network. */
export interface FetchHooks {
  lookup?(name: string): Promise<readonly LookupAddress[]>;
}

export type GuardedFetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** The longest answer, and the longest event of a stream, in bytes. */
const ANSWER_BYTES = 10 * MB;

/**
 * Requests to a configured server. Its own host may be private, because the user configured it. A public
 * name that resolves to a private address is refused, and so is every other private host (spec CA-38).
 */
export function createGuardedFetch(configured: string, hooks: FetchHooks = {}): GuardedFetch {
  const own = new URL(configured).host;
  return async (input, init) => {
    const url = new URL(input);
    const name = url.hostname.replace(/^\[|\]$/g, '');
    const isPrivate = isPrivateHost(name);
    if (isPrivate && url.host !== own) {
      throw new Error(`${url.host} is a private host that the server's entry does not name.`);
    }
    if (!isPrivate) await refusePrivate(name, hooks);
    const { Agent, fetch } = await import('./http.ts');
    const dispatcher = new Agent({
      headersTimeout: 60_000,
      // A stream of events may be silent for long.
      bodyTimeout: 0,
      connect: { timeout: 10_000, lookup: createLookup(isPrivate, hooks) },
    });
    const response = await fetch(url, { ...Object(init), redirect: 'manual', dispatcher });
    return limit(response as unknown as Response, () => void dispatcher.destroy());
  };
}

async function refusePrivate(name: string, hooks: FetchHooks): Promise<void> {
  const found = await find(name, hooks);
  const hit = found.find(({ address }) => isPrivateHost(address));
  if (hit !== undefined) throw new Error(`${name} resolves to the private address ${hit.address}.`);
}

async function find(name: string, { lookup }: FetchHooks): Promise<readonly LookupAddress[]> {
  if (lookup !== undefined) return lookup(name);
  const dns = await import('node:dns/promises');
  return dns.lookup(name, { all: true });
}

type Done = (error: Error | null, addresses: LookupAddress[] | string, family?: number) => void;

/** Looks at the addresses that are connected to: the first lookup may have had others (DNS rebinding). */
function createLookup(isPrivate: boolean, hooks: FetchHooks) {
  return (name: string, options: { readonly all?: boolean | undefined }, done: Done): void => {
    find(name, hooks).then(
      (found) => {
        const usable = found.filter(({ address }) => isPrivate || !isPrivateHost(address));
        const [first] = usable;
        if (first === undefined) done(new Error(`${name} has no public address.`), []);
        else if (options.all) done(null, [...usable]);
        else done(null, first.address, first.family);
      },
      (fault: Error) => done(fault, []),
    );
  };
}

/** Ends an answer that is too long, and a stream of too many events: the parser of the library keeps all of an event. */
function limit(response: Response, end: () => void): Response {
  if (response.body === null) {
    end();
    return response;
  }
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  const find = isStream ? createEventCheck() : createSizeCheck();
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const fault = find(chunk);
        if (fault !== undefined) {
          end();
          throw new Error(`The server ${fault}`);
        }
        controller.enqueue(chunk);
      },
      flush: () => end(),
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}

const TOO_LONG = `sent more than ${ANSWER_BYTES / MB} MB at once.`;

function createSizeCheck() {
  let size = 0;
  return (chunk: Uint8Array): string | undefined => {
    size += chunk.length;
    return size > ANSWER_BYTES ? TOO_LONG : undefined;
  };
}

const [LF, CR] = [10, 13];

/** An event ends with an empty line. Lines end with LF, CR or both. */
function createEventCheck() {
  const rate = createRate();
  let [size, isEmpty, last] = [0, true, 0];
  return (chunk: Uint8Array): string | undefined => {
    for (const byte of chunk) {
      const isSecond = byte === LF && last === CR;
      last = byte;
      size += 1;
      if (isSecond) continue;
      const isEnd = byte === LF || byte === CR;
      if (isEnd && isEmpty) {
        if (!rate()) return FLOODS;
        size = 0;
      }
      isEmpty = isEnd;
      if (size > ANSWER_BYTES) return TOO_LONG;
    }
    return undefined;
  };
}
