import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createWebSearch } from '../../../src/tools/locked/webSearch.ts';
import { evaluate, policyOf, rulesOf } from '../permissions/ask.ts';
import { ALLOW_ALL, gatehouseCall, openBed } from './bed.ts';
import { listen, openNetBed, PUBLIC_ADDRESS } from './netBed.ts';
import { dataOf, errorOf, openSession } from './session.ts';

// A rule about an address holds for a name that leads to it, and one about the net for a search.

function checkAddress(expected: 'ok' | 'error', rules: readonly string[], dns?: readonly string[]) {
  const shown = dns === undefined ? PUBLIC_ADDRESS : dns.join(' and ');
  test(`a page at ${shown} is ${expected} under ${rules.join(', ')}`, async () => {
    using bed = openBed();
    await using net = await openNetBed({
      answer: (_, response) => void response.end('A page.'),
      ...(dns && { dns: { 'a.example': [dns], 'a.internal': [dns] } }),
    });
    const url = rules.join().includes('a.internal') ? 'http://a.internal/' : 'http://a.example/';
    const { envelope } = await gatehouseCall(
      bed,
      'web_fetch',
      { url },
      {
        rules: rulesOf('web_fetch * allow', ...rules),
        net: net.hooks,
      },
    );
    assert.equal(envelope.type === 'output' ? 'ok' : 'error', expected, JSON.stringify(envelope));
    assert.equal(net.dialled.length, expected === 'ok' ? 1 : 0);
  });
}

checkAddress('ok', []);
checkAddress('error', [`net.fetch ${PUBLIC_ADDRESS} deny`]);
checkAddress('error', [`web_fetch ${PUBLIC_ADDRESS} deny`]);
checkAddress('error', [`net.fetch ${PUBLIC_ADDRESS}:80 deny`]);
checkAddress('error', [`net.fetch ${PUBLIC_ADDRESS} ask`]);
checkAddress('ok', [`net.fetch ${PUBLIC_ADDRESS}:8080 deny`]);
checkAddress('error', ['net.fetch [2606:4700::1] deny'], [PUBLIC_ADDRESS, '2606:4700:0::1']);
checkAddress('ok', ['net.fetch [2606:4700::2] deny'], [PUBLIC_ADDRESS, '2606:4700:0::1']);
// Who forbids every host but one has allowed where that one leads.
checkAddress('ok', ['net.fetch * deny', 'web_fetch a.example allow']);
checkAddress('ok', ['web_fetch a.internal allow'], ['10.0.0.7']);
checkAddress('error', ['web_fetch a.internal allow', 'net.fetch 10.0.0.7 deny'], ['10.0.0.7']);

function checkSearch(
  expected: string,
  rules: readonly string[],
  { hosts = ['api.example'], allowed }: { hosts?: readonly string[]; allowed?: string[] } = {},
): void {
  const shown = `${rules.join(', ')} and ${JSON.stringify(allowed ?? 'no set')}`;
  test(`a search by ${hosts.join() || 'nobody'} is ${expected} under ${shown}`, async () => {
    const input = { query: 'evil.example' };
    const subjects = createWebSearch(hosts).subjects(input);
    const policy = policyOf(
      rulesOf(...rules),
      allowed && { capabilities: { net: { hosts: allowed } } },
    );
    const { decision } = await evaluate({ tool: 'web_search', input, subjects }, policy);
    assert.equal(decision, expected);
  });
}

const SEARCH = 'web_search * allow';
checkSearch('allow', [SEARCH]);
checkSearch('ask', []);
checkSearch('deny', [SEARCH, 'net.fetch * deny manifest']);
checkSearch('deny', [SEARCH, 'net.fetch * deny manifest'], { hosts: [] });
checkSearch('deny', [SEARCH, 'net.fetch api.example deny']);
checkSearch('ask', [SEARCH, 'net.fetch api.example ask']);
checkSearch('deny', ['web_search evil* allow', 'net.fetch * deny']);
checkSearch('allow', [SEARCH, 'net.fetch evil.example deny']);
checkSearch('allow', [SEARCH, 'web_fetch * deny']);
checkSearch('allow', [SEARCH], { hosts: ['localhost:8080'] });
checkSearch('allow', [SEARCH], { allowed: ['api.example'] });
checkSearch('refuse', [SEARCH], { allowed: ['docs.example'] });
checkSearch('refuse', [SEARCH], { allowed: ['docs.example'], hosts: [] });

test('what a provider answers is cut to what may be fetched and read', async () => {
  using bed = openBed();
  const long = '<'.repeat(1_900_000);
  const results = [
    { title: long, url: 'https://a.example/', content: 'a\u0000b\u202ec\u200bd<i>e</i>' },
    ...['javascript:alert(1)', 'file:///etc/passwd', 'https://u:p@a.example/', 'x', 7, null].map(
      (url) => ({ title: 'x', url }),
    ),
    { title: 'x', url: `https://a.example/${'x'.repeat(3000)}` },
    null,
    'https://a.example/',
    { __proto__: { url: 'https://b.example/' } },
  ];
  const server = createServer((_, response) => void response.end(JSON.stringify({ results })));
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  const provider = { id: 'searxng', baseUrl } as const;
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    services: { searchProviders: async () => [provider] },
  });
  const data = dataOf(await session.call('web_search', { query: 'x', max_results: 50 }));
  // Nothing beside the results: the tool's description says that they are untrusted (spec C-28).
  assert.deepEqual(data, {
    results: [{ title: '<'.repeat(1000), url: 'https://a.example/', snippet: 'a bcde' }],
  });
  server.close();
});

test('a provider that redirects is not followed', async () => {
  using bed = openBed();
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  const baseUrl = `http://127.0.0.1:${await listen(server)}`;
  const provider = { id: 'tavily', baseUrl, apiKey: 'key' } as const;
  await using session = openSession(bed, {
    rules: ALLOW_ALL,
    services: { searchProviders: async () => [provider] },
  });
  assert.match(errorOf(await session.call('web_search', { query: 'x' })), /sent a redirect/);
  assert.deepEqual(asked, ['/search']);
  server.close();
});
