import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { processMark } from '../../../../src/base/disk/processMark.ts';
import { failure, success } from '../../../../src/base/outcome.ts';
import { openProxy } from '../../../../src/runtime/sandbox/egress/proxy.ts';
import {
  makeProxyFolder,
  removeLeftProxies,
} from '../../../../src/runtime/sandbox/egress/proxyFolder.ts';
import { openSandboxBed } from './bed.ts';

const yes = async () => success(undefined);

/** What a client of the proxy gets for its request when the host, which was authorized, answers with these bytes. */
async function ask(answer: string, request = GET): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
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
  try {
    const client = connect(proxy.socket);
    client.write(request);
    return await text(client);
  } finally {
    proxy.close();
    server.close();
  }
}

const HEAD = ' http://host.example/ HTTP/1.1\r\nhost: host.example\r\nconnection: close\r\n';
const GET = `GET${HEAD}\r\n`;
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

for (const [what, answer] of Object.entries({
  'a status below 100': 'HTTP/1.1 099 x\r\ncontent-length: 0\r\n\r\n',
  'a status of four digits': 'HTTP/1.1 1000 x\r\ncontent-length: 0\r\n\r\n',
  'a protocol that was not asked for':
    'HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  'no HTTP': 'garbage\r\n\r\n',
  nothing: '',
})) {
  test(`a host that answers with ${what} is told as a bad gateway`, async () => {
    assert.match(await ask(answer), /^HTTP\/1\.1 502 /);
  });
}

// Node throws for such headers, where nothing would catch it.
for (const [what, request, answer] of [
  ['an answer with a trailer that has no place', GET, OK.replace('\r\n', '\r\ntrailer: x\r\n')],
  [
    'an answer without a body that announces a trailer',
    GET,
    'HTTP/1.1 204 x\r\ntransfer-encoding: chunked\r\ntrailer: x\r\n\r\n',
  ],
  [
    'a request with a trailer that has no place',
    `POST${HEAD}trailer: x\r\ncontent-length: 2\r\n\r\nhi`,
    OK,
  ],
  [
    'a request that waits with such a trailer',
    `POST${HEAD}trailer: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\nhi`,
    OK,
  ],
] as const) {
  test(`${what} passes without it, and harms nothing else`, async () => {
    const got = await ask(answer, request);
    assert.match(got.replace(/^HTTP\/1\.1 100 .*\r\n\r\n/, ''), /^HTTP\/1\.1 20[04] /);
    assert.doesNotMatch(got, /trailer/i);
  });
}

test('a gate that fails ends the connection, and nothing else', async (t) => {
  const fail = async () => {
    throw new Error('The session was closed.');
  };
  const proxy = await openProxy({ gate: { authorize: fail, authorizeAddress: yes } });
  t.after(proxy.close);
  for (const request of [GET, 'CONNECT host.example:443 HTTP/1.1\r\nhost: x\r\n\r\n']) {
    const client = connect(proxy.socket);
    client.on('error', () => undefined);
    client.write(request);
    assert.doesNotMatch(await text(client).catch(String), /^HTTP\/1\.1 200/);
  }
});

test('a run has 256 connections at most, so that the host keeps descriptors for its other work', async (t) => {
  const proxy = await openProxy({ gate: { authorize: yes, authorizeAddress: yes } });
  t.after(proxy.close);
  const clients = Array.from({ length: 300 }, () => connect(proxy.socket));
  let ended = 0;
  const dropped = Promise.withResolvers<void>();
  for (const client of clients) {
    client.on('error', () => undefined);
    client.once('close', () => {
      ended += 1;
      if (ended === 300 - 256) dropped.resolve();
    });
    client.resume();
  }
  await dropped.promise;
  assert.equal(clients.filter((client) => !client.destroyed).length, 256);
});

