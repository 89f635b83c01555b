import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, newSession, prompt } from '../harness.ts';

test('two windows delete a session that a third has open: it is gone, and the third says so', async (t) => {
  const first = await connect(t);
  const { data, workspace } = first;
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  const others = [await connect(t, { data, workspace }), await connect(t, { data, workspace })];
  const deleted = await Promise.allSettled(
    others.map(({ agent }) => agent.request('session/delete', { sessionId } as never)),
  );
  assert.deepEqual(
    deleted.map((each) => (each.status === 'rejected' ? String(each.reason) : 'done')),
    ['done', 'done'],
  );
  for (const { agent } of [first, ...others]) {
    const { sessions } = await agent.request('session/list', { cwd: workspace });
    assert.deepEqual(sessions, []);
  }
  await assert.rejects(prompt(first, sessionId), /deleted/);
  const load = { sessionId, cwd: workspace, mcpServers: [] };
  for (const { agent } of others) await assert.rejects(agent.request('session/load', load));
});
