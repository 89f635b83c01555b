import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, newSession, prompt } from '../harness.ts';

test('a prompt that waits for the history of a session that is closed meanwhile runs no turn', async (t) => {
  const first = await connect(t, { script: Array.from({ length: 2 }, () => ({ text: 'Yes.' })) });
  const sessionId = await newSession(first);
  await prompt(first, sessionId, 'One.');
  let asked = 0;
  const { agent, workspace } = await connect(t, {
    data: first.data,
    workspace: first.workspace,
    script: () => {
      asked += 1;
      return { text: 'No.' };
    },
  });
  const loaded = agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  const text = { type: 'text', text: 'Two.' } as const;
  const prompted = agent.request('session/prompt', { sessionId, prompt: [text] });
  await agent.request('session/close', { sessionId });
  await assert.rejects(prompted, { code: -32002 });
  await loaded;
  assert.equal(asked, 0);
});
