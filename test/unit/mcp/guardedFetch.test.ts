import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { createGuardedFetch } from '../../../src/mcp/connect/guardedFetch.ts';
import { listen } from '../tools/netBed.ts';

async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  t.after(() => server.close());
  return `http://127.0.0.1:${await listen(server)}`;
}

const lookup = async () => [{ address: '10.0.0.7', family: 4 }];

test('a private host is reached only if the entry of the server names it', async (t) => {
  const url = await serve(t, (_request, response) => response.end('fine'));
  assert.equal(await (await createGuardedFetch(url)(`${url}/a`)).text(), 'fine');
  const other = createGuardedFetch('https://mcp.example/');
  await assert.rejects(other(url), /is a private host that the server's entry does not name/);
});

test('a public name that resolves to a private address is refused (SSRF, DNS rebinding)', async () => {
  const fetch = createGuardedFetch('https://mcp.example/', { lookup });
  await assert.rejects(
    fetch('https://mcp.example/'),
    /resolves to the private address 10\.0\.0\.7/,
  );
  let looked = 0;
  const rebinding = async () => {
    looked += 1;
    return [{ address: looked === 1 ? '93.184.216.34' : '10.0.0.7', family: 4 }];
  };
  const second = createGuardedFetch('https://mcp.example/', { lookup: rebinding });
  await assert.rejects(second('https://mcp.example/'), (fault: Error) => {
    assert.match(String(fault.cause), /mcp\.example has no public address/);
    return true;
  });
});

test('a redirect is not followed, so that headers reach no other host', async (t) => {
  const url = await serve(t, (_request, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  );
  const response = await createGuardedFetch(url)(url, { headers: { authorization: 'Bearer x' } });
  assert.equal(response.status, 302);
});

test('an answer of more than 10 MB ends', async (t) => {
  const url = await serve(t, (_request, response) => {
    const write = (): void => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', write);
    };
    write();
  });
  const response = await createGuardedFetch(url)(url);
  await assert.rejects(response.text(), /more than 10 MB at once/);
});

for (const [what, text, words] of [
  [
    'one event of endless short lines',
    `data: ${'x'.repeat(990)}\n`.repeat(64),
    /more than 10 MB at once/,
  ],
  ['events without end', 'data: {}\n\n'.repeat(500), /far more messages than it was asked for/],
  ['empty lines without end', '\r\n'.repeat(5000), /far more messages than it was asked for/],
] as const) {
  test(`a stream with ${what} ends`, async (t) => {
    const url = await serve(t, (_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      const write = (): void => {
        while (!response.destroyed && response.write(text));
      };
      response.on('drain', write);
      write();
    });
    const response = await createGuardedFetch(url)(url);
    await assert.rejects(async () => {
      for await (const _ of response.body ?? []);
    }, words);
  });
}

test('a stream of large events, each of less than 10 MB, goes on', async (t) => {
  const url = await serve(t, (_request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.end(`data: ${'x'.repeat(6_000_000)}\r\n\r\n`.repeat(3));
  });
  assert.equal((await (await createGuardedFetch(url)(url)).text()).length, 3 * 6_000_010);
});
