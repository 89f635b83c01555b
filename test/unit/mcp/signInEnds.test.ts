import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createSignIns } from '../../../src/mcp/oauth/signIns.ts';
import { createManualClock } from '../../tour/manualClock.ts';
import { until } from '../host/harness.ts';
import { startOAuthServer } from './oauthServer.ts';

const SERVER = {
  ...{ name: 'srv', file: '', shown: '', hash: '', timeoutMs: 1000 },
  origin: 'session',
} as const;

/** A server that wants a sign-in, and never says where. */
async function startSilentServer(t: TestContext, onAsked: () => void): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/mcp') response.writeHead(401).end();
    else onAsked();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

for (const [what, isSilent] of [
  ['a server that never answers', true],
  ['an editor that never opens the browser', false],
] as const) {
  test(`CS-58 ${what}: the sign-in ends after five minutes, and its port is closed`, async (t) => {
    let callback = '';
    let isAsked = false;
    const onAsked = () => {
      isAsked = true;
    };
    const url = isSilent ? await startSilentServer(t, onAsked) : (await startOAuthServer(t)).url;
    const clock = createManualClock();
    const signIns = createSignIns({
      clock,
      secrets: { get: async () => undefined, set: async () => undefined, note: () => undefined },
      browser: {
        externalUri: async (given) => {
          callback = given;
          return given;
        },
        open: () => {
          onAsked();
          return new Promise(() => undefined);
        },
      },
    });
    const how = { type: 'http' as const, url, headers: {} };
    const ended = signIns.signIn({ ...SERVER, how });
    await until(() => isAsked, 'the sign-in');
    clock.advance(5 * 60_000);
    const outcome = await ended;
    assert.match(outcome.ok ? '' : outcome.error, /There was no answer within 5 minutes\. Nothing/);
    await assert.rejects(fetch(callback));
  });
}
