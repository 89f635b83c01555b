import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { toRecord } from '../../../src/base/json.ts';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { calls, prompt, requests, until } from '../host/harness.ts';
import { ALLOW, findServer, listServers, openHost, startSession, stdio } from './servers.ts';

const EVERYTHING = stdio('everything', findServer('everything'));
const SAMPLER = stdio('sampler', path.resolve(import.meta.dirname, 'samplingServer.mjs'));
const SYSTEM = 'You are a helpful test server.';
const REJECT = { outcome: { outcome: 'selected', optionId: 'reject' } } as const;
const ALLOWED = { permission: 'mcp:everything:sampling', pattern: '*', action: 'allow' };
/** Calls of tools are allowed, so that every request to the user is about the model. */
const TOOLS = { permission: 'mcp:*', pattern: '*', action: 'allow' };

const isSample = ({ body }: ModelRequest) =>
  JSON.stringify(body['messages']).includes(`"content":"${SYSTEM}"`);
const message = (text: string) => ({ role: 'user', content: { type: 'text', text } });

interface Asking {
  readonly rules?: readonly object[];
  readonly settings?: object;
  readonly call?: object;
  /** What the answer with the call has besides. */
  readonly first?: Reply;
  permission?(): typeof ALLOW | typeof REJECT | Promise<typeof ALLOW>;
  sample?(request: ModelRequest): Reply;
}

/** A turn in which a server's tool asks the model. */
async function open(t: TestContext, { rules = [], call, first, sample, ...asking }: Asking) {
  const { permission, settings } = asking;
  const samples: ModelRequest[] = [];
  const called = call ?? { tool: 'everything_trigger_sampling_request', input: { prompt: 'Hi' } };
  const script = (request: ModelRequest): Reply => {
    if (isSample(request)) {
      samples.push(request);
      return sample?.(request) ?? { text: 'Sampled.' };
    }
    if (request.conversation.results.length > 0) return { text: 'Done.' };
    return { ...first, calls: [called as never] };
  };
  const host = await openHost(t, {
    script,
    settings: { 'gatehouse.permissions': [TOOLS, ...rules], ...settings },
    client: { permission: permission ?? (() => ALLOW) },
  });
  const sessionId = await startSession(host, [EVERYTHING, SAMPLER]);
  const asked = () => requests(host, 'session/request_permission').map(({ params }) => params);
  const output = () => JSON.stringify(calls(host).at(-1)?.rawOutput ?? calls(host).at(-1));
  return { host, sessionId, samples, asked, output };
}

const askWith = (...requests: object[]) => ({ tool: 'sampler_ask', input: { requests } });

