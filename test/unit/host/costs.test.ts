import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { toRecord } from '../../../src/base/json.ts';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { type ModelRequest, type Reply, startModelServer } from '../../tour/server.ts';
import { type Connected, connect, newSession, prompt, temporary, until } from './harness.ts';

/** gpt-4o takes 2.50 dollars for a million tokens of input, and its small sister 0.15. */
const MILLION = { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 };
const ANSWER = 2.5;
const SMALL = 0.15;

const isTitle = ({ body }: ModelRequest) =>
  JSON.stringify(body).includes('Write a title of at most');

/** A host whose model has a price. Each request to it costs as much as a million tokens. */
async function open(
  t: TestContext,
  settings: object = {},
  answer: (request: ModelRequest) => Reply = () => ({ text: 'Done.' }),
) {
  const seen: ModelRequest[] = [];
  const server = await startModelServer({
    script: (request) => {
      seen.push(request);
      return { usage: MILLION, ...answer(request) };
    },
  });
  t.after(() => server.stop());
  const data = await temporary(t);
  const all = {
    'gatehouse.model.provider': 'openai-chat',
    'gatehouse.model.id': 'gpt-4o',
    'gatehouse.model.baseUrl': server.url,
    ...settings,
  };
  await writeFile(path.join(data, 'settings.json'), JSON.stringify(all));
  const host = await connect(t, {
    data,
    env: {
      ...{ GATEHOUSE_MODEL_BASE_URL: undefined, GATEHOUSE_MODEL_ID: undefined },
      GATEHOUSE_MODEL_API_KEY: 'sk-loopback',
    },
  });
  return { host, seen, sessionId: await newSession(host) };
}

const titles = ({ updates }: Connected) =>
  updates.flatMap(({ update }) =>
    update.sessionUpdate === 'session_info_update' ? [update.title] : [],
  );

const costs = ({ updates }: Connected) =>
  updates.flatMap(({ update }) =>
    update.sessionUpdate === 'usage_update' && update.cost ? [update.cost.amount] : [],
  );

async function storedCost({ data }: Connected, sessionId: string): Promise<number> {
  const recorder = openRecorder(path.join(data, 'state/gatehouse.db'));
  try {
    return recorder.session(sessionId)?.usage.cost_usd ?? assert.fail();
  } finally {
    recorder.close();
  }
}

async function dayCost({ data }: Connected): Promise<number> {
  const folder = path.join(data, 'state/costs');
  const [day = assert.fail()] = await readdir(folder);
  const lines = (await readFile(path.join(folder, day), 'utf8')).trim().split('\n');
  return lines.reduce((sum, line) => sum + Number(line), 0);
}

async function refused(turn: Promise<unknown>): Promise<string> {
  const error = await turn.then(
    () => assert.fail('it was not stopped'),
    (each: unknown) => each,
  );
  assert.equal(toRecord(toRecord(error)['data'])['kind'], 'budget');
  return String(error);
}

test('limits.sessionCost stops a real turn before its next request, and the error names the limit', async (t) => {
  const { host, seen, sessionId } = await open(t, { 'gatehouse.limits.sessionCost': 4 });
  await prompt(host, sessionId);
  await prompt(host, sessionId);
  assert.deepEqual(costs(host), [ANSWER, 2 * ANSWER]);
  const message = await refused(prompt(host, sessionId));
  assert.match(message, /\$5\.00.*limits\.sessionCost.*Everything so far is saved/s);
  assert.equal(seen.length, 2);
  const other = await newSession(host);
  assert.equal((await prompt(host, other)).stopReason, 'end_turn');
});

test('limits.dayCost stops the other sessions of the day, too', async (t) => {
  const { host, seen, sessionId } = await open(t, { 'gatehouse.limits.dayCost': 2 });
  await prompt(host, sessionId);
  assert.match(await refused(prompt(host, await newSession(host))), /limits\.dayCost/);
  assert.equal(seen.length, 1);
});

test('without a price, limits.unpricedTokens stops a real turn', async (t) => {
  const { host, sessionId } = await open(t, {
    ...{ 'gatehouse.model.id': 'nobody-knows', 'gatehouse.limits.sessionCost': 100 },
    'gatehouse.limits.unpricedTokens': 500_000,
  });
  await prompt(host, sessionId);
  const message = await refused(prompt(host, sessionId));
  assert.match(message, /price is unknown.*1,000,000 tokens.*limits\.unpricedTokens/s);
  assert.deepEqual(costs(host), []);
});

