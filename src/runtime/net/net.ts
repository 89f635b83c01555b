import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { failure, type Outcome, success } from '../../base/outcome.ts';
import { KB } from '../../base/units.ts';
import { isPrivateHost } from '../../permissions/patterns/hostPattern.ts';
import type { Gate, Net, NetRequest, NetResponse } from '../runtime.ts';
import { readBody } from './body.ts';
import { parseTarget } from './netTarget.ts';

/** Replacements for tests, which run without a network. */
export interface NetHooks {
  /** Resolves a host name. Default: the system's resolver. */
  lookup?(name: string): Promise<readonly LookupAddress[]>;
  /** Redirects a connection to another address. */
  dial?(address: string, port: number): { readonly host: string; readonly port: number };
  /** An additional certificate authority, in PEM format. */
  readonly ca?: string;
  /** Connection timeout in milliseconds. Default: 10 000. */
  readonly connectMs?: number;
}

/** HTTP for tools: authorizes every hop and every address before connecting to it (spec CA-38). */
export function createNet(gate: Gate, signal: AbortSignal, hooks: NetHooks = {}): Net {
  return { fetch: (request) => follow({ gate, signal, hooks }, request) };
}

interface Context {
  readonly gate: Gate;
  readonly signal: AbortSignal;
  readonly hooks: NetHooks;
}

/** The maximum number of redirects to follow. */
const HOP_LIMIT = 10;
const CONNECT_MS = 10_000;

async function follow(context: Context, request: NetRequest): Promise<Outcome<NetResponse>> {
  let written = request.url;
  let before: URL | undefined;
  let left = request.timeoutMs;
  for (let hop = 0; hop <= HOP_LIMIT; hop += 1) {
    const target = parseTarget(written, before);
    if (!target.ok) return target;
    const url = target.data;
    if (!request.configuredHost) {
      const authorized = await context.gate.authorize({
        capability: 'net.fetch',
        target: url.href,
      });
      if (!authorized.ok) return authorized;
    }
    const addresses = await findAddresses(context, request, url);
    if (!addresses.ok) return addresses;
    const started = performance.now();
    const ended = await timedHop(context, request, url, addresses.data, left);
    if (!ended.ok) return ended;
    left = Math.max(1, left - (performance.now() - started));
    if (ended.data.type === 'response') return success(ended.data.response);
    if (request.configuredHost)
      return failure(`${url.host} sent a redirect, which is not allowed for a search provider.`);
    // Headers may contain secrets meant for this host only.
    if (request.redirect === 'refuse')
      return failure(`${url.host} sent a redirect, which was not followed.`);
    written = ended.data.location;
    before = url;
  }
  return failure(`${request.url} redirects more than ${HOP_LIMIT} times.`);
}

type Hop =
  | { readonly type: 'redirect'; readonly location: string }
  | { readonly type: 'response'; readonly response: NetResponse };

/**
 * Runs one hop under the time limit. Time between hops doesn't count: the user may be deciding
 * about the next one.
 */
async function timedHop(
  context: Context,
  request: NetRequest,
  url: URL,
  addresses: readonly LookupAddress[],
  left: number,
): Promise<Outcome<Hop>> {
  const timeout = AbortSignal.timeout(Math.ceil(left));
  const signal = AbortSignal.any([context.signal, timeout]);
  try {
    return await oneHop({ ...context, signal }, request, url, addresses);
  } catch (fault) {
    if (context.signal.aborted) return failure('The request was aborted.');
    if (timeout.aborted) {
      return failure(`${url.href} did not answer within ${request.timeoutMs} ms. Try again later.`);
    }
    return failure(`${url.href} could not be fetched: ${describe(fault)}`);
  }
}

async function oneHop(
  context: Context,
  request: NetRequest,
  url: URL,
  addresses: readonly LookupAddress[],
): Promise<Outcome<Hop>> {
  const agent = await openAgent(context.hooks, addresses);
  try {
    const { request: send } = await import('./undici.ts');
    const { method = 'GET', headers, body, maxBytes } = request;
    const response = await send(url, {
      dispatcher: agent,
      method,
      headers: { ...HEADERS, ...headers },
      ...(body !== undefined && { body }),
      signal: context.signal,
    });
    const { statusCode: status, headers: received } = response;
    const location = received['location'];
    if (status >= 300 && status < 400 && typeof location === 'string') {
      return success({ type: 'redirect', location });
    }
    const stream: Readable = response.body;
    const length = Number(received['content-length']);
    // An empty response may still name an encoding.
    const encoding = length === 0 ? '' : String(received['content-encoding'] ?? '');
    const read = await readBody(stream, { encoding, length, max: maxBytes });
    if (!read.ok) return failure(`${url.href}: ${read.error}`);
    const contentType = String(received['content-type'] ?? '');
    return success({
      type: 'response',
      response: { url: url.href, status, contentType, body: read.data },
    });
  } finally {
    await agent.destroy();
  }
}

