import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { converse, fields, makeBed, runloop } from './session.ts';

// Runloop's http tools, through the built `gatehouse acp`.

interface Server {
  readonly port: number;
  readonly caps: string;
  readonly urls: readonly string[];
}

test('VD-28 a value in a URL is encoded and cannot climb', async (t) => {
  const { port, caps, urls } = await serve(t, { body: '{"ok":true}' });
  const transport = { kind: 'http', method: 'GET', url: `http://127.0.0.1:${port}/items/{id}` };
  const bed = await makeBed(t, { files: runloop('', { transport }, caps) });
  const { results } = await converse(t, bed, {
    calls: ['../../x?y=1', '..'].map((id) => ({ tool: 'shop_x', input: { id } })),
  });
  assert.deepEqual(fields(results[0])['data'], { ok: true });
  assert.match(JSON.stringify(results[1]), /a value in the URL must not be/);
  assert.deepEqual(urls, ['/items/..%2F..%2Fx%3Fy%3D1']);
});

test('VD-29 a redirect to another host is not followed', async (t) => {
  const evil = await serve(t, { body: '{}' });
  const location = `http://127.0.0.1:${evil.port}/`;
  const { port, caps } = await serve(t, { status: 302, location });
  const transport = { kind: 'http', method: 'POST', url: `http://127.0.0.1:${port}/` };
  const bed = await makeBed(t, { files: runloop('', { transport }, caps) });
  const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
  assert.match(String(fields(results[0])['error_text']), /redirect/);
  assert.deepEqual(evil.urls, []);
});

for (const [name, body, fault] of [
  ['a number that JSON cannot hold', '{"n":1e400}', /it has a number that is too large/],
  ['bytes that are not UTF-8', Buffer.from('"\xff"', 'latin1'), /it is not valid UTF-8/],
] as const) {
  test(`a response with ${name} is an error`, async (t) => {
    const { port, caps } = await serve(t, { body });
    const transport = { kind: 'http', method: 'POST', url: `http://127.0.0.1:${port}/` };
    const bed = await makeBed(t, { files: runloop('', { transport }, caps) });
    const { results } = await converse(t, bed, { calls: [{ tool: 'shop_x' }] });
    assert.match(String(fields(results[0])['error_text']), fault);
  });
}

async function serve(
  t: TestContext,
  reply: { readonly status?: number; readonly location?: string; readonly body?: string | Buffer },
): Promise<Server> {
  const { status = 200, location, body = '' } = reply;
  const urls: string[] = [];
  const server = createServer((request, response) => {
    urls.push(request.url ?? '');
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const caps = `[capabilities.net]\nhosts = ["127.0.0.1:${port}"]\nallow_http = true`;
  return { port, caps, urls };
}
