import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { connect, newSession, prompt, requests, until } from './harness.ts';

const WRITE = { tool: 'write', input: { path: 'a.txt', content: 'x' } };

test('CS-35: the approved plan, as the user edited it, is carried out by the next message and not by the running turn', async (t) => {
  const told: string[] = [];
  const host = await connect(t, {
    script: ({ conversation: { prompt: asked, results } }) => {
      told.push(
        ...results
          .slice(-1)
          .map((each) => (each.ok ? JSON.stringify(each.data) : `failed ${JSON.stringify(each)}`)),
      );
      const calls =
        asked === 'Plan.' ? [{ tool: 'plan_exit', input: { plan: '1. Write.' } }, WRITE] : [WRITE];
      const next = calls[results.length];
      return next === undefined ? { text: 'Done.' } : { calls: [next] };
    },
    client: {
      capabilities: { _meta: { gatehouse: { v: 1, saveRule: true } } },
      permission: ({ toolCall }) => ({
        outcome: { outcome: 'selected', optionId: 'allow' },
        ...(toolCall.name === 'plan_exit' &&
          toolCall.rawInput !== undefined &&
          !JSON.stringify(toolCall.rawInput).includes('edited') && {
            _meta: { gatehouse: { editedInput: { plan: '1. Write, edited.' } } },
          }),
      }),
    },
  });
  const sessionId = await newSession(host);
  await host.agent.request('session/set_mode', { sessionId, modeId: 'plan' });
  await prompt(host, sessionId, 'Plan.');
  assert.match(told[0] ?? '', /"approved":"1\. Write, edited\."/);
  assert.match(told[1] ?? '', /^failed/, 'the turn stays in plan mode');
  const modes = () =>
    host.updates.flatMap(({ update }) =>
      update.sessionUpdate === 'current_mode_update' ? [update.currentModeId] : [],
    );
  await until(() => modes().at(-1) === 'gatehouse', 'the mode is told');
  assert.equal(existsSync(path.join(host.workspace, 'a.txt')), false);
  await prompt(host, sessionId, 'Go.');
  assert.equal(existsSync(path.join(host.workspace, 'a.txt')), true);
  assert.ok(requests(host, 'session/request_permission').length >= 2);
  await host.stop();
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  const agents = recorder.messages(sessionId).map(({ role, metadata }) => [role, metadata.agent]);
  assert.equal(recorder.session(sessionId)?.agent, 'plan');
  recorder.close();
  assert.deepEqual(agents, [
    ['user', undefined],
    ['assistant', 'plan'],
    ['user', 'build'],
    ['assistant', 'gatehouse'],
  ]);
});
