import { createServer, type ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { MB } from '../../../src/base/units.ts';

/** What an endpoint sends that never ends by itself; `most` bytes end it, so that no test runs for ever. */
export const FLOODS = {
  'an endless error body': { status: 500, piece: 'x'.repeat(64 * 1024) },
  'an endless event': { status: 200, piece: 'x'.repeat(64 * 1024) },
  'endless events': { status: 200, piece: textEvent('x'.repeat(64 * 1024)) },
  'endless arguments': { status: 200, piece: callEvent('x'.repeat(64 * 1024)) },
  'a packed event': { status: 200, piece: 'x'.repeat(64 * 1024), packed: true },
} as const satisfies Record<string, Flood>;

export type FloodName = keyof typeof FLOODS;

interface Flood {
  readonly status: number;
  readonly piece: string;
  readonly packed?: boolean;
}

const MOST = 512 * MB;

function textEvent(content: string): string {
  return event({ content });
}

function callEvent(text: string): string {
  return event({
    tool_calls: [{ index: 0, id: 'c', function: { name: 'read', arguments: text } }],
  });
}

function event(delta: object): string {
  return `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta }] })}\n\n`;
}

/** An endpoint that answers every request with the flood. */
export async function startFlood(name: FloodName) {
  const { status, piece, packed = false }: Flood = FLOODS[name];
  let sent = 0;
  const ended = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.resume();
    response.on('close', () => ended.resolve());
    response.writeHead(status, {
      'content-type': status === 200 ? 'text/event-stream' : 'application/json',
      ...(packed && { 'content-encoding': 'gzip' }),
    });
    void pour(response, packed, piece, (bytes) => {
      sent += bytes;
      return sent < MOST;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    /** Bytes that were written, before packing. */
    sent: () => sent,
    /** When the reader closed the connection, or everything was sent. */
    ended: ended.promise,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function pour(
  response: ServerResponse,
  packed: boolean,
  piece: string,
  goOn: (bytes: number) => boolean,
): Promise<void> {
  const gzip = packed ? createGzip() : undefined;
  gzip?.pipe(response);
  const out = gzip ?? response;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  while (!response.destroyed && goOn(piece.length)) {
    if (out.write(piece)) continue;
    await Promise.race([closed, new Promise((resolve) => out.once('drain', resolve))]);
  }
  if (!response.destroyed) out.end();
  else gzip?.destroy();
}
