import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { prompt, requests } from '../host/harness.ts';
import { openHost, startSession, stdio } from './servers.ts';
import { HOSTILE } from './source.ts';

/** The user allows all of it, so that only capabilities can refuse. */
const RULES = [{ permission: 'mcp:*', pattern: '*', action: 'allow' }];
const SETTINGS = { 'gatehouse.permissions': RULES };
const CALL = { tool: 'srv_act', input: {} };

test('issue 18: in Read Only no tool of an MCP server runs, whatever the rules allow', async (t) => {
  const told: string[] = [];
  const script = ({ conversation: { results } }: ModelRequest): Reply => {
    told.push(...results.map((result) => JSON.stringify(result)));
    return results.length > 0 ? { text: 'Done.' } : { calls: [CALL] };
  };
  const host = await openHost(t, { script, settings: SETTINGS });
  const sessionId = await startSession(host, [stdio('srv', HOSTILE, 'plain')]);
  const option = { sessionId, configId: 'approval', value: 'readOnly' };
  await host.agent.request('session/set_config_option', option);
  await prompt(host, sessionId);
  assert.match(told[0] ?? '', /mcp\.call.*The approval mode of the session is Read Only\./);
  assert.deepEqual(requests(host, 'session/request_permission'), []);
});

test('issue 18: no subagent of the plan agent calls a tool of an MCP server, whatever the rules allow', async (t) => {
  const told: string[] = [];
  const task = { tool: 'task', input: { subagent_type: 'worker', prompt: 'Act.' } };
  const script = ({ conversation }: ModelRequest): Reply => {
    const { prompt: asked, results } = conversation;
    if (asked === 'Act.') told.push(...results.map((result) => JSON.stringify(result)));
    if (results.length > 0) return { text: 'Done.' };
    return { calls: [asked === 'Act.' ? CALL : task] };
  };
  const host = await openHost(t, { script, settings: SETTINGS });
  mkdirSync(path.join(host.data, 'agents'), { recursive: true });
  const worker = '---\ndescription: Works.\nmode: subagent\n---\nWork.\n';
  writeFileSync(path.join(host.data, 'agents/worker.md'), worker);
  const sessionId = await startSession(host, [stdio('srv', HOSTILE, 'plain')]);
  await host.agent.request('session/set_mode', { sessionId, modeId: 'plan' });
  await prompt(host, sessionId, 'Plan.');
  assert.match(told[0] ?? '', /capabilities don't allow this call: mcp\.call/);
});
