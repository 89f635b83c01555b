import type { LookupAddress } from 'node:dns';
import type { EventEmitter } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { connect, type LookupFunction, type Socket } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { failure, type Outcome, success } from '../../../base/outcome.ts';
import { findAddresses, type NetHooks } from '../../net/net.ts';
import { parseTarget } from '../../net/netTarget.ts';
import type { Gate } from '../../runtime.ts';
import { createOpenRequests, MOST_OPEN } from './openRequests.ts';
import { makeProxyFolder, removeProxyFolder } from './proxyFolder.ts';

export interface ProxyOptions {
  /** Asked about each host, and about each address that it resolved to. */
  readonly gate: Pick<Gate, 'authorize' | 'authorizeAddress'>;
  readonly hooks?: NetHooks;
  /** The folders that the run sees. */
  readonly workspace?: readonly string[];
}

/** The only way of one run to the network. */
export interface EgressProxy {
  /** A Unix socket; at most 107 bytes, wherever the data folder lies. */
  readonly socket: string;
  /** `host:port` of what was refused or could not be reached, without duplicates. */
  readonly refused: ReadonlySet<string>;
  close(): void;
}

/** Ports that CONNECT may name: a tunnel can carry anything. */
const TUNNEL_PORTS = new Set([80, 443, 8080, 8443]);

/**
 * Opens a proxy for HTTP and for CONNECT. Each host is authorized by name and by address, and only the
 * addresses that were authorized are connected to.
 */
