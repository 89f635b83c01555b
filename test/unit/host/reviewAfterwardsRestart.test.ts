import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parseUnreviewedFiles } from '../../../src/acp/gatehouse/pending.ts';
import { temporary } from './harness.ts';
import { type Host, poll, start } from './stdioHost.ts';

const CAPABILITIES = {
  protocolVersion: 1,
  clientCapabilities: { _meta: { gatehouse: { v: 1, unreviewed: true, terminal: false } } },
};

test('after SIGKILL the next host lists the unreviewed changes again, and undoes them', async (t) => {
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify({ 'review.mode': 'afterwards' }));
  const file = path.join(data, 'a.txt');
  writeFileSync(file, 'old\n');
  const edit = { tool: 'edit', input: { path: 'a.txt', old_string: 'old', new_string: 'new' } };
  const first = await start(t, { data, script: [{ calls: [edit] }, { text: 'Done.' }] });
  await first.request('initialize', CAPABILITIES);
  const { sessionId } = await first.newSession();
  const prompt = [{ type: 'text', text: 'Go on.' }];
  first.send({ id: 'turn', method: 'session/prompt', params: { sessionId, prompt } });
  await poll(() => readFileSync(file, 'utf8') === 'new\n', 'the edit is written');
  first.child.kill('SIGKILL');
  await first.exit;

  const second = await start(t, { data, script: [{ text: 'Understood.' }] });
  await second.request('initialize', CAPABILITIES);
  await second.request('session/load', { sessionId, cwd: data, mcpServers: [] });
  await poll(() => listed(second).length === 1, 'the file is listed');
  const [found] = listed(second);
  assert.equal(found?.path, file);
  await second.request('_gatehouse/resolve_changes', {
    ...{ sessionId, decision: 'undo' },
    files: [{ path: file, revision: found?.revision }],
  });
  assert.equal(readFileSync(file, 'utf8'), 'old\n');
  assert.equal(listed(second).length, 0);
  await second.request('session/prompt', { sessionId, prompt });
  const body = JSON.stringify(second.model.requests.at(-1)?.body);
  assert.ok(body.includes('undid these'));
});

/** The unreviewed files as the client was last told. */
function listed({ lines }: Host) {
  const sent = lines.flatMap(({ message: { method, params } }) =>
    method === '_gatehouse/unreviewed_changed' ? [parseUnreviewedFiles(params)] : [],
  );
  return sent.at(-1)?.files ?? [];
}
