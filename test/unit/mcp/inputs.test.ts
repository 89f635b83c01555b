import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { toExtensions } from '../../../src/acp/gatehouse/capabilities.ts';
import type { InputAsk } from '../../../src/base/tools/mcpServer.ts';
import { type Connected, calls, prompt } from '../host/harness.ts';
import {
  ALLOW,
  acceptPending,
  findServer,
  listServers,
  openHost,
  startSession,
} from './servers.ts';

/** A host whose `.vscode/mcp.json` leaves a token of a real server to the user. */
async function open(
  t: TestContext,
  answer?: (asked: InputAsk) => string | null | Promise<string | null>,
): Promise<Connected> {
  const host = await openHost(t, {
    script: [{ calls: [{ tool: 'everything_get_env', input: {} }] }, { text: 'Done.' }],
    client: {
      permission: () => ALLOW,
      ...(answer && {
        capabilities: toExtensions({ serverInput: true }),
        other: async (method: string, params: unknown) => {
          assert.equal(method, '_gatehouse/server_input');
          return { value: await answer(params as InputAsk) };
        },
      }),
    },
  });
  const token = `$${'{input:token}'}`;
  const everything = {
    ...{ type: 'stdio', command: process.execPath, args: [findServer('everything')] },
    env: { SERVICE_TOKEN: `Bearer-${token}` },
  };
  const inputs = [
    { type: 'promptString', id: 'token', description: 'The token', password: true, default: 'd' },
  ];
  mkdirSync(path.join(host.workspace, '.vscode'));
  writeFileSync(
    path.join(host.workspace, '.vscode/mcp.json'),
    JSON.stringify({ inputs, servers: { everything } }),
  );
  return host;
}

/** What the Tools view says of the server. */
async function why(host: Connected, sessionId: string): Promise<string | undefined> {
  const { tools } = await listServers(host, sessionId);
  return tools.find(({ state }) => state !== 'offered')?.why;
}

async function waitFor(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setImmediate(resolve));
}

test('An input of an entry: the client asks for the value once the server is accepted, and the server gets it', async (t) => {
  const asked: InputAsk[] = [];
  const host = await open(t, (each) => {
    asked.push(each);
    return 's3cret';
  });
  const sessionId = await startSession(host);
  await listServers(host, sessionId);
  assert.deepEqual(asked, [], 'nothing is asked for a server that is not accepted');
  await acceptPending(host, sessionId);
  await acceptPending(host, sessionId);
  const { tools } = await listServers(host, sessionId);
  assert.ok(tools.some(({ id, state }) => id === 'everything_get_env' && state === 'offered'));
  assert.equal(asked.length, 1, 'asked once');
  const [{ server, input, key, again } = {} as InputAsk] = asked;
  assert.deepEqual([server, again], ['everything', false]);
  assert.match(key, /^[0-9a-f]{64}$/);
  assert.deepEqual(input, {
    ...{ id: 'token', description: 'The token', password: true, initial: 'd' },
  });
  await prompt(host, sessionId);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /Bearer-s3cret/);
});

test('An input of an entry: a user who gives no value is not asked again until "Restart Server"', async (t) => {
  const asked: InputAsk[] = [];
  const host = await open(t, (each) => (asked.push(each) === 1 ? null : 's3cret'));
  const sessionId = await startSession(host);
  await acceptPending(host, sessionId);
  const text =
    'The MCP server "everything" needs a value for its input "token". You gave none. Choose "Restart Server" to give it.';
  assert.equal(await why(host, sessionId), text);
  assert.equal(await why(host, sessionId), text);
  assert.equal(asked.length, 1);
  const restart = { sessionId, server: 'everything', action: 'restart' };
  await host.agent.request('_gatehouse/server_action', restart);
  await acceptPending(host, sessionId);
  const { tools } = await listServers(host, sessionId);
  assert.ok(tools.length > 10);
  assert.deepEqual(
    asked.map(({ again }) => again),
    [false, true],
  );
  const absent = { sessionId, server: 'absent', action: 'restart' };
  await assert.rejects(host.agent.request('_gatehouse/server_action', absent), /absent/);
});

test('An input of an entry: a turn does not wait for the user, and the server starts when the value comes', async (t) => {
  const given = Promise.withResolvers<string>();
  const host = await open(t, () => given.promise);
  const sessionId = await startSession(host);
  await acceptPending(host, sessionId);
  assert.equal(
    await why(host, sessionId),
    'The MCP server "everything" needs a value for its input "token". You are asked for it.',
  );
  given.resolve('s3cret');
  await waitFor(async () => (await listServers(host, sessionId)).pending.length > 0);
  await acceptPending(host, sessionId);
  assert.equal(await why(host, sessionId), undefined);
});

test("An input of an entry: the reason where the client can't ask says what helps", async (t) => {
  const host = await open(t);
  const sessionId = await startSession(host);
  await acceptPending(host, sessionId);
  const env = `$${'{env:NAME}'}`;
  assert.equal(
    await why(host, sessionId),
    `The MCP server "everything" needs a value for its input "token", and this client can't ask for it. Set an environment variable, and name it in the entry instead of the input, as ${env}.`,
  );
});