export async function openProxy(given: ProxyOptions): Promise<EgressProxy> {
  const options = { ...given, gate: limitHosts(given.gate) };
  const folder = makeProxyFolder(given.workspace);
  const socket = path.join(folder, 'proxy');
  const refused = new Set<string>();
  const sockets = new Set<Duplex>();
  const requests = createOpenRequests();
  const server = createServer((asked, answer) => {
    const end = requests.begin();
    if (end === undefined) asked.socket.destroy();
    else serve(forward(options, refused, asked, answer), end, () => cut(answer));
  });
  // Each takes two descriptors of the host, which needs others for its files.
  server.maxConnections = MOST_OPEN;
  server.on('connection', (client) => {
    sockets.add(client);
    client.once('close', () => sockets.delete(client));
  });
  server.on('connect', (asked: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    const end = requests.begin();
    if (end === undefined) client.destroy();
    else
      serve(tunnel(options, refused, asked.url ?? '', client, head), end, () => client.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  return {
    socket,
    refused,
    close() {
      for (const client of sockets) client.destroy();
      server.close();
      removeProxyFolder(folder);
    },
  };
}

/** What a request connected to; undefined where it was refused, or its client has left. */
type Reached = Promise<EventEmitter | undefined>;

/** Calls `end` when the request is over. */
function serve(reached: Reached, end: () => void, onFault: () => void): void {
  reached.then(
    (upstream) => (upstream === undefined ? end() : void upstream.once('close', end)),
    () => {
      end();
      onFault();
    },
  );
}

/** So many names are kept of what was not reached. */
const MOST_REFUSED = 500;

function note(refused: Set<string>, name: string): void {
  if (refused.size < MOST_REFUSED) refused.add(name.slice(0, 200));
}

/** A run may name so many hosts that it may not reach: each may be a question to the user, and is kept in memory. */
const MOST_HOSTS = 50;

function limitHosts({ authorize, authorizeAddress }: ProxyOptions['gate']): ProxyOptions['gate'] {
  const named = new Set<string>();
  return {
    authorizeAddress,
    async authorize(touch) {
      const { host } = new URL(touch.target);
      if (named.size >= MOST_HOSTS && !named.has(host)) {
        return failure(`A command may name ${MOST_HOSTS} hosts at most that it may not reach.`);
      }
      named.add(host);
      const answer = await authorize(touch);
      if (answer.ok) named.delete(host);
      return answer;
    },
  };
}

/** The addresses of a host that may be reached, or why not. */
async function reach(
  { gate, hooks = {} }: ProxyOptions,
  written: string,
): Promise<Outcome<{ url: URL; addresses: readonly LookupAddress[] }>> {
  const target = parseTarget(written);
  if (!target.ok) return target;
  const url = target.data;
  if (url.username !== '' || url.password !== '') return failure('A URL may not name a user.');
  const authorized = await gate.authorize({ capability: 'net.fetch', target: url.href });
  if (!authorized.ok) return authorized;
  const found = await findAddresses({ gate, hooks }, {}, url);
  return found.ok ? success({ url, addresses: found.data }) : found;
}

async function tunnel(
  options: ProxyOptions,
  refused: Set<string>,
  authority: string,
  client: Duplex,
  head: Buffer,
): Reached {
  // Nothing but a host and a port, so that what is authorized is what is connected to.
  const port = Number(/^[^/\\?#@]+:(\d+)$/.exec(authority)?.[1]);
  const reached: Awaited<ReturnType<typeof reach>> = TUNNEL_PORTS.has(port)
    ? await reach(options, `https://${authority}/`)
    : failure(
        Number.isNaN(port)
          ? 'CONNECT takes a host and a port.'
          : `Port ${port} can't be reached through the proxy.`,
      );
  if (!reached.ok) {
    note(refused, authority);
    client.end(`HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\nGatehouse: ${reached.error}\n`);
    return undefined;
  }
  if (client.destroyed) return undefined;
  const { addresses } = reached.data;
  const upstream = dial(options, addresses, port);
  upstream.once('connect', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    upstream.pipe(client);
    client.pipe(upstream);
  });
  upstream.on('error', () => {
    if (upstream.bytesRead === 0) note(refused, authority);
    client.destroy();
  });
  client.once('close', () => upstream.destroy());
  return upstream;
}

async function forward(
  options: ProxyOptions,
  refused: Set<string>,
  asked: IncomingMessage,
  answer: ServerResponse,
): Reached {
  const written = asked.url ?? '';
  const reached: Awaited<ReturnType<typeof reach>> = /^http:\/\//i.test(written)
    ? await reach(options, written)
    : failure('Only URLs that begin with http:// and CONNECT can be asked for.');
  if (!reached.ok) {
    note(refused, toHostPort(written));
    answer.writeHead(403, { 'content-type': 'text/plain' });
    answer.end(`Gatehouse: ${reached.error}\n`);
    return undefined;
  }
  const { socket: client } = asked;
  if (client.destroyed) return undefined;
  const { url, addresses } = reached.data;
  const port = Number(url.port || 80);
  const { method } = asked;
  const upstream = request({
    createConnection: () => dial(options, addresses, port),
    path: url.pathname + url.search,
    // The host that was authorized, whatever the request says.
    headers: { ...withoutHopHeaders(asked.headers), host: url.host },
    ...(method !== undefined && { method }),
  });
  relay(upstream, answer, () => note(refused, toHostPort(written)));
  // An answer that waits for an earlier one of its client isn't told that the client left.
  const stop = () => upstream.destroy();
  client.once('close', stop);
  upstream.once('close', () => client.off('close', stop));
  try {
    // What is wrong with the headers is thrown here, and not while the body is passed on. Bytes keep them as they came;
    // `flushHeaders` writes them in UTF-8.
    upstream.write(Buffer.alloc(0));
  } catch (fault) {
    upstream.destroy();
    throw fault;
  }
  asked.pipe(upstream);
  return upstream;
}

/** Passes on what a host answers. What is no answer to a plain request is told as a bad gateway. */
function relay(upstream: ClientRequest, answer: ServerResponse, onFault: () => void): void {
  const giveUp = () => {
    onFault();
    if (answer.headersSent) return cut(answer);
    answer.writeHead(502);
    answer.end();
  };
  upstream.once('response', (received) => {
    const status = received.statusCode ?? 0;
    // Node's parser takes numbers that its server refuses to write.
    if (status < 200 || status > 999) {
      upstream.destroy(new Error('The status is no number of HTTP.'));
      return;
    }
    try {
      answer.writeHead(status, withoutHopHeaders(received.headers));
      received.pipe(answer);
      // The client would wait for the rest, or take a part for the whole.
      received.once('close', () => received.complete || cut(answer));
      received.on('error', () => cut(answer));
    } catch {
      // Node's parser takes headers too that its server refuses.
      upstream.destroy(new Error('The headers are not those of HTTP.'));
    }
  });
  // Only CONNECT opens a tunnel.
  upstream.once('upgrade', (_, socket) => {
    socket.destroy();
    giveUp();
  });
  upstream.on('error', giveUp);
  answer.once('close', () => upstream.destroy());
}

/** Ends the connection of an answer that can't be finished, once it is its turn on that connection. */
function cut(answer: ServerResponse): void {
  if (answer.socket !== null) answer.destroy();
  else answer.once('socket', (client: Socket) => client.destroy());
}

/** Without what is about one connection only. A trailer is not passed on, and the body is asked for in any case. */
function withoutHopHeaders(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_HOP.test(name)));
}

const OF_ONE_HOP = /^(proxy-.*|upgrade|connection|keep-alive|te|trailer|expect)$/;

/** Connects to one of the authorized addresses; no second lookup can change them. */
function dial({ hooks }: ProxyOptions, addresses: readonly LookupAddress[], port: number): Socket {
  const [first] = addresses;
  if (hooks?.dial !== undefined && first !== undefined) {
    return connect(hooks.dial(first.address, port));
  }
  const lookup: LookupFunction = (_name, options, done) => {
    if (options.all) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family ?? 4);
  };
  return connect({ host: 'authorized.invalid', port, lookup, autoSelectFamily: true });
}

function toHostPort(written: string): string {
  if (!URL.canParse(written)) return written.slice(0, 200);
  const { hostname, port, protocol } = new URL(written);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}
