import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createClient } from '../../../src/host/client/client.ts';
import { openHostServices } from '../../../src/host/services/hostServices.ts';
import { Sessions } from '../../../src/host/session/sessions.ts';
import { parseClientServer } from '../../../src/mcp/config/clientServers.ts';
import { type ModelRequest, type Reply, startModelServer } from '../../tour/server.ts';
import { prompt, requests, temporary, until } from '../host/harness.ts';
import { ALLOW, acceptPending, openHost, startSession, stdio } from './servers.ts';

const FILE = path.resolve(import.meta.dirname, 'samplingServer.mjs');
const TOOLS = { permission: 'mcp:*', pattern: '*', action: 'allow' };
const SAMPLE = {
  ...{ systemPrompt: 'You are a helpful test server.', maxTokens: 9 },
  messages: [{ role: 'user', content: { type: 'text', text: 'Hi.' } }],
};
const FORM = {
  form: {
    message: 'Which city?',
    requestedSchema: { type: 'object', properties: { city: { type: 'string' } } },
  },
};

const ask = (request: object) => ({ tool: 'sampler_ask', input: { requests: [request] } });
const isSample = ({ conversation }: ModelRequest) => conversation.tools.length === 0;

/** Two sessions of one folder share the server of the settings; what their calls got. */
async function openShared(
  t: TestContext,
  request: object,
  permission: () => Promise<typeof ALLOW>,
) {
  const told: string[] = [];
  const forms: string[] = [];
  const script = (asked: ModelRequest): Reply => {
    if (isSample(asked)) return { text: 'Sampled.' };
    const { results } = asked.conversation;
    told.push(...results.map((result) => JSON.stringify(result)));
    return results.length > 0 ? { text: 'Done.' } : { calls: [ask(request)] };
  };
  const release = Promise.withResolvers<void>();
  const host = await openHost(t, {
    script,
    settings: {
      'gatehouse.permissions': [TOOLS],
      'gatehouse.mcp': { sampler: { command: [process.execPath, FILE] } },
    },
    client: {
      capabilities: { elicitation: { form: {} } },
      permission,
      elicit: (params) => {
        forms.push(JSON.stringify(params));
        return release.promise.then(() => ({ action: 'cancel' })) as never;
      },
    },
  });
  const one = await startSession(host);
  assert.equal(await acceptPending(host, one), 1, 'the server');
  const other = await startSession(host);
  assert.equal(await acceptPending(host, other), 1, 'its tools');
  return { host, told, forms, one, other, release };
}

test('issue 18: while calls of two sessions run at one server, neither is asked for the model, and nobody pays', async (t) => {
  const release = Promise.withResolvers<typeof ALLOW>();
  const { host, told, one, other } = await openShared(t, SAMPLE, () => release.promise);
  const first = prompt(host, one);
  await until(() => requests(host, 'session/request_permission').length > 0, 'the first ask');
  await prompt(host, other);
  assert.match(
    told.join(),
    /Calls of several sessions run at this server, so the model is not asked/,
  );
  release.resolve(ALLOW);
  await first;
  assert.equal(requests(host, 'session/request_permission').length, 1);
  assert.match(told.join(), /Sampled\./, 'the first one goes on');
});

test('issue 18: while calls of two sessions run at one server, its form goes to neither user', async (t) => {
  const { host, told, forms, one, other, release } = await openShared(t, FORM, async () => ALLOW);
  const first = prompt(host, one);
  await until(() => forms.length > 0, 'the first form');
  await prompt(host, other);
  assert.match(
    told.join(),
    /Calls of several sessions run at this server, so the user is not asked/,
  );
  release.resolve();
  await first;
  assert.equal(forms.length, 1);
  assert.match(forms[0] ?? '', new RegExp(one), 'in the session whose call ran');
});

test('issue 18: a session without a user asks no model for a server, unless a rule allows just that', async (t) => {
  for (const [rules, expected] of [
    [[TOOLS], /Neither the user nor a rule allows this request to the model/],
    [[TOOLS, { ...TOOLS, permission: 'mcp:sampler:sampling' }], /Sampled\./],
  ] as const) {
    const told = await runHeadless(t, rules, ask(SAMPLE));
    assert.match(told.join(), expected);
  }
});

test('issue 18: a session without a user declines the forms of a server', async (t) => {
  assert.match((await runHeadless(t, [TOOLS], ask(FORM))).join(), /decline/);
});

/** Runs a turn in a session that nobody can be asked in. Returns what its call got. */
async function runHeadless(
  t: TestContext,
  rules: readonly object[],
  call: ReturnType<typeof ask>,
): Promise<readonly string[]> {
  const [data, workspace, home] = [await temporary(t), await temporary(t), await temporary(t)];
  const told: string[] = [];
  const script = (request: ModelRequest): Reply => {
    if (isSample(request)) return { text: 'Sampled.' };
    const { results } = request.conversation;
    told.push(...results.map((result) => JSON.stringify(result)));
    return results.length > 0 ? { text: 'Done.' } : { calls: [call] };
  };
  const model = await startModelServer({ script });
  t.after(() => model.stop());
  const settings = path.join(data, 'settings.json');
  writeFileSync(settings, JSON.stringify({ 'gatehouse.permissions': rules }));
  const peer = {
    request: () => Promise.reject(new Error('nobody is asked')),
    notify: async () => undefined,
  };
  const client = createClient(peer, { protocolVersion: 1, clientCapabilities: {} });
  const env = {
    ...{ PATH: process.env['PATH'], HOME: home, GATEHOUSE_DATA: data },
    ...{ GATEHOUSE_CONFIG: settings, GATEHOUSE_MODEL_ID: 'scripted' },
    GATEHOUSE_MODEL_BASE_URL: model.url,
  };
  const services = openHostServices({ client, env, warn: () => undefined });
  t.after(() => services.dispose());
  const sessions = new Sessions(services);
  const server = parseClientServer(stdio('sampler', FILE), workspace);
  assert.ok(server.ok);
  const terms = { additionalDirectories: [], approval: 'ask', canAsk: false } as const;
  const session = await sessions.start({ ...terms, cwd: workspace, mcpServers: [server.data] });
  await sessions.prompt({ sessionId: session.id, prompt: [{ type: 'text', text: 'Go.' }] });
  await sessions.close(session.id);
  return told;
}
