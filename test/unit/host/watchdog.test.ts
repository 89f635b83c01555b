import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls, connect, lastStatus, newSession, prompt, requests } from './harness.ts';

const REJECT = { outcome: { outcome: 'selected', optionId: 'reject' } } as const;

test('a secret the host holds stands in no argument, whatever the rules allow', async (t) => {
  const key = 'sk-a-long-secret-key';
  const host = await connect(t, {
    env: { GATEHOUSE_MODEL_API_KEY: key },
    script: [
      { calls: [{ tool: 'bash', input: { command: `echo ${key}` }, id: 'c1' }] },
      { text: 'Ok.' },
    ],
  });
  await prompt(host, await newSession(host));
  assert.deepEqual(requests(host, 'session/request_permission'), []);
  assert.deepEqual(Object.values(lastStatus(host)), ['failed']);
  assert.match(JSON.stringify(calls(host).at(-1)?.content), /A secret that the host keeps/);
});

test('the same call a third time in a row asks, though a rule allows it', async (t) => {
  let made = 0;
  const host = await connect(t, {
    script: () => {
      made += 1;
      if (made > 3) return { text: 'Ok.' };
      return { calls: [{ tool: 'bash', input: { command: 'echo again' }, id: `c${made}` }] };
    },
    client: { permission: () => REJECT },
  });
  await prompt(host, await newSession(host));
  assert.equal(requests(host, 'session/request_permission').length, 1);
  const [ask] = requests(host, 'session/request_permission');
  const why = Object(Object(ask?.params)._meta.gatehouse).why;
  assert.equal(why.layer, 'watchdog');
  assert.match(why.reason, /3 times in a row/);
});

test('a session starts in the approval mode its client names', async (t) => {
  const host = await connect(t);
  const { configOptions } = await host.agent.request('session/new', {
    cwd: host.workspace,
    mcpServers: [],
    _meta: { gatehouse: { approval: 'readOnly' } },
  });
  const approval = configOptions?.find(({ id }) => id === 'approval');
  assert.equal(approval?.type === 'select' && approval.currentValue, 'readOnly');
});
