import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { type Called, gatehouseCall, openBed } from './bed.ts';
import { type CorpusCase, readCorpus, rulesOf } from './corpus.ts';
import { listen, openNetBed } from './netBed.ts';
import { errorOf, openSession } from './session.ts';

for (const each of readCorpus('net')) {
  if (each.tool === 'host' || each.id === 'NE-067') continue;
  test(`${each.id} ${each.tool} is ${each.expect}`, () => runCase(each));
}

test('NE-069 the tools open no listener: there is nothing a browser page could reach', async () => {
  using bed = openBed();
  await using net = await openNetBed({ answer: (_request, response) => response.end('text') });
  const before = listeners();
  const input = { url: 'https://docs.example/' };
  const rules = [{ permission: 'web_fetch', pattern: '*', action: 'allow' }];
  await gatehouseCall(bed, 'web_fetch', input, { rules, net: net.hooks });
  assert.ok(listeners() <= before);
});

test('NE-067 web_search is error after 25 calls before it', async () => {
  using bed = openBed();
  const baseUrl = 'http://127.0.0.1:9/';
  await using session = openSession(bed, {
    rules: [{ permission: 'web_search', pattern: '*', action: 'allow' }],
    services: { count: () => 26, searchProviders: async () => [{ id: 'searxng', baseUrl }] },
  });
  assert.match(errorOf(await session.call('web_search', { query: 'x' })), /quota of 25/);
});

function listeners(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
}

async function runCase(each: CorpusCase): Promise<void> {
  using bed = openBed();
  const setup = each.setup ?? {};
  const silent = createServer((socket) => socket.pause());
  const silentPort = setup['connect'] === undefined ? undefined : await listen(silent);
  await using net = await openNetBed({
    answer: (request, response) => answer(setup, request, response),
    dns: toDns(setup),
    ...(silentPort !== undefined && { port: silentPort, connectMs: 500 }),
  });
  const memory = process.memoryUsage().rss;
  const started = performance.now();
  const called = await gatehouseCall(bed, each.tool, each.input, {
    rules: rulesOf(each),
    ...(each.capabilities !== undefined && { capabilities: each.capabilities }),
    net: net.hooks,
  });
  silent.close();
  assertOutcome(each, called);
  if (each.limit_ms !== undefined) {
    assert.ok(performance.now() - started < each.limit_ms);
    const grown = process.memoryUsage().rss - memory;
    assert.ok(grown < 64 * 1024 * 1024, `memory grew by ${grown} bytes`);
  }
  assertReached(each, net.dialled, net.requests);
}

/** Headless, an ask is reported as a deny; refuse, deny and error are all errors of the envelope. */
function assertOutcome(each: CorpusCase, { envelope }: Called): void {
  const wanted = [each.expect, ...(each.also_ok ?? [])];
  const got = envelope.type === 'output' ? 'ok' : 'error';
  const accepted = new Set(wanted.map((name) => (name === 'ok' ? 'ok' : 'error')));
  assert.ok(accepted.has(got), `wanted ${wanted}: ${JSON.stringify(envelope).slice(0, 400)}`);
  if (each.id === 'NE-064') {
    assert.ok(envelope.type === 'output');
    assert.match(JSON.stringify(envelope.data), /untrusted data/);
  }
}

/** A refused call contacts nobody but the host that was allowed and then redirected. */
function assertReached(
  each: CorpusCase,
  dialled: readonly string[],
  requests: readonly string[],
): void {
  assert.ok(!dialled.some((address) => /^(127\.|169\.254\.|::1|10\.)/.test(address)), `${dialled}`);
  const redirect = each.setup?.['redirect'];
  if (each.expect === 'refuse' || each.expect === 'deny') {
    assert.equal(requests.length, redirect === undefined ? 0 : 1, `${requests}`);
  }
  if (each.id === 'NE-034') assert.ok(requests.length <= 11, `${requests.length} hops`);
  if (each.id === 'NE-025') assert.deepEqual(new Set(dialled), new Set(dialled.slice(0, 1)));
}

function toDns(setup: Readonly<Record<string, unknown>>) {
  const dns: Record<string, readonly (readonly string[])[]> = {};
  const plain: Readonly<Record<string, string[]>> = Object(setup['dns']);
  const sequences: Readonly<Record<string, string[][]>> = Object(setup['dns_sequence']);
  for (const [name, addresses] of Object.entries(plain)) dns[name] = [addresses];
  for (const [name, answers] of Object.entries(sequences)) {
    // The corpus's public address is of a reserved range, which is refused before it is dialled.
    dns[name] = answers.map((each) => each.map((a) => a.replace(/^203\.0\.113\.5$/, '8.8.4.4')));
  }
  return dns;
}

function answer(
  setup: Readonly<Record<string, unknown>>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { redirect, body, headers } = setup;
  if (typeof redirect === 'string') {
    response.writeHead(302, { location: redirect }).end();
    return;
  }
  if (headers !== undefined) {
    floodHeaders(response);
    return;
  }
  if (body === '10 GB identity') return void floodBody(response);
  if (body === 'brotli bomb') {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'br' }).end(BOMB);
    return;
  }
  assert.ok(request.url);
  response.setHeader('content-type', 'text/html');
  response.end(typeof body === 'string' ? body : '<p>A page.</p>');
}

/** A few hundred bytes that unpack to 256 MB. */
const BOMB = brotliCompressSync(Buffer.alloc(256 * 1024 * 1024));

function floodBody(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' });
  const part = Buffer.alloc(64 * 1024, 'x');
  let left = 10 * 1024 ** 3;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= part.length;
      if (!response.write(part)) return;
    }
  };
  response.on('drain', more);
  more();
}

/** Past what Node would send by itself, so it is written to the socket as it is. */
function floodHeaders(response: ServerResponse): void {
  const { socket } = response;
  socket?.write('HTTP/1.1 200 OK\r\n');
  const row = `x-flood: ${'y'.repeat(8000)}\r\n`;
  let left = 100 * 1024 * 1024;
  const more = () => {
    while (left > 0 && socket && !socket.destroyed) {
      left -= row.length;
      if (!socket.write(row)) return;
    }
  };
  socket?.on('drain', more);
  socket?.on('error', () => undefined);
  more();
}
