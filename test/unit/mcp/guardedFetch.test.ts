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
