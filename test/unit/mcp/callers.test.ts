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

test('issue 18: no model is asked without a call, or while calls of two sessions run at a server', async () => {
  const callers = new Callers();
  assert.equal(await ask(callers), false);
  begin(callers, 'one');
  const other = begin(callers, 'other');
  assert.equal(await ask(callers), false, 'nobody is known to pay');
  other.dispose();
  assert.equal(await ask(callers), true);
});
