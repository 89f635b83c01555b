import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { openGitServer, writeRepository } from '../tools/clone/gitServer.ts';
import { temporary } from './harness.ts';
import { poll, promptOf, start } from './stdioHost.ts';

test('issue 18: a host that is killed during a clone leaves no git and no folder, and the call is told as aborted', async (t) => {
  const data = await temporary(t);
  const root = await temporary(t);
  writeRepository(root, 'one.git', { 'a.txt': ['100644', 'text\n'] });
  // The list of refs comes, the pack never does.
  const held: ServerResponse[] = [];
  await using server = await openGitServer(root, (request, response) => {
    const isPack = request.method === 'POST';
    if (isPack) held.push(response);
    return isPack;
  });
  const url = `${server.url}/one.git`;
  const rules = [
    { permission: 'repo_clone', pattern: '127.0.0.1', action: 'allow' },
    { permission: 'repo_clone', pattern: '**', action: 'allow' },
  ];
  mkdirSync(path.join(data, 'work'));
  writeFileSync(
    path.join(data, 'settings.json'),
    JSON.stringify({ 'gatehouse.permissions': rules }),
  );
  const clone = { tool: 'repo_clone', input: { url, path: 'deep/new' }, id: 'clone-1' };
  const script = ({ conversation }: ModelRequest): Reply =>
    conversation.results.length > 0 ? { text: 'Done.' } : { calls: [clone] };
  const cwd = path.join(data, 'work');
  const host = await start(t, { data, script });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const made = await host.request('session/new', { cwd, mcpServers: [] });
  const { sessionId } = Object(made.result);
  host.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
  const ask = host
    .asked('session/request_permission')
    .then(({ id }) =>
      host.send({ id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } }),
    );
  await Promise.race([ask, poll(() => held.length > 0, 'the fetch')]);
  await poll(() => held.length > 0, 'the fetch');
  assert.ok(readdirSync(path.join(cwd, 'deep')).some((name) => name.startsWith('.new.gatehouse-')));
  assert.ok(!existsSync(path.join(cwd, 'deep/new')), 'half a clone has not its name');
  assert.ok(isRun(url));
  host.child.kill('SIGKILL');
  await host.exit;

  const next = await start(t, { data, script });
  await next.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await next.request('session/load', { sessionId, cwd, mcpServers: [] });
  await poll(() => readdirSync(cwd).length === 0, 'the folders are gone');
  await poll(() => !isRun(url), 'git has ended');
  const told = next.lines.map(({ message }) => JSON.stringify(message)).join('\n');
  assert.match(told, /clone-1/);
  assert.match(told, /aborted by host restart/);
});

/** Whether a process has the word in its command line. */
function isRun(word: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}
