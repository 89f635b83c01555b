import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { temporary } from './harness.ts';
import { type Host, poll, start } from './stdioHost.ts';

const CAPABILITIES = {
  protocolVersion: 1,
  clientCapabilities: { _meta: { gatehouse: { v: 1, review: true, terminal: false } } },
};

test('after SIGKILL the next host asks again about every change that waited', async (t) => {
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'review.mode': 'turn' }));
  const file = path.join(data, 'a.txt');
  writeFileSync(file, 'old\n');
  const edit = { tool: 'edit', input: { path: 'a.txt', old_string: 'old', new_string: 'new' } };
  const create = { tool: 'write', input: { path: 'b.txt', content: 'hello\n' } };
  const first = await start(t, { data, script: [{ calls: [edit, create] }, { text: 'Done.' }] });
  await first.request('initialize', CAPABILITIES);
  const { sessionId } = await first.newSession();
  const prompt = [{ type: 'text', text: 'Go on.' }];
  first.send({ id: 'turn', method: 'session/prompt', params: { sessionId, prompt } });
  const before = await first.asked('session/request_permission');
  first.child.kill('SIGKILL');
  await first.exit;
  assert.equal(readFileSync(file, 'utf8'), 'old\n');

  const second = await start(t, {
    data,
    script: [{ calls: [{ tool: 'read', input: { path: 'a.txt' } }] }, { text: 'Done.' }],
  });
  await second.request('initialize', CAPABILITIES);
  await second.request('session/load', { sessionId, cwd: data, mcpServers: [] });
  const again = await second.asked('session/request_permission');
  const shown = (params: unknown) => Object(params).toolCall.content;
  assert.deepEqual(shown(again.params), shown(before.params));
  assert.equal(shown(again.params).length, 2);
  // The agent still sees them.
  await second.request('session/prompt', { sessionId, prompt });
  const lastRequest = () => JSON.stringify(second.model.requests.at(-1)?.body);
  assert.ok(lastRequest().includes('1\\\\tnew'));
  second.send({
    id: again.id,
    result: { outcome: { outcome: 'selected', optionId: 'allow' } },
  });
  await poll(
    () => readFileSync(file, 'utf8') === 'new\n' && reviewed(second),
    'the review is applied',
  );
  await second.request('session/prompt', { sessionId, prompt });
  assert.equal(readFileSync(path.join(data, 'b.txt'), 'utf8'), 'hello\n');
  assert.ok(lastRequest().includes('The user reviewed the changes'));
});

/** Whether the review's card was shown as completed. */
function reviewed({ lines }: Host): boolean {
  return lines.some(({ message: { params } }) => {
    const { name, status } = Object(Object(Object(params).update));
    return name === 'review' && status === 'completed';
  });
}
