import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP, type Server } from 'node:net';
import path from 'node:path';
import type { NetHooks } from '../../../src/runtime/net/net.ts';

/** A resolver and two servers on loopback, dialled in place of the addresses that were resolved. */
export interface NetBed extends AsyncDisposable {
  readonly hooks: NetHooks;
  /** The addresses that were dialled, in order. */
  readonly dialled: string[];
  /** The `host path` of each request that arrived. */
  readonly requests: string[];
  /** Names that were looked up, in order. */
  readonly lookups: string[];
}

export interface NetBedOptions {
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Addresses by name, one list for each look-up; the last one repeats. */
  readonly dns?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Dialled in place of everything. */
  readonly port?: number;
  /** Milliseconds for a connection; so many that a busy machine makes it, unless none shall be made. */
  readonly connectMs?: number;
}

/** A public address; what is dialled in its place is on loopback. */
export const PUBLIC_ADDRESS = '93.184.215.14';

export async function openNetBed(options: NetBedOptions): Promise<NetBed> {
  const { answer, dns = {}, port, connectMs = 120_000 } = options;
  const dialled: string[] = [];
  const requests: string[] = [];
  const lookups: string[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.headers.host} ${request.url}`);
    answer(request, response);
  };
  const folder = path.join(import.meta.dirname, '../../fixtures/net');
  const cert = readFileSync(path.join(folder, 'cert.pem'), 'utf8');
  const key = readFileSync(path.join(folder, 'key.pem'), 'utf8');
  const plain = createServer(handle);
  const secure = createTlsServer({ cert, key }, handle);
  const ports = new Map([
    [80, await listen(plain)],
    [443, await listen(secure)],
  ]);
  return {
    dialled,
    requests,
    lookups,
    hooks: {
      ca: cert,
      connectMs,
      async lookup(name) {
        const earlier = lookups.filter((each) => each === name).length;
        lookups.push(name);
        const answers = dns[name] ?? [[PUBLIC_ADDRESS]];
        const addresses = answers[Math.min(earlier, answers.length - 1)] ?? [];
        return addresses.map((address) => ({ address, family: isIP(address) }));
      },
      dial(address, wanted) {
        dialled.push(address);
        return { host: '127.0.0.1', port: port ?? ports.get(wanted) ?? wanted };
      },
    },
    async [Symbol.asyncDispose]() {
      for (const server of [plain, secure]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

export function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