test('CONNECT reaches only the host and the port that were authorized', async (t) => {
  const authorized: string[] = [];
  let dials = 0;
  const proxy = await openProxy({
    gate: {
      authorize: async ({ target }) => {
        authorized.push(target);
        return success(undefined);
      },
      authorizeAddress: yes,
    },
    hooks: {
      lookup: async () => [{ address: '93.184.216.34', family: 4 }],
      dial: () => {
        dials += 1;
        return { host: '127.0.0.1', port: 1 };
      },
    },
  });
  t.after(proxy.close);
  const connectTo = async (authority: string) => {
    const client = connect(proxy.socket);
    client.write(`CONNECT ${authority} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return text(client);
  };
  for (const authority of [
    'host.example:8443/x:443',
    'host.example:22/:443',
    'host.example?x:443',
    'me@host.example:443',
    'host.example:22',
    'host.example',
  ]) {
    assert.match(await connectTo(authority), /^HTTP\/1\.1 403 /, authority);
  }
  assert.deepEqual([authorized, dials], [[], 0]);
  await connectTo('host.example:8443');
  assert.deepEqual([authorized, dials], [['https://host.example:8443/'], 1]);
});

test('a run that names host after host asks about 50 of them, and what it could not reach stays bounded', async (t) => {
  const asked = new Set<string>();
  const proxy = await openProxy({
    gate: {
      async authorize({ target }) {
        asked.add(target);
        return failure('Not now.');
      },
      authorizeAddress: yes,
    },
  });
  t.after(proxy.close);
  for (let at = 0; at < 700; at++) {
    const client = connect(proxy.socket);
    client.write(`CONNECT h${at}.example:443 HTTP/1.1\r\nhost: x\r\n\r\n`);
    const answer = await text(client);
    if (at >= 50)
      assert.match(answer, /A command may name 50 hosts at most that it may not reach\./);
  }
  assert.deepEqual([asked.size, proxy.refused.size], [50, 500]);
});

test('a run reaches any number of hosts that it may reach, such as a server that fetches pages', async (t) => {
  const proxy = await openProxy({
    gate: { authorize: yes, authorizeAddress: yes },
    hooks: { lookup: async () => [] },
  });
  t.after(proxy.close);
  for (let at = 0; at < 60; at++) {
    const client = connect(proxy.socket);
    client.write(`CONNECT h${at}.example:443 HTTP/1.1\r\nhost: x\r\n\r\n`);
    assert.doesNotMatch(await text(client), /hosts at most/);
  }
});

test('what a killed host left of its proxies is removed; links, and what is of others or of a running host, stay', async (t) => {
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'proxies-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const own = makeProxyFolder([], [folder]);
  const gone = processMark().replace(/^\d+\.\d+/, `${2 ** 22 + 1}.1`);
  const plant = (name: string, mark: string | undefined, mode = 0o700) => {
    const at = path.join(folder, `gatehouse-proxy-${name}`);
    mkdirSync(at);
    if (mark !== undefined) writeFileSync(path.join(at, 'host'), mark);
    chmodSync(at, mode);
  };
  plant('left', gone);
  plant('open', gone, 0o777);
  plant('empty', undefined);
  mkdirSync(path.join(folder, 'other'));
  writeFileSync(path.join(folder, 'other/host'), gone);
  symlinkSync('other', path.join(folder, 'gatehouse-proxy-link'));
  removeLeftProxies([folder]);
  assert.deepEqual(
    readdirSync(folder).sort(),
    [
      path.basename(own),
      ...['empty', 'link', 'open'].map((name) => `gatehouse-proxy-${name}`),
      'other',
    ].sort(),
  );
  assert.deepEqual(readdirSync(path.join(folder, 'other')), ['host']);
});

test('the socket of a run lies in no workspace, where commands of others would reach its hosts, whatever TMPDIR is', async (t) => {
  await using bed = await openSandboxBed();
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = path.join(bed.workspace, '.tmp');
  mkdirSync(process.env['TMPDIR']);
  t.after(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });
  const egress = { authorize: yes, authorizeAddress: yes };
  const held = await bed.hold();
  const folder = path.join(bed.base, 'data/live');
  const live = bed.sandbox.live({ folder, workspace: [bed.workspace], masks: [], egress });
  for (const start of [live, held.start({ masks: [], egress })]) {
    const { output } = await bed.run(start, 'ls -A .tmp; ls -d /tmp/gate*; echo "$HTTP_PROXY"');
    assert.match(output, /^ls: [^\n]+\nhttp:\/\/127\.0\.0\.1:3128\n$/);
  }
  const parents = [process.env['TMPDIR'], bed.workspace, bed.outside];
  const made = makeProxyFolder([bed.workspace], parents);
  assert.equal(path.dirname(made), bed.outside);
  assert.throws(
    () => makeProxyFolder([bed.workspace], parents.slice(0, 2)),
    /can't be opened: The/,
  );
});
