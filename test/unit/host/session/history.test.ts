import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { RequestError } from '@agentclientprotocol/sdk';
import { type HistoryPage, parseHistoryPage } from '../../../../src/acp/gatehouse/history.ts';
import { HOST_REQUESTS } from '../../../../src/acp/gatehouse/methods.ts';
import { openRecorder } from '../../../../src/recorder/recorder.ts';
import { type Connected, connect, newSession, prompt } from '../harness.ts';

async function history(host: Connected, params: object): Promise<HistoryPage> {
  return parseHistoryPage(await host.agent.request<unknown>(HOST_REQUESTS.history.method, params));
}

test('the pages of a session are what loading it sends, also before it is open', async (t) => {
  const first = await connect(t, {
    script: [
      { text: 'One.' },
      { calls: [{ tool: 'todo', input: { items: [] }, id: 'c1' }] },
      { text: 'Two.' },
      { text: 'Three.' },
    ],
  });
  const sessionId = await newSession(first);
  for (const text of ['1', '2', '3']) await prompt(first, sessionId, text);
  const { data, workspace } = first;
  await first.stop();
  const host = await connect(t, { data, workspace });
  const paged: unknown[] = [];
  let before: string | undefined;
  do {
    const page = await history(host, { sessionId, limit: 2, ...(before && { before }) });
    paged.unshift(...page.updates);
    before = page.before;
  } while (before !== undefined);
  await host.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  const loaded = host.updates
    .map(({ update }) => update)
    .filter(({ sessionUpdate }) => !/session_info|available_commands/.test(String(sessionUpdate)));
  assert.ok(paged.length > 6);
  assert.deepEqual(paged, loaded);
});

/** A host that has not loaded a session of 200 messages yet. */
async function openLong(t: TestContext) {
  const first = await connect(t);
  const sessionId = await newSession(first);
  const { data, workspace } = first;
  await first.stop();
  const recorder = openRecorder(path.join(data, 'state', 'gatehouse.db'));
  const texts = Array.from({ length: 200 }, (_, count) => `message ${count}`);
  for (const text of texts) recorder.addUserMessage(sessionId, [{ type: 'text', text }]);
  recorder.close();
  const host = await connect(t, { data, workspace, script: [{ text: 'Hello.' }] });
  return { host, sessionId, texts, terms: { sessionId, cwd: workspace, mcpServers: [] } };
}

test('a prompt that waits for a history can be cancelled, and the history goes on', async (t) => {
  const { host, sessionId, texts, terms } = await openLong(t);
  const load = host.agent.request('session/load', terms);
  const answer = prompt(host, sessionId, 'Hi.');
  await host.agent.notify('session/cancel', { sessionId });
  assert.equal((await answer).stopReason, 'cancelled');
  await load;
  const heard = JSON.stringify(host.updates);
  assert.ok(texts.every((text) => heard.includes(`"${text}"`)));
  assert.doesNotMatch(heard, /Hello/);
});

test('a whole history is sent in order while others are served, and a prompt is answered after it', async (t) => {
  const { host, sessionId, texts, terms } = await openLong(t);
  const heard = () =>
    host.updates.flatMap(({ update }) =>
      'content' in update && 'text' in Object(update.content) ? [Object(update.content).text] : [],
    );
  let before = 0;
  const loads = [1, 2].map(() => host.agent.request('session/load', terms));
  const listed = host.agent.request('session/list', {}).then(() => {
    before = heard().length;
  });
  const answer = prompt(host, sessionId, 'Hi.');
  await Promise.all([...loads, listed, answer]);
  assert.ok(before < texts.length, 'the list came while the history was being sent');
  assert.deepEqual(heard(), [...texts, ...texts, 'Hello.']);
});

test('an unknown session, a place that is none and a limit that is too large are clear errors', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  for (const [params, code, data] of [
    [{ sessionId: 'ses_none', limit: 1 }, -32002, { uri: 'ses_none' }],
    [{ sessionId, limit: 1, before: 'x' }, -32602, { before: 'The session has no such message.' }],
    [{ sessionId, limit: 501 }, -32602, { limit: 'Must be an integer from 1 to 500.' }],
    [{ sessionId, limit: 0.5 }, -32602, { limit: 'Must be an integer from 1 to 500.' }],
    [{ sessionId }, -32602, { limit: 'Must be a number.' }],
  ] as const) {
    const error = await history(host, params).catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError);
    assert.deepEqual([error.code, error.data], [code, data]);
  }
});