const HEADERS = {
  'user-agent': 'Gatehouse',
  accept: 'text/html,application/xhtml+xml,application/json,text/*;q=0.9,*/*;q=0.5',
  'accept-encoding': 'gzip, deflate, br',
};

/**
 * Resolves the host and authorizes each address. Only these addresses are used, so a second lookup
 * can't change them (DNS rebinding).
 */
export async function findAddresses(
  {
    gate,
    hooks,
  }: { readonly gate: Pick<Gate, 'authorize' | 'authorizeAddress'>; readonly hooks: NetHooks },
  { configuredHost }: Pick<NetRequest, 'configuredHost'>,
  url: URL,
): Promise<Outcome<readonly LookupAddress[]>> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const literal = isIP(name);
  const looked =
    literal > 0
      ? success([{ address: name, family: literal }])
      : await lookUp(name.replace(/\.$/, ''), hooks);
  if (!looked.ok) return looked;
  const addresses = looked.data;
  // A literal address was already authorized as the host.
  if (literal > 0) return success(addresses);
  for (const { address, family } of addresses) {
    const port = url.port === '' ? '' : `:${url.port}`;
    const host = family === 6 ? `[${address}]` : address;
    const target = `${url.protocol}//${host}${port}/`;
    // A configured host, or a name that can only be private, may resolve to a private address.
    const known = configuredHost || isPrivateHost(name) || !isPrivateHost(address);
    const authorized = known
      ? await gate.authorizeAddress(target)
      : await gate.authorize({ capability: 'net.fetch', target });
    if (!authorized.ok) return failure(`${name} resolves to ${address}. ${authorized.error}`);
  }
  return success(addresses);
}

async function lookUp(
  name: string,
  { lookup = systemLookup, connectMs = CONNECT_MS }: NetHooks,
): Promise<Outcome<readonly LookupAddress[]>> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), connectMs);
  try {
    const found = await Promise.race([lookup(name), late.promise]);
    if (found === undefined) return failure(`${name}: the DNS lookup timed out. Try again later.`);
    return found.length > 0 ? success(found) : failure(`${name} has no address.`);
  } catch (fault) {
    return failure(`${name} was not found: ${describe(fault)}. Check the URL.`);
  } finally {
    clearTimeout(timer);
  }
}

async function systemLookup(name: string): Promise<readonly LookupAddress[]> {
  const { lookup } = await import('node:dns/promises');
  return lookup(name, { all: true });
}

/** An HTTP client for one hop that only knows the authorized addresses. */
async function openAgent(
  { dial, ca, connectMs = CONNECT_MS }: NetHooks,
  addresses: readonly LookupAddress[],
): Promise<Dispatcher> {
  const { Agent, buildConnector } = await import('./undici.ts');
  const connector = buildConnector({
    timeout: connectMs,
    autoSelectFamily: true,
    ...(ca !== undefined && { ca }),
    lookup: (_name, options, done) => {
      const [first] = addresses;
      if (options.all) done(null, [...addresses]);
      else done(null, first?.address ?? '', first?.family ?? 4);
    },
  });
  return new Agent({
    maxHeaderSize: 64 * KB,
    headersTimeout: 20_000,
    bodyTimeout: 20_000,
    connect(options, done) {
      const [first] = addresses;
      if (dial === undefined || first === undefined) return connector(options, done);
      const usual = options.protocol === 'https:' ? 443 : 80;
      const { host, port } = dial(first.address, Number(options.port || usual));
      const servername = options.servername ?? options.hostname;
      return connector({ ...options, hostname: host, host, port: String(port), servername }, done);
    },
  });
}

function describe(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  const cause = fault.cause instanceof Error ? ` (${fault.cause.message})` : '';
  return `${fault.message || fault.name}${cause}`;
}
