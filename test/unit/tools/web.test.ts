import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { ALLOW_ALL, openBed } from './bed.ts';
import { listen, openNetBed } from './netBed.ts';
import { dataOf, errorOf, openSession } from './session.ts';

const ARTICLE = `<!doctype html><html><head><title>Gates</title><style>p{}</style></head><body>
<nav><a href="/home">Home</a></nav>
<article><h1>Gates</h1><p>${'A gate is kept by a keeper. '.repeat(20)}</p>
<p>See <a href="../more">more</a> and <code>open()</code>.</p><ul><li>one</li><li>two</li></ul>
<pre><code>let a = 1;</code></pre></article><script>steal()</script></body></html>`;

const answers: Readonly<
  Record<string, { type: string; body: string | Buffer; encoding?: string }>
> = {
  '/article': { type: 'text/html; charset=utf-8', body: ARTICLE },
  '/json': { type: 'application/json', body: '{"a":1}' },
  '/text': { type: 'text/plain', body: 'plain\n' },
  '/latin': { type: 'text/plain; charset=iso-8859-1', body: Buffer.from('Gr\xf6\xdfe', 'latin1') },
  '/gzip': { type: 'text/plain', body: gzipSync('packed'), encoding: 'gzip' },
  '/br': { type: 'text/plain', body: brotliCompressSync('packed'), encoding: 'br' },
  '/deflate': { type: 'text/plain', body: deflateSync('packed'), encoding: 'deflate' },
  '/image': { type: 'image/png', body: Buffer.from([0x89, 0x50]) },
  '/pdf': { type: 'application/pdf', body: '%PDF-1.7\n1 0 obj' },
  '/zip': { type: 'text/plain', body: Buffer.from('PK\x03\x04\x14', 'latin1') },
  '/noise': { type: 'text/plain', body: Buffer.from([1, 0, 2]) },
  '/svg': { type: 'image/svg+xml', body: '<svg/>' },
  '/wide': { type: 'text/plain', body: Buffer.from('\ufeffé', 'utf16le') },
  '/wide-said': { type: 'text/plain; charset=utf-16be', body: Buffer.from('00e9', 'hex') },
  '/marked': { type: 'text/plain; charset=iso-8859-1', body: '\ufeffé' },
  '/odd': { type: 'text/plain', body: 'x', encoding: 'zstd-of-tomorrow' },
};

check('JSON as it is', '/json', {}, /^\{"a":1\}$/);
check('text as it is', '/text', {}, /^plain\n$/);
check('the charset of the header', '/latin', {}, /^Größe$/);
check('an image that is text', '/svg', {}, /^<svg\/>$/);
check('UTF-16 by its mark', '/wide', {}, /^é$/);
check('UTF-16 by the header', '/wide-said', {}, /^é$/);
check('a byte order mark before the header', '/marked', {}, /^é$/);
check('gzip unpacked', '/gzip', {}, /^packed$/);
check('brotli unpacked', '/br', {}, /^packed$/);
check('deflate unpacked', '/deflate', {}, /^packed$/);
check(
  'an article as Markdown',
  '/article',
  {},
  /A gate is kept[\s\S]*\[more\]\(http:\/\/docs\.example\/more\)[\s\S]*`open\(\)`[\s\S]*- +one[\s\S]*```\nlet a = 1;\n```/,
);
check('an article as text', '/article', { format: 'text' }, /^A gate[\s\S]*\none\ntwo\nlet a/);
check('an article as HTML', '/article', { format: 'html' }, /^<!doctype html>/);
check('no script', '/article', {}, /^(?![\s\S]*steal)/);

function check(name: string, where: string, input: object, expected: RegExp) {
  test(`web_fetch gives ${name}`, async () => {
    assert.match(String((await fetch(where, input))['content']), expected);
  });
}

test('web_fetch gives the title and says that the content is untrusted', async () => {
  const data = await fetch('/article', {});
  assert.equal(data['title'], 'Gates');
  assert.match(String(data['note']), /untrusted/);
});

test('web_fetch follows a redirect that is allowed, and says where it ended', async () => {
  assert.equal((await fetch('/redirect', {}))['url'], 'http://docs.example/text');
});

