import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toExtensions } from '../../../src/acp/gatehouse/capabilities.ts';
import { calls, prompt } from '../host/harness.ts';
import { startOAuthServer } from './oauthServer.ts';
import { ALLOW, listServers, openHost, startSession } from './servers.ts';

/** A host whose client has a browser and a secret storage, and a session with a server that wants a token. */
async function open(t: TestContext, { hasBrowser = true, opens = true } = {}) {
  const server = await startOAuthServer(t);
  const secrets = new Map<string, string>();
  const pages: string[] = [];
  const visits: Promise<unknown>[] = [];
  const methods: Readonly<Record<string, (given: Record<string, string | null>) => unknown>> = {
    secret: ({ id }) => ({ value: secrets.get(String(id)) ?? null }),
    store_secret({ id, value }) {
      if (value === null) secrets.delete(String(id));
      else secrets.set(String(id), String(value));
      return {};
    },
    external_uri: ({ url }) => ({ url }),
    open_browser({ url }) {
      pages.push(String(url));
      // The browser follows the redirect back to this machine.
      if (opens) visits.push(fetch(String(url)).then((response) => response.text()));
      return { opened: opens };
    },
  };
  const host = await openHost(t, {
    script: [
      { calls: [{ tool: 'signed_whoami', input: {}, id: 'first' }] },
      { text: 'Done.' },
      { calls: [{ tool: 'signed_whoami', input: {}, id: 'second' }] },
      { text: 'Done.' },
    ],
    client: {
      permission: () => ALLOW,
      capabilities: toExtensions({ secret: true, signIn: hasBrowser }),
      other: (method, params) =>
        methods[method.replace('_gatehouse/', '')]?.(params as Record<string, string>),
    },
  });
  const signed = { type: 'http', name: 'signed', url: server.url, headers: [] };
  const sessionId = await startSession(host, [signed]);
  const act = (action: string) =>
    host.agent.request('_gatehouse/server_action', { sessionId, server: 'signed', action });
  const row = async () => (await listServers(host, sessionId)).tools[0];
  return { ...{ server, secrets, pages, visits, host, sessionId }, act, row };
}

test('CS-58 Sign In: the browser brings a code, PKCE proves it, and the tokens are kept as a secret', async (t) => {
  const { server, secrets, pages, visits, host, sessionId, act, row } = await open(t);
  const before = await row();
  assert.equal(before?.signIn, 'needed');
  assert.match(before?.why ?? '', /You have to sign in\. Choose "Sign In" in the Tools view\.$/);
  assert.deepEqual(pages, [], 'nothing opens by itself');
  assert.equal(server.seen.includes('POST /register'), false, 'nothing is registered before');

  await act('signIn');
  const page = new URL(pages[0] ?? '');
  assert.equal(page.pathname, '/authorize');
  assert.equal(page.searchParams.get('code_challenge_method'), 'S256');
  assert.match(
    page.searchParams.get('redirect_uri') ?? '',
    /^http:\/\/127\.0\.0\.1:\d+\/callback$/,
  );
  assert.match(String(await visits[0]), /^You are signed in\./);
  const [[id, kept] = ['', '']] = [...secrets];
  assert.match(id, /^mcp\/oauth\/[0-9a-f]{64}$/);
  assert.equal(JSON.parse(kept).tokens.access_token, server.state.access);

  const after = await row();
  assert.deepEqual([after?.id, after?.state, after?.signIn], ['signed_whoami', 'offered', 'done']);
  await prompt(host, sessionId);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /It is you/);
  const lines = JSON.stringify(host.updates);
  assert.equal(lines.includes(server.state.access), false, 'no token in what is shown');
});

test('CS-58 a token that expired is renewed, and the call is made again', async (t) => {
  const { server, secrets, pages, host, sessionId, act, row } = await open(t);
  await row();
  await act('signIn');
  await row();
  server.expire();
  const { refresh } = server.state;
  await prompt(host, sessionId);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /It is you/);
  assert.notEqual(server.state.refresh, refresh, 'the server gave new tokens');
  assert.equal(
    JSON.parse([...secrets.values()][0] ?? '').tokens.refresh_token,
    server.state.refresh,
  );
  assert.equal(pages.length, 1, 'no browser');
});

test('CS-58 a renewal that is refused fails the call only, and asks to sign in again', async (t) => {
  const { server, pages, host, sessionId, act, row } = await open(t);
  await row();
  await act('signIn');
  await row();
  server.expire();
  server.state.canRefresh = false;
  await prompt(host, sessionId);
  const failed = calls(host).find(({ status }) => status === 'failed');
  assert.match(JSON.stringify(failed?.rawOutput), /mcp server signed: authentication failed/);
  assert.equal((await row())?.signIn, 'needed');
  assert.equal(pages.length, 1, 'no browser by itself');
  server.state.canRefresh = true;
  await act('signIn');
  assert.equal((await row())?.signIn, 'done');
});

test('CS-58 a renewal that fails for now keeps the tokens, and the next call renews them', async (t) => {
  const { server, pages, host, sessionId, act, row } = await open(t);
  await row();
  await act('signIn');
  await row();
  server.expire();
  server.state.isBroken = true;
  await prompt(host, sessionId);
  const failed = calls(host).find(({ status }) => status === 'failed');
  assert.match(JSON.stringify(failed?.rawOutput), /could not be renewed now/);
  server.state.isBroken = false;
  assert.equal((await row())?.signIn, 'done');
  await prompt(host, sessionId);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /It is you/);
  assert.equal(pages.length, 1, 'no other sign-in');
});

test('CS-58 a user who refuses, or opens no browser, is told what happened, and can try again', async (t) => {
  const { server, secrets, act, row } = await open(t);
  await row();
  server.state.mode = 'refuses';
  await assert.rejects(act('signIn'), /The server refused the sign-in: access_denied/);
  assert.equal(secrets.size, 0);
  assert.equal((await row())?.signIn, 'needed');
  server.state.mode = 'agrees';
  await act('signIn');
  assert.equal((await row())?.signIn, 'done');

  const closed = await open(t, { opens: false });
  await closed.row();
  await assert.rejects(closed.act('signIn'), /The browser was not opened/);
});

test('CS-58 Sign Out removes the tokens, and the server is down until the next sign-in', async (t) => {
  const { secrets, act, row } = await open(t);
  await row();
  await act('signIn');
  assert.equal((await row())?.signIn, 'done');
  await act('signOut');
  assert.equal(secrets.size, 0);
  assert.equal((await row())?.signIn, 'needed');
});

test("CS-58 a client that can't sign in says what helps", async (t) => {
  const { act, row } = await open(t, { hasBrowser: false });
  assert.match(
    (await row())?.why ?? '',
    /It refuses this client \(401\)\. Give its entry an Authorization header/,
  );
  await assert.rejects(act('signIn'), /This client cannot sign in to servers/);
});
