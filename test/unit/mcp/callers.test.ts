import assert from 'node:assert/strict';
import { test } from 'node:test';
import { success } from '../../../src/base/outcome.ts';
import { Callers } from '../../../src/mcp/connect/callers.ts';
import { UserWaiting } from '../../../src/runtime/waiting.ts';

const REQUEST = { system: '', messages: [], maxTokens: 1, small: false };
const ANSWER = success({ text: 'Yes.', model: 'm', isCut: false });
const { signal } = new AbortController();

function begin(callers: Callers, sessionId: string) {
  return callers.begin({ signal, sessionId, sampler: async () => ANSWER }, new UserWaiting());
}

async function ask(callers: Callers): Promise<boolean> {
  const sampler = callers.sampler();
  return sampler.ok && (await sampler.data(REQUEST, signal)).ok;
}

test('issue 18: within one call a server may ask the model 20 times, and again in the next', async () => {
  const callers = new Callers();
  const call = begin(callers, 'one');
  for (let count = 0; count < 20; count += 1) assert.equal(await ask(callers), true);
  assert.equal(await ask(callers), false);
  call.dispose();
  begin(callers, 'one');
  assert.equal(await ask(callers), true);
});

const FORM = [{ question: 'Which?' }];

async function askUser(callers: Callers): Promise<unknown> {
  const asker = callers.asker();
  if (!asker.ok) return asker.error;
  const answered = await asker.data?.(FORM, signal);
  return answered?.ok ? answered.data : answered?.error;
}

test('issue 18: a question of a server goes to the session whose call runs, and to nobody if it cannot be told', async () => {
  const callers = new Callers();
  const enter = (sessionId: string) =>
    callers.begin(
      { signal, sessionId, asker: async () => success([[sessionId]]) },
      new UserWaiting(),
    );
  assert.match(String(await askUser(callers)), /only while a call of this server runs/);
  const one = enter('one');
  assert.deepEqual(await askUser(callers), [['one']]);
  const other = enter('other');
  assert.match(String(await askUser(callers)), /Calls of several sessions run at this server/);
  one.dispose();
  assert.deepEqual(await askUser(callers), [['other']]);
  enter('other');
  assert.deepEqual(await askUser(callers), [['other']], 'two calls of one session');
  other.dispose();
  callers.begin({ signal, sessionId: 'headless' }, new UserWaiting());
  assert.match(String(await askUser(callers)), /several sessions/, 'also if one has no user');
});

test('issue 18: within one call a server may ask the user 20 times', async () => {
  const callers = new Callers();
  callers.begin(
    { signal, sessionId: 'one', asker: async () => success([['Yes.']]) },
    new UserWaiting(),
  );
  for (let count = 0; count < 20; count += 1) assert.deepEqual(await askUser(callers), [['Yes.']]);
  assert.match(String(await askUser(callers)), /20 times/);
});

test('issue 18: no model is asked without a call, or while calls of two sessions run at a server', async () => {
  const callers = new Callers();
  assert.equal(await ask(callers), false);
  begin(callers, 'one');
  const other = begin(callers, 'other');
  assert.equal(await ask(callers), false, 'nobody is known to pay');
  other.dispose();
  assert.equal(await ask(callers), true);
});
