import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { deflateSync, gzipSync } from 'node:zlib';
import { gatehouseCall, openBed } from './bed.ts';
import { openNetBed, PUBLIC_ADDRESS } from './netBed.ts';

// What the corpus's area `net` is about, in further spellings: everything is allowed by rules.

const RULES = [{ permission: '*', pattern: '*', action: 'allow', source: 'session' }];
const ANY = ['**'];
const DOCS = ['docs.example'];
const PAGE = 'https://docs.example/r';

interface More {
  readonly hosts?: readonly string[];
  readonly dns?: readonly string[];
  readonly name?: string;
  answer?(request: IncomingMessage, response: ServerResponse): void;
  /** Requests that may arrive before the end. */
  readonly requests?: number;
}

// Addresses that are not of the open internet, in every spelling a parser takes.
for (const host of [
  ...[
    '127.1',
    '127.0.1',
    '0177.0.0.1',
    '017700000001',
    '0x7f.1',
    '0x7f000001.',
    '0',
    '127.0.0.1..',
  ],
  ...['127.255.255.254', '２１３０７０６４３３', '①②⑦.⓪.⓪.①', '127。0。0。1', '127.0.0.1:8080'],
  ...[
    'LOCALHOST',
    'localhost.',
    'foo.localhost',
    'localhost.localdomain',
    'localhost6.localdomain6',
    'ⓛocalhost',
    'ip6-localhost',
  ],
  ...['[0:0:0:0:0:0:0:1]', '[::ffff:7f00:1]', '[::ffff:169.254.169.254]', '[::ffff:0:127.0.0.1]'],
  ...['[::127.0.0.1]', '[::7f00:1]', '[::a9fe:a9fe]', '[2a00:1450::5efe:127.0.0.1]'],
  ...[
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:a9fe:a9fe::]',
    '[2001::7f00:1]',
    '[fec0::1]',
  ],
  ...[
    '[fc00::1]',
    '[ff02::1]',
    '[100::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[::1%25lo]',
    '[fe80::1%25eth0]',
  ],
  ...[
    '192.168.0.1',
    '172.31.255.255',
    '169.254.0.1',
    '100.64.0.1',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
  ],
  ...[
    '240.0.0.1',
    '255.255.255.255',
    '168.63.129.16',
    '[::ffff:168.63.129.16]',
    'metadata',
    'x.internal',
  ],
  ...['metadata.google.internal', 'router.lan', 'printer.local', 'x.home.arpa', '127.0.0.1%2f'],
]) {
  check(`http://${host}/`, 'refuse');
}
for (const written of [
  'http:/127.0.0.1',
  'http:///127.0.0.1/',
  '//127.0.0.1/',
  '127.0.0.1',
  'http:\\\\0/',
]) {
  check(written, 'refuse');
}

for (const address of [
  ...[
    '127.0.0.1',
    '::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    'fe80::1%eth0',
    '0.0.0.0',
  ],
  ...['::127.0.0.1', '168.63.129.16', '100.100.100.200', '2a00::5efe:a00:1'],
]) {
  check('http://a.example/', 'error', { dns: [address], name: `leads to ${address}` });
  check('http://a.example/', 'error', {
    dns: [PUBLIC_ADDRESS, address],
    name: `and to ${address}`,
  });
}
check('http://a.example/', 'error', { dns: [] });
check('http://a.example/', 'error', { dns: ['192.168.1.5'], hosts: ['a.example'] });

for (const scheme of [
  'ws',
  'wss',
  'chrome',
  'dict',
  'ldap',
  'sftp',
  'git',
  'http+unix',
  'vscode',
]) {
  check(`${scheme}://docs.example/`, 'error');
}
for (const written of [
  'FILE:/etc/passwd',
  'about:blank',
  'vbscript:x',
  'mailto:x@docs.example',
  'unix:/run/x',
]) {
  check(written, 'error');
}

for (const written of [
  ...['https://docs.example:pw@evil.example/', 'https://@evil.example/', 'https://:@docs.example/'],
  ...['https://docs.example%40evil.example/', 'https://docs.example;@evil.example/'],
  ...['https://evil.example?docs.example', 'https://evil.example:443#@docs.example'],
  ...[
    'https://docs.example:8443/',
    'https://docs.example:0/',
    'https://docs.exаmple/',
    'https://docs_.example/',
  ],
  ...['https://docs.example\u200b/', 'https://docs.ex\u00adample/', 'https://do\ncs.example/'],
  ...['https://docs.example\0.evil.example/', 'https://docs.example\\.evil.example/'],
  ...['https://docs.example,evil.example/', 'https://sub.docs.example/', 'https://[docs.example]/'],
]) {
  check(written, 'error', { hosts: DOCS });
}
for (const written of [
  'https://DOCS.example/',
  'https://docs.example:/',
  'https://docs。example/',
]) {
  check(written, 'ok', { hosts: DOCS, requests: 1 });
}

