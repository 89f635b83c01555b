import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Outcome, success } from '../../../../src/base/outcome.ts';
import { openProxy } from '../../../../src/runtime/sandbox/egress/proxy.ts';
import { until } from '../../../workbench/processes.ts';

const yes = async () => success(undefined);

/** A proxy that leads every host to a server that never answers. */
async function openSilent(authorize: () => Promise<Outcome<void>> = yes) {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
    socket.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await openProxy({
    gate: { authorize, authorizeAddress: yes },
    hooks: {
      lookup: async () => [{ address: '93.184.216.34', family: 4 }],
      dial: () => ({ host: '127.0.0.1', port }),
    },
  });
  return {
    socket: proxy.socket,
    connections: () => connections,
    open: () => open.size,
    closeProxy: proxy.close,
    async [Symbol.asyncDispose]() {
      proxy.close();
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

/** Resolves once nothing has changed for a while. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1, quiet = 0; quiet < 10; ) {
    await delay(10);
    const now = count();
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
  return count();
}

const GET = 'GET http://host.example/ HTTP/1.1\r\nhost: host.example\r\n\r\n';
const CONNECT = 'CONNECT host.example:443 HTTP/1.1\r\nhost: host.example\r\n\r\n';

for (const [what, request] of Object.entries({
  'a tunnel': CONNECT,
  'a request': GET,
})) {
  test(`a client that leaves before ${what} is allowed holds no connection`, async () => {
    const answered = Promise.withResolvers<Outcome<void>>();
    let asked = 0;
    await using proxy = await openSilent(() => {
      asked += 1;
      return answered.promise;
    });
    for (let count = 1; count <= 20; count += 1) {
      const client = connect(proxy.socket);
      client.write(request);
      while (asked < count) await delay(1);
      client.destroy();
      await once(client, 'close');
    }
    await delay(50);
    answered.resolve(success(undefined));
    await settled(proxy.connections);
    await until('its connections are closed', () => proxy.open() === 0);
  });
}

test('requests that one client sends at once take a limited number of connections', async () => {
  await using proxy = await openSilent();
  const client = connect(proxy.socket);
  client.on('error', () => undefined);
  client.write(GET.repeat(2000));
  assert.ok((await settled(proxy.connections)) <= 256, `${proxy.connections()} connections`);
});

test('requests that wait for an answer of the user are limited, whoever sent them', async () => {
  let asked = 0;
  await using proxy = await openSilent(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  for (let count = 0; count < 20; count += 1) {
    const client = connect(proxy.socket);
    client.on('error', () => undefined);
    client.end(GET.repeat(200));
  }
  assert.ok((await settled(() => asked)) <= 256, `${asked} requests`);
});

test('what a proxy connected to ends with it', async () => {
  await using proxy = await openSilent();
  const client = connect(proxy.socket);
  client.on('error', () => undefined);
  client.write(GET);
  while (proxy.open() < 1) await delay(1);
  proxy.closeProxy();
  await until('its connection is closed', () => proxy.open() === 0);
});
