import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Script } from '../../tour/server.ts';
import { temporary } from './harness.ts';
import { type Host, poll, promptOf, start } from './stdioHost.ts';

const CAPABILITIES = { protocolVersion: 1, clientCapabilities: {} };

const WAITS = {
  'for the review of its changes': {
    script: 'printf new > a.txt; printf b > b.txt; rm old.txt',
    title: /^Changes of: bash make\.sh/,
  },
  'for the question about a host': {
    script: 'printf new > a.txt; curl -sf http://nowhere.invalid/ || exit 7',
    title: /^bash continues to http:\/\/nowhere\.invalid\//,
  },
} as const;

const ENDS = {
  'a SIGKILL': ({ child }: Host) => void child.kill('SIGKILL'),
  // What a window does to its host when it reloads.
  'the end of standard input': ({ child }: Host) => void child.stdin?.end(),
} as const;

for (const [what, { script, title }] of Object.entries(WAITS)) {
  for (const [how, end] of Object.entries(ENDS)) {
    test(`a command in the copy that waits ${what} writes nothing after ${how}, and both are told`, async (t) => {
      const workspace = await temporary(t);
      for (const name of ['a.txt', 'old.txt']) writeFileSync(path.join(workspace, name), 'old');
      writeFileSync(path.join(workspace, 'make.sh'), script);
      const tmp = await temporary(t);
      const first = await startHost(
        t,
        [await temporary(t), tmp],
        [{ calls: [{ tool: 'bash', id: 'c1', input: { command: 'bash make.sh' } }] }],
      );
      const { result } = await first.request('session/new', { cwd: workspace, mcpServers: [] });
      const { sessionId } = Object(result);
      first.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
      const ask = await first.asked('session/request_permission');
      assert.match(String(Object(ask.params).toolCall.title), title);
      end(first);
      await first.exit;

      const next = await startHost(t, [first.data, tmp], [{ text: 'Done.' }]);
      const load = { sessionId, cwd: workspace, mcpServers: [] };
      const loaded = await next.request('session/load', load);
      assert.deepEqual(Object(loaded.result)._meta.gatehouse, { unfinished: 'broken' });
      assert.match(shown(next), /ran in a copy of the workspace\. Nothing was written/);
      // A late answer of the earlier window allows nothing.
      const answer = { outcome: { outcome: 'selected', optionId: 'allow' } };
      next.send({ id: ask.id, result: answer });
      const ended = await next.request('_gatehouse/continue', { sessionId });
      assert.deepEqual(ended.result, { stopReason: 'end_turn' });
      const told = JSON.stringify(next.model.requests[0]?.body);
      assert.match(told, /what was not allowed by then is discarded\. Run the command again/);
      assert.deepEqual(readdirSync(workspace).sort(), ['a.txt', 'make.sh', 'old.txt']);
      assert.equal(readFileSync(path.join(workspace, 'a.txt'), 'utf8'), 'old');
      next.child.stdin?.end();
      await next.exit;
      const copies = path.join(first.data, 'state', 'copies');
      const left = () => (existsSync(copies) ? readdirSync(copies) : []);
      await poll(() => left().every((name) => name === 'sandbox-test.json'), 'the copy is removed');
      assert.deepEqual(listProxies(first.child.pid), [], 'nor is a proxy left');
    });
  }
}

test('of changes that were being written when the host was killed, both are told which were, and Revert takes them back', async (t) => {
  const workspace = await temporary(t);
  const count = 190;
  const names = Array.from({ length: count }, (_, at) => `f${String(at).padStart(3, '0')}.txt`);
  for (const name of names) writeFileSync(path.join(workspace, name), 'old\n');
  writeFileSync(
    path.join(workspace, 'make.sh'),
    'for f in f*.txt; do echo new > $f; done; ln -s f000.txt last',
  );
  const tmp = await temporary(t);
  const call = { tool: 'bash', id: 'c1', input: { command: 'bash make.sh' } };
  const first = await startHost(t, [await temporary(t), tmp], [{ calls: [call] }]);
  const { result } = await first.request('session/new', { cwd: workspace, mcpServers: [] });
  const { sessionId } = Object(result);
  first.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
  const ask = await first.asked('session/request_permission');
  const isNew = (name: string) => readFileSync(path.join(workspace, name), 'utf8') === 'new\n';
  first.send({ id: ask.id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
  await poll(() => isNew('f005.txt'), 'some are written');
  first.child.kill('SIGKILL');
  await first.exit;
  const written = names.filter(isNew);
  assert.ok(written.length > 5 && written.length < count, `${written.length} were written`);
  for (const name of names) {
    assert.match(readFileSync(path.join(workspace, name), 'utf8'), /^(old|new)\n$/, 'no half file');
  }
  assert.equal(existsSync(path.join(workspace, 'last')), false);

  const next = await startHost(t, [first.data, tmp], [{ text: 'Done.' }]);
  await next.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  const [, told = ''] = /aborted by host restart\.[^"]*Written: ([^"]*)/.exec(shown(next)) ?? [];
  assert.match(told, /f000\.txt, .*The rest was not written and is discarded/);
  assert.match(shown(next), /"revertable":true/);
  const ended = await next.request('_gatehouse/continue', { sessionId });
  assert.deepEqual(ended.result, { stopReason: 'end_turn' });
  assert.match(JSON.stringify(next.model.requests[0]?.body), /f000\.txt, .*Read the files before/);
  const reverted = await next.request('_gatehouse/revert', { sessionId, toolCallId: 'c1' });
  const { files } = Object(reverted.result);
  assert.deepEqual(
    files,
    written.map((name) => path.join(workspace, name)),
  );
  assert.deepEqual(names.filter(isNew), []);
  // Nothing of the writes is left beside the files.
  assert.deepEqual(readdirSync(workspace).sort(), [...names, 'make.sh'].sort());
});

async function startHost(
  t: TestContext,
  [data, tmp]: readonly [string, string],
  script: Script,
): Promise<Host> {
  const settings = { 'gatehouse.sandbox.autoRun': true };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  const env = { HOME: await temporary(t), TMPDIR: tmp };
  const host = await start(t, { data, script, env });
  await host.request('initialize', CAPABILITIES);
  return host;
}

/** The folders of proxies that a host with this process id has made. */
function listProxies(pid: number | undefined): readonly string[] {
  return readdirSync('/tmp').filter((name) => {
    if (!name.startsWith('gatehouse-proxy-')) return false;
    try {
      return readFileSync(path.join('/tmp', name, 'host'), 'utf8').startsWith(`${pid}.`);
    } catch {
      // Another test's, which was removed.
      return false;
    }
  });
}

function shown({ lines }: Host): string {
  return JSON.stringify(lines.filter(({ message }) => message.method === 'session/update'));
}