for (const [where, expected] of [
  ['/image', /image\/png, 2 bytes, and cannot be shown/],
  ['/pdf', /application\/pdf, 16 bytes, and cannot be shown/],
  ['/zip', /text\/plain, 5 bytes, and cannot be shown/],
  ['/noise', /text\/plain, 3 bytes, and cannot be shown/],
  ['/odd', /encoding zstd-of-tomorrow is not supported/],
  ['/missing', /answered 404/],
] as const) {
  test(`web_fetch of ${where} says what is wrong`, async () => {
    await assert.rejects(fetch(where, {}), expected);
  });
}

async function fetch(where: string, input: object): Promise<Record<string, unknown>> {
  using bed = openBed();
  await using net = await openNetBed({
    answer(request, response) {
      if (request.url === '/redirect') {
        response.writeHead(301, { location: '/text' }).end();
        return;
      }
      const answer = answers[request.url ?? ''];
      if (answer === undefined) return void response.writeHead(404).end();
      const { type, body, encoding } = answer;
      response.writeHead(200, {
        'content-type': type,
        ...(encoding !== undefined && { 'content-encoding': encoding }),
      });
      response.end(body);
    },
  });
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { net: net.hooks } });
  const url = `http://docs.example${where}`;
  return dataOf(await session.call('web_fetch', { url, ...input }));
}

test('a redirect to another host is a question of its own', async () => {
  using bed = openBed();
  await using net = await openNetBed({
    answer(request, response) {
      if (request.headers.host === 'other.example') return void response.end('reached');
      response.writeHead(302, { location: 'http://other.example/' }).end();
    },
  });
  const answers = [{ outcome: 'allow' }, { outcome: 'reject' }] as const;
  for (const answer of answers) {
    await using session = openSession(bed, {
      rules: [{ permission: 'web_fetch', pattern: 'docs.example', action: 'allow' }],
      runtime: { net: net.hooks },
      ask: async () => answer,
    });
    const envelope = await session.call('web_fetch', { url: 'http://docs.example/' });
    assert.deepEqual(
      session.asks.map(({ title }) => title),
      ['web_fetch continues to http://other.example/'],
    );
    if (answer.outcome === 'allow') assert.match(String(dataOf(envelope)['content']), /reached/);
    else assert.match(errorOf(envelope), /did not allow http:\/\/other\.example/);
  }
});

for (const [name, lookup, expected] of [
  ['that is not known', () => Promise.reject(new Error('ENOTFOUND')), /was not found: ENOTFOUND/],
  ['without an address', () => Promise.resolve([]), /has no address/],
  ['whose server is silent', () => new Promise<never>(() => undefined), /DNS lookup timed out/],
] as const) {
  test(`web_fetch of a name ${name} says so`, async () => {
    using bed = openBed();
    const net = { lookup, connectMs: 50 };
    await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { net } });
    const envelope = await session.call('web_fetch', { url: 'http://docs.example/' });
    assert.match(errorOf(envelope), expected);
  });
}

const PROVIDERS = {
  searxng: { results: [{ title: 'T', url: 'http://r/', content: 'a <b>word</b>' }] },
  brave: { web: { results: [{ title: 'T', url: 'http://r/', description: 'a <b>word</b>' }] } },
  tavily: { results: [{ title: 'T', url: 'http://r/', content: 'a <b>word</b>' }] },
} as const;

for (const [id, reply] of Object.entries(PROVIDERS)) {
  test(`web_search speaks with ${id}`, async () => {
    using bed = openBed();
    const seen: string[] = [];
    const server = createServer((request, response) => {
      const key = request.headers['x-subscription-token'] ?? request.headers.authorization ?? '';
      seen.push(`${request.method} ${request.url} ${key}`);
      response.end(JSON.stringify(reply));
    });
    const baseUrl = `http://127.0.0.1:${await listen(server)}`;
    const provider = { id: id as keyof typeof PROVIDERS, baseUrl, apiKey: 'key' };
    await using session = openSession(bed, {
      rules: ALLOW_ALL,
      services: { searchProviders: async () => [provider] },
    });
    const { results } = dataOf(await session.call('web_search', { query: 'a b', max_results: 5 }));
    assert.deepEqual(results, [{ title: 'T', url: 'http://r/', snippet: 'a word' }]);
    const expected = {
      searxng: 'GET /search?format=json&q=a%20b ',
      brave: 'GET /res/v1/web/search?q=a%20b&count=5 key',
      tavily: 'POST /search Bearer key',
    }[id];
    assert.deepEqual(seen, [expected]);
    server.close();
  });
}

test('web_search without a provider says how to set one up', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const error = errorOf(await session.call('web_search', { query: 'x' }));
  assert.match(error, /gatehouse\.webSearch\.providers/);
});
