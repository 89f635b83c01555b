import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { CreateElicitationRequest } from '@agentclientprotocol/sdk';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { calls, prompt, requests } from '../host/harness.ts';
import { findServer, listServers, openHost, startSession, stdio } from './servers.ts';
import { HOSTILE } from './source.ts';

const EVERYTHING = stdio('everything', findServer('everything'));

test('VC-61 tools of three real servers, more than 30: the model searches, finds one, and calls it in the next step', async (t) => {
  const sent: string[][] = [];
  const script = ({ conversation }: ModelRequest): Reply => {
    sent.push([...conversation.tools]);
    const { results } = conversation;
    if (results.length === 0) {
      return { calls: [{ tool: 'tool_search', input: { query: 'list directory' } }] };
    }
    if (results.length > 1) return { text: 'Done.' };
    return { calls: [{ tool: 'files_list_directory', input: { path: host.workspace } }] };
  };
  const host = await openHost(t, { script, settings: { 'gatehouse.toolSearch.enabled': true } });
  writeFileSync(path.join(host.workspace, 'seen.txt'), '');
  const sessionId = await startSession(host, [
    EVERYTHING,
    stdio('memory', findServer('memory')),
    stdio('files', findServer('filesystem'), host.workspace),
  ]);
  const { tools } = await listServers(host, sessionId);
  assert.ok(tools.length > 30, `${tools.length} tools`);
  await prompt(host, sessionId);
  assert.equal(
    sent[0]?.some((id) => /^(everything|memory|files)_/.test(id)),
    false,
  );
  assert.ok(sent[1]?.includes('files_list_directory'));
  const done = calls(host).filter(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done.at(-1)?.rawOutput), /seen\.txt/);
});

test('CS-60 one rule allows a whole server, another denies one of its tools', async (t) => {
  const rules = [
    { permission: 'mcp:everything:*', pattern: '*', action: 'allow' },
    { permission: 'mcp:everything:get-env', pattern: '*', action: 'deny' },
  ];
  const host = await openHost(t, {
    settings: { 'gatehouse.permissions': rules },
    script: [
      {
        calls: [
          { tool: 'everything_echo', input: { message: 'a' }, id: 'echo' },
          { tool: 'everything_get_env', input: {}, id: 'env' },
        ],
      },
      { text: 'Done.' },
    ],
  });
  await prompt(host, await startSession(host, [EVERYTHING]));
  const last = Object.fromEntries(
    calls(host).map(({ toolCallId, status }) => [toolCallId, status]),
  );
  assert.deepEqual([last['echo'], last['env']], ['completed', 'failed']);
  assert.deepEqual(requests(host, 'session/request_permission'), []);
});

test('a deny covers arguments of any length', async (t) => {
  const rules = [
    { permission: 'mcp:everything:*', pattern: '*', action: 'allow' },
    { permission: 'mcp:everything:echo', pattern: '*forbidden*', action: 'deny' },
  ];
  const message = `${'x'.repeat(100_000)} forbidden`;
  const host = await openHost(t, {
    settings: { 'gatehouse.permissions': rules },
    script: [{ calls: [{ tool: 'everything_echo', input: { message } }] }, { text: 'Done.' }],
  });
  await prompt(host, await startSession(host, [EVERYTHING]));
  assert.deepEqual(
    calls(host)
      .map(({ status }) => status)
      .at(-1),
    'failed',
  );
});

test('a tool that the user switches off is not offered, and the others are', async (t) => {
  const settings = { 'gatehouse.tools.disabled': ['everything_get_env'] };
  const sent: string[][] = [];
  const script = ({ conversation }: ModelRequest): Reply => {
    sent.push([...conversation.tools]);
    return { text: 'Done.' };
  };
  const host = await openHost(t, { settings, script });
  const sessionId = await startSession(host, [EVERYTHING]);
  await prompt(host, sessionId);
  assert.ok(sent[0]?.includes('everything_echo'));
  assert.equal(sent[0]?.includes('everything_get_env'), false);
  const { tools } = await listServers(host, sessionId);
  assert.equal(tools.find(({ id }) => id === 'everything_get_env')?.state, 'disabled');
});

test('VC-81 the kind of an MCP tool is "other", whatever the server says of its effects', async (t) => {
  const host = await openHost(t, {});
  const sessionId = await startSession(host, [EVERYTHING]);
  const { tools } = await listServers(host, sessionId);
  assert.deepEqual([...new Set(tools.map(({ kind }) => kind))], ['other']);
});

test('a server asks the user of the call that runs, who is told with each question which server it is', async (t) => {
  const asked: CreateElicitationRequest[] = [];
  const host = await openHost(t, {
    client: {
      capabilities: { elicitation: { form: {} } },
      permission: () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }),
      elicit: (params) => {
        asked.push(params);
        return { action: 'cancel' };
      },
    },
    script: [
      { calls: [{ tool: 'everything_trigger_elicitation_request', input: {} }] },
      { text: 'Done.' },
    ],
  });
  await prompt(host, await startSession(host, [EVERYTHING]));
  assert.equal(asked[0]?.message, 'The MCP server "everything" has some questions.');
  const { requestedSchema } = Object(asked[0]);
  const questions = Object.entries<{ description?: string }>(requestedSchema.properties)
    .filter(([key]) => !key.endsWith('_custom'))
    .map(([, { description = '' }]) => description);
  assert.ok(questions.length > 1);
  for (const each of questions) assert.match(each, /^The MCP server "everything" (also )?asks: /);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.match(JSON.stringify(done?.rawOutput), /cancel/i);
});

test('a server that the client names wrongly fails session/new, and is not dropped silently', async (t) => {
  const host = await openHost(t, {});
  const wrong = { type: 'http', name: 'x', url: 'file:///etc/passwd', headers: [] };
  await assert.rejects(startSession(host, [wrong]), /"url" must be an http or https URL/);
});

test('servers end with the session that has them', async (t) => {
  const host = await openHost(t, {
    script: [{ calls: [{ tool: 'env_act', input: {} }] }, { text: 'Done.' }],
  });
  const sessionId = await startSession(host, [stdio('env', HOSTILE, 'env')]);
  await prompt(host, sessionId);
  await host.agent.request('session/close', { sessionId });
  const next = await startSession(host);
  assert.deepEqual((await listServers(host, next)).tools, []);
});

test('no file of an untrusted workspace names a server', async (t) => {
  const capabilities = { _meta: { gatehouse: { v: 1, configure: true } } };
  const host = await openHost(t, { client: { capabilities } });
  const entry = { command: process.execPath, args: [HOSTILE, ''] };
  writeFileSync(
    path.join(host.workspace, '.mcp.json'),
    JSON.stringify({ mcpServers: { srv: entry } }),
  );
  const sessionId = await startSession(host);
  assert.deepEqual(await listServers(host, sessionId), { tools: [], pending: [] });
});
