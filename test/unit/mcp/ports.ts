import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A port of this machine that nobody listens on. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

/** Resolves when a program listens on the port. */
export async function whenListening(port: number): Promise<void> {
  const end = performance.now() + 60_000;
  while (performance.now() < end) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
  }
  assert.fail(`nobody listens on port ${port}`);
}