for (const location of [
  ...[
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://0x7f.1/',
    'https://localhost/',
    '//evil.example/',
  ],
  ...['///evil.example/', '/\\evil.example/', '\\\\evil.example', 'https://docs.example:8443/'],
  ...['http://docs.example/', 'https://docs.example@evil.example/', 'https://user@docs.example/'],
  ...[
    'ftp://docs.example/',
    'data:text/html,x',
    'about:blank',
    'https://docs.example\t.evil.example/',
  ],
  ...['https://docs.example.evil.example/', 'https://metadata.google.internal/'],
]) {
  const answer = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(302, { location }).end();
  check(PAGE, 'error', { hosts: DOCS, answer, requests: 1, name: `redirects to ${location}` });
}
for (const status of [300, 303, 304, 305, 307, 308]) {
  const answer = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, { location: 'https://evil.example/' }).end();
  check(PAGE, 'error', { hosts: DOCS, answer, requests: 1, name: `redirects by ${status}` });
}
raw(
  'two locations',
  '302 X\r\nLocation: /a\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\n\r\n',
);
raw('an endless length', '200 OK\r\nContent-Length: 99999999999999\r\n\r\nx');
raw('a negative length', '200 OK\r\nContent-Length: -5\r\n\r\nx');
raw('chunks that are none', '200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n');
raw(
  'another protocol',
  '101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
);
raw('an unknown packing', '200 OK\r\nContent-Encoding: gzip, gzip\r\nContent-Length: 1\r\n\r\nx');
raw('a packing it has not', '200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx');
for (const [encoding, pack] of [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
] as const) {
  const body = pack(Buffer.alloc(64 << 20));
  const answer = (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(200, { 'content-encoding': encoding }).end(body);
  check(PAGE, 'error', { hosts: DOCS, answer, requests: 1, name: `a ${encoding} bomb` });
}
check(PAGE, 'ok', {
  hosts: DOCS,
  requests: 1,
  name: 'nothing, said to be packed',
  answer: (_, response) =>
    void response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 0 }).end(),
});

test('a proxy of the environment sees nothing of a fetch', async () => {
  const before = { ...process.env };
  Object.assign(process.env, {
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NODE_USE_ENV_PROXY: '1',
  });
  try {
    using bed = openBed();
    await using net = await openNetBed({ answer: (_, response) => response.end('text') });
    const { envelope } = await gatehouseCall(
      bed,
      'web_fetch',
      { url: PAGE },
      {
        rules: RULES,
        net: net.hooks,
      },
    );
    assert.equal(envelope.type, 'output');
    assert.deepEqual(net.dialled, [PUBLIC_ADDRESS]);
  } finally {
    process.env = before;
  }
});

function raw(name: string, head: string): void {
  const answer = ({ socket }: IncomingMessage) => {
    socket.on('error', () => undefined);
    socket.write(`HTTP/1.1 ${head}`);
  };
  check(PAGE, 'error', { hosts: DOCS, answer, requests: 1, name });
}

/** A refusal comes from the capability set and asks nobody's name server. */
function check(url: string, wanted: 'ok' | 'refuse' | 'error', more: More = {}): void {
  const { hosts = ANY, dns, answer, requests = 0, name = '' } = more;
  test(`${JSON.stringify(url)} ${JSON.stringify(name)} is ${wanted}`, async () => {
    using bed = openBed();
    await using net = await openNetBed({
      answer: answer ?? ((_, response) => void response.end('A page.')),
      ...(dns && { dns: { 'a.example': [dns] } }),
    });
    const { envelope } = await gatehouseCall(
      bed,
      'web_fetch',
      { url },
      {
        rules: RULES,
        capabilities: { net: { hosts } },
        net: net.hooks,
      },
    );
    const text = envelope.type === 'error' ? envelope.error_text : '';
    assert.equal(
      envelope.type === 'output' ? 'ok' : 'error',
      wanted === 'ok' ? 'ok' : 'error',
      text,
    );
    if (wanted === 'refuse') {
      assert.match(text, /^The agent's capabilities don't allow this call: /);
      assert.deepEqual(net.lookups, []);
    }
    assert.doesNotMatch(text, /^The tool failed/);
    assert.equal(net.requests.length, requests);
    assert.deepEqual(
      net.dialled.filter((address) => address !== PUBLIC_ADDRESS),
      [],
    );
  });
}
