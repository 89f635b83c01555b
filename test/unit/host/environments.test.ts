import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import { calls, connect, newSession, prompt, requests, temporary } from './harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

/** What a session with a narrow agent does and shows in an environment. */
async function run(t: TestContext, workspace: string, settings: object) {
  const host = await connect(t, {
    workspace,
    env: { GATEHOUSE_AGENT: 'narrow' },
    client: { permission: () => ALLOW },
    script: [
      {
        calls: [
          { tool: 'write', input: { path: 'src/a', content: 'x' } },
          { tool: 'bash', input: { command: 'rm -rf /' } },
          { tool: 'bash', input: { command: 'echo said' } },
          { tool: 'task', input: { subagent_type: 'explore', prompt: 'Look.' } },
        ],
      },
      { text: 'Looked.' },
      { text: 'Done.' },
    ],
  });
  mkdirSync(path.join(host.data, 'agents'), { recursive: true });
  writeFileSync(
    path.join(host.data, 'agents/narrow.md'),
    '---\ndescription: D.\nrequires: {fs: {read: ["{workspace}/**"], write: ["{workspace}/docs/**"]}, shell: [{cmd: "*"}], capabilities: [task.spawn]}\n---\nP.\n',
  );
  writeFileSync(path.join(host.data, 'settings.json'), JSON.stringify(settings));
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const updates = calls(host);
  const ids = [...new Set(updates.map(({ toolCallId }) => toolCallId))];
  // The calls run side by side, and a running subagent is shown as often as its time allows: what each
  // call shows is in order, once.
  const shown = ids.map((id) => [
    ...new Set(
      updates
        .filter(({ toolCallId }) => toolCallId === id)
        .map(({ status, kind }) => `${status} ${kind}`),
    ),
  ]);
  const asked = requests(host, 'session/request_permission').length;
  await host.stop();
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  const messages = recorder.messages(sessionId);
  recorder.close();
  const parts = messages.flatMap((message) =>
    message.parts.map((part) => ['state' in part ? part.state : '', part.type, Object.keys(part)]),
  );
  const errors = messages.flatMap((message) =>
    message.parts.flatMap((part) => ('errorText' in part ? [part.errorText] : [])),
  );
  return { shown, asked, parts, errors };
}

test('CS-63 with and without a sandbox: the same refusals, watchdog, stream and session', async (t) => {
  const workspace = await temporary(t);
  const open = await run(t, workspace, { 'gatehouse.sandbox.mode': 'off' });
  const confined = await run(t, workspace, { 'gatehouse.sandbox.mode': 'auto' });
  assert.deepEqual(confined, open);
  assert.match(open.errors[0] ?? '', /capabilities/);
  assert.equal(open.errors.length, 2);
});