test('issue 18: a server asks the model once the user has seen who asks and what is sent, and gets its answer', async (t) => {
  const { host, sessionId, samples, asked, output } = await open(t, {});
  await prompt(host, sessionId);
  const [ask, ...others] = asked();
  assert.equal(others.length, 0, 'a rule for all tools of the server is not about the model');
  const { title, rawInput } = toRecord(toRecord(ask)['toolCall']);
  assert.match(String(title), /^The MCP server "everything" asks the model: .*context: Hi$/);
  assert.deepEqual(rawInput, {
    server: 'everything',
    system: SYSTEM,
    messages: [{ role: 'user', text: 'Resource trigger-sampling-request context: Hi' }],
    maxTokens: 100,
  });
  assert.match(JSON.stringify(ask), /"mcp:everything:sampling"/);
  assert.doesNotMatch(JSON.stringify(ask), /"mcp:everything:\*","pattern/);
  assert.deepEqual(
    [samples[0]?.body['max_tokens'], samples[0]?.conversation.tools.length],
    [100, 0],
  );
  assert.match(output(), /Sampled\./);
});

test('issue 18: a request to the model that the user rejects, or a rule denies, is not sent', async (t) => {
  const rejected = await open(t, { permission: () => REJECT });
  await prompt(rejected.host, rejected.sessionId);
  assert.match(rejected.output(), /Neither the user nor a rule allows/);
  const denied = await open(t, { rules: [ALLOWED, { ...ALLOWED, action: 'deny' }] });
  await prompt(denied.host, denied.sessionId);
  assert.match(denied.output(), /Neither the user nor a rule allows/);
  assert.deepEqual([denied.asked().length, rejected.samples, denied.samples], [0, [], []]);
});

test('issue 18: a rule for the requests of one server allows them without a question', async (t) => {
  const { host, sessionId, samples, asked } = await open(t, { rules: [ALLOWED] });
  await prompt(host, sessionId);
  assert.deepEqual([asked().length, samples.length], [0, 1]);
});

test('issue 18: what servers ask of the model counts in the session, whose cost limit holds for it', async (t) => {
  const usage = { prompt_tokens: 1200, completion_tokens: 0, total_tokens: 1200 };
  const settings = {
    'gatehouse.limits.sessionCost': 1,
    'gatehouse.limits.unpricedTokens': 1000,
  };
  const counted = await open(t, { settings, sample: () => ({ text: 'Sampled.', usage }) });
  await assert.rejects(prompt(counted.host, counted.sessionId), /unpricedTokens/);
  assert.equal(counted.samples.length, 1);

  const stopped = await open(t, { settings, first: { usage } });
  await assert.rejects(prompt(stopped.host, stopped.sessionId), /unpricedTokens/);
  assert.match(stopped.output(), /A cost limit of the user is reached/);
  assert.deepEqual([stopped.asked().length, stopped.samples.length], [0, 0]);
});

test('issue 18: requests to the model that are too large, not of text, with tools or without a limit are refused', async (t) => {
  const image = { role: 'user', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } };
  const tools = [{ name: 'x', inputSchema: { type: 'object' } }];
  const base = { systemPrompt: SYSTEM, maxTokens: 9, messages: [message('a')] };
  for (const [request, why] of [
    [{ ...base, messages: [message('x'.repeat(102_401))] }, /can have 100 KB; this has/],
    [{ ...base, messages: Array(51).fill(message('a')) }, /1 to 50 messages/],
    [{ ...base, messages: [image] }, /text only/],
    [{ ...base, tools }, /can have no tools/],
    [{ ...base, maxTokens: 0 }, /how many tokens/],
  ] as const) {
    const { host, sessionId, samples, asked, output } = await open(t, { call: askWith(request) });
    await prompt(host, sessionId);
    assert.match(output(), why);
    assert.deepEqual([asked().length, samples.length], [0, 0]);
  }
});

test('issue 18: an answer has 4,096 tokens at most, and two requests run at a time', async (t) => {
  const request = { systemPrompt: SYSTEM, maxTokens: 1_000_000, messages: [message('a')] };
  const { host, sessionId, samples, output } = await open(t, {
    call: askWith(request, request, request),
  });
  await prompt(host, sessionId);
  assert.deepEqual(
    samples.map(({ body }) => body['max_tokens']),
    [4096, 4096],
  );
  assert.match(output(), /2 requests to the model are running/);
});

test('issue 18: a server that prefers speed gets the small model', async (t) => {
  const modelPreferences = { speedPriority: 0.9, intelligencePriority: 0.1 };
  const base = { systemPrompt: SYSTEM, maxTokens: 9, messages: [message('a')] };
  const { host, sessionId, samples } = await open(t, {
    settings: { 'gatehouse.model.small': 'little' },
    call: askWith(base, { ...base, modelPreferences }),
  });
  await prompt(host, sessionId);
  assert.deepEqual(samples.map(({ body }) => body['model']).sort(), ['little', 'scripted']);
});

test('issue 18: a question and a request to the model end with the call that they belong to', async (t) => {
  const asking = await open(t, { permission: () => new Promise(() => undefined) });
  const turn = prompt(asking.host, asking.sessionId);
  await until(() => asking.asked().length > 0, 'the question');
  await asking.host.agent.notify('session/cancel', { sessionId: asking.sessionId });
  assert.equal((await turn).stopReason, 'cancelled');
  assert.equal(asking.samples.length, 0);

  const endless = new Promise(() => undefined);
  const sampling = await open(t, { sample: () => ({ text: 'x', until: endless }) });
  const other = prompt(sampling.host, sampling.sessionId);
  await until(() => sampling.samples.length > 0, 'the request');
  await sampling.host.agent.notify('session/cancel', { sessionId: sampling.sessionId });
  assert.equal((await other).stopReason, 'cancelled');
});

test('issue 18: a tool whose name in rules would be that of requests to the model is not offered', async (t) => {
  const { host, sessionId } = await open(t, {});
  const { tools } = await listServers(host, sessionId);
  const held = tools.find(({ id }) => id === 'sampling');
  assert.match(held?.why ?? '', /stands for the server's requests to the model/);
});
