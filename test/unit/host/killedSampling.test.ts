import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { stdio } from '../mcp/servers.ts';
import { temporary } from './harness.ts';
import { poll, promptOf, start } from './stdioHost.ts';

const FILE = path.resolve(import.meta.dirname, '../mcp/samplingServer.mjs');
const RULES = ['mcp:sampler:*', 'mcp:sampler:sampling'].map((permission) => ({
  ...{ permission, pattern: '*', action: 'allow' },
}));
const SAMPLE = {
  ...{ systemPrompt: 'Sample.', maxTokens: 9 },
  messages: [{ role: 'user', content: { type: 'text', text: 'Hi.' } }],
};

test('issue 18: a host that is killed while a server waits for the model leaves no server, and the call is told as aborted', async (t) => {
  const data = await temporary(t);
  const cwd = path.join(data, 'work');
  mkdirSync(cwd);
  const settings = { 'gatehouse.permissions': RULES };
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  // In the command line of this server only.
  const word = path.join(data, 'own');
  const mcpServers = [stdio('sampler', FILE, 'stays', word)];
  const call = { tool: 'sampler_ask', input: { requests: [SAMPLE] }, id: 'sample-1' };
  let samples = 0;
  const script = ({ conversation }: ModelRequest): Reply => {
    if (conversation.tools.length > 0) {
      return conversation.results.length > 0 ? { text: 'Done.' } : { calls: [call] };
    }
    samples += 1;
    return { text: 'x', until: new Promise(() => undefined) };
  };
  const env = { HOME: await temporary(t) };
  const host = await start(t, { data, script, env });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const made = await host.request('session/new', { cwd, mcpServers });
  const { sessionId } = Object(made.result);
  host.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
  await poll(() => samples > 0, 'the request to the model');
  assert.ok(isRun(word));
  host.child.kill('SIGKILL');
  await host.exit;

  const next = await start(t, { data, script, env });
  await next.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await next.request('session/load', { sessionId, cwd, mcpServers: [] });
  await poll(() => !isRun(word), 'the server has ended');
  const told = next.lines.map(({ message }) => JSON.stringify(message)).join('\n');
  assert.match(told, /sample-1/);
  assert.match(told, /aborted by host restart/);
  assert.equal(samples, 1, 'nothing is asked again');
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
