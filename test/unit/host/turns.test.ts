import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import {
  calls,
  connect,
  lastStatus,
  newSession,
  prompt,
  requests,
  said,
  until,
} from './harness.ts';

test('a prompt streams the answer and ends the turn', async (t) => {
  const host = await connect(t, { script: [{ text: 'Hello from the model.' }] });
  const reply = await prompt(host, await newSession(host));
  assert.deepEqual(reply, { stopReason: 'end_turn' });
  assert.equal(said(host), 'Hello from the model.');
});

test('an approved edit is shown as a diff before it is on disk', async (t) => {
  let before: string | undefined;
  const host = await connect(t, {
    script: [
      { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'new\n' }, id: 'call-1' }] },
      { text: 'Written.' },
    ],
    client: {
      permission: async ({ toolCall }) => {
        before = await readFile(path.join(host.workspace, 'a.txt'), 'utf8');
        const [diff] = toolCall.content ?? [];
        assert.deepEqual(diff, {
          type: 'diff',
          path: path.join(host.workspace, 'a.txt'),
          oldText: 'old\n',
          newText: 'new\n',
        });
        return { outcome: { outcome: 'selected', optionId: 'allow' } };
      },
    },
  });
  await writeFile(path.join(host.workspace, 'a.txt'), 'old\n');
  const reply = await prompt(host, await newSession(host));
  assert.deepEqual(reply, { stopReason: 'end_turn' });
  assert.equal(before, 'old\n');
  assert.equal(await readFile(path.join(host.workspace, 'a.txt'), 'utf8'), 'new\n');
  const statuses = calls(host).flatMap(({ status }) => status ?? []);
  assert.deepEqual([...new Set(statuses)], ['pending', 'in_progress', 'completed']);
});
