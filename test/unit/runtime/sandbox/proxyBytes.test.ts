import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { success } from '../../../../src/base/outcome.ts';
import { openProxy } from '../../../../src/runtime/sandbox/egress/proxy.ts';

const yes = async () => success(undefined);

/**
 * What a client that keeps its connection gets until the proxy ends that, and what the host got, byte by byte. `serve`
 * has the connection of each request.
 */
async function ask(
  t: TestContext,
  request: string,
  serve: (socket: Socket, path: string, first: string) => void,
): Promise<{ readonly got: string; readonly asked: string }> {
  let asked = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      asked += bytes.toString('latin1');
    });
    socket.once('data', (bytes) => {
      const first = bytes.toString('latin1');
      serve(socket, /^\S+ (\S+)/.exec(first)?.[1] ?? '', first);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await openProxy({
    gate: { authorize: yes, authorizeAddress: yes },
    hooks: {
      lookup: async () => [{ address: '93.184.216.34', family: 4 }],
      dial: () => ({ host: '127.0.0.1', port }),
    },
  });
  t.after(() => {
    proxy.close();
    server.close();
  });
  const client = connect(proxy.socket);
  let got = '';
  client.on('data', (bytes) => {
    got += bytes.toString('latin1');
  });
  client.on('error', () => undefined);
  client.write(request, 'latin1');
  await once(client, 'close');
  return { got, asked };
}

const toGet = (path: string, headers = '') =>
  `GET http://host.example${path} HTTP/1.1\r\nhost: host.example\r\n${headers}\r\n`;

const LENGTH = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart';
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n10\r\npart';

for (const [what, answer] of Object.entries({ 'of a length': LENGTH, 'in chunks': CHUNKED })) {
  for (const [how, end] of Object.entries<(socket: Socket) => void>({
    ends: (socket) => socket.end(),
    'is reset': (socket) => socket.resetAndDestroy(),
  })) {
    test(`an answer ${what} whose host ${how} before it is whole ends the client's connection unfinished`, async (t) => {
      // The reset comes once the proxy has the part, so that it isn't lost with it.
      const { got } = await ask(t, toGet('/a'), (socket) =>
        socket.write(answer, () => end(socket)),
      );
      assert.match(got, how === 'ends' ? /^HTTP\/1\.1 200 / : /^(HTTP\/1\.1 (200|502) |$)/);
      assert.doesNotMatch(got, /\r\n0\r\n\r\n$/);
    });
  }
}

test('a cut answer that waits for an earlier one of its client leaves that whole', async (t) => {
  const later: Socket[] = [];
  const { got } = await ask(t, toGet('/first') + toGet('/cut'), (socket, path) => {
    if (path === '/first') later.push(socket);
    else {
      socket.end(LENGTH);
      socket.once('close', () => {
        for (const first of later) first.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst');
      });
    }
  });
  assert.match(got, /^HTTP\/1\.1 200 OK\r\n(?:[^\r]+\r\n)*\r\nfirst/);
});

test('bytes of headers that are not ASCII pass as they are, both ways', async (t) => {
  const bytes = '\xff\xe9 \xc3\xa9';
  const { got, asked } = await ask(
    t,
    toGet('/a', `x-asked: ${bytes}\r\nconnection: close\r\n`),
    (socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx-said: ${bytes}\r\ncontent-length: 0\r\n\r\n`, 'latin1'),
  );
  assert.ok(asked.includes(`x-asked: ${bytes}\r\n`), JSON.stringify(asked));
  assert.ok(got.includes(`x-said: ${bytes}\r\n`), JSON.stringify(got));
});

test('the body of a request passes whole, also one in chunks', async (t) => {
  const body = 'transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n';
  const request = toGet('/a', `connection: close\r\n`).replace('GET', 'POST').slice(0, -2) + body;
  const { asked, got } = await ask(t, request, (socket, _, first) => {
    let sent = '';
    const take = (bytes: string | Buffer) => {
      sent += bytes.toString();
      if (sent.endsWith('0\r\n\r\n')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    };
    take(first);
    socket.on('data', take);
  });
  assert.match(asked, /\r\n\r\n2\r\nhi\r\n0\r\n\r\n$/);
  assert.match(asked, /^POST \/a HTTP\/1\.1\r\n/);
  assert.match(got, /^HTTP\/1\.1 200 /);
});