test('what a subagent costs counts in the session that started it, and stops that one', async (t) => {
  const task = { tool: 'task', input: { subagent_type: 'explore', prompt: 'Look around.' } };
  const { host, seen, sessionId } = await open(
    t,
    { 'gatehouse.limits.sessionCost': 4 },
    ({ conversation }) =>
      conversation.prompt === 'Look around.' ? { text: 'Seen.' } : { calls: [task] },
  );
  assert.match(await refused(prompt(host, sessionId)), /\$5\.00/);
  assert.equal(seen.length, 2, 'one request of the session, one of its subagent');
  assert.match(await refused(prompt(host, sessionId)), /\$5\.00/, 'also in the next turn');
  assert.equal(await dayCost(host), 2 * ANSWER);
});

test('a subagent ends before the request that the session has no money for', async (t) => {
  const task = { tool: 'task', input: { subagent_type: 'explore', prompt: 'Look around.' } };
  const { host, seen, sessionId } = await open(
    t,
    { 'gatehouse.limits.sessionCost': 2 },
    ({ conversation }) =>
      conversation.prompt === 'Look around.' ? { text: 'Seen.' } : { calls: [task] },
  );
  await refused(prompt(host, sessionId));
  assert.equal(seen.length, 1);
});

test('a commit message counts in its session and the day, and is not asked for above a limit', async (t) => {
  const { host, seen, sessionId } = await open(t, { 'gatehouse.limits.sessionCost': 2 });
  const root = host.workspace;
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'core.hooksPath=/dev/null', ...args]);
  git('init', '-q');
  await writeFile(path.join(root, 'a.txt'), 'a');
  git('add', 'a.txt');
  const ask = () => host.agent.request('_gatehouse/commit_message', { sessionId, root });
  assert.deepEqual(await ask(), { message: 'Done.' });
  assert.equal(await storedCost(host, sessionId), ANSWER);
  assert.equal(await dayCost(host), ANSWER);
  await assert.rejects(Promise.resolve(ask()), /limits\.sessionCost/);
  await refused(prompt(host, sessionId));
  assert.equal(seen.length, 1);
});

test('the small model writes the title after the first answer, once, and its cost counts', async (t) => {
  const { host, seen, sessionId } = await open(
    t,
    { 'gatehouse.model.small': 'openai-chat:gpt-4o-mini' },
    (request) => ({ text: isTitle(request) ? '"Green tests again."' : 'All tests pass now.' }),
  );
  await prompt(host, sessionId, 'Make the tests green, please, all of them');
  await until(() => titles(host).length === 2, 'the title comes');
  assert.deepEqual(titles(host), [
    'Make the tests green, please, all of them',
    'Green tests again',
  ]);
  const [, asked = assert.fail()] = seen;
  assert.equal(asked.body['model'], 'gpt-4o-mini');
  assert.match(JSON.stringify(asked.body), /Make the tests green.*All tests pass now/);
  assert.equal(asked.body['tools'], undefined);
  await prompt(host, sessionId, 'More');
  assert.equal(seen.filter(isTitle).length, 1);
  assert.equal(costs(host).at(-1)?.toFixed(2), (2 * ANSWER + SMALL).toFixed(2));
  assert.equal((await storedCost(host, sessionId)).toFixed(2), (2 * ANSWER + SMALL).toFixed(2));
});

for (const [what, small, reply] of [
  ['without a small model, nothing is asked', '', { text: 'Never' }],
  ['a small model that fails', 'openai-chat:gpt-4o-mini', { fault: { at: 'head', status: 401 } }],
  ['an answer that is no title', 'openai-chat:gpt-4o-mini', { text: 'word '.repeat(40) }],
] as const) {
  test(`the beginning of the message stays the title: ${what}`, async (t) => {
    const { host, seen, sessionId } = await open(
      t,
      { 'gatehouse.model.small': small },
      (request) => (isTitle(request) ? reply : { text: 'Done.' }),
    );
    await prompt(host, sessionId, 'Begin');
    if (small !== '') await until(() => seen.some((each) => isTitle(each)), 'it is asked');
    await host.agent.request('session/close', { sessionId });
    assert.deepEqual(titles(host), ['Begin']);
    assert.equal(seen.filter(isTitle).length, small === '' ? 0 : 1);
  });
}

test('a name that the user gives meanwhile is kept', async (t) => {
  const free = Promise.withResolvers<void>();
  const { host, seen, sessionId } = await open(
    t,
    { 'gatehouse.model.small': 'openai-chat:gpt-4o-mini' },
    (request) => (isTitle(request) ? { text: 'word ', until: free.promise } : { text: 'Done.' }),
  );
  await prompt(host, sessionId, 'Begin');
  await until(() => seen.some((each) => isTitle(each)), 'it is asked');
  await host.agent.request('_gatehouse/update_session', { sessionId, title: 'Mine' });
  free.resolve();
  await until(() => seen.length === 2, 'both were asked');
  await host.agent.request('session/close', { sessionId });
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  assert.equal(recorder.session(sessionId)?.title, 'Mine');
  recorder.close();
});
