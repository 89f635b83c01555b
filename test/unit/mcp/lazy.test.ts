import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { prompt, temporary } from '../host/harness.ts';
import { openHost, stdio } from './servers.ts';
import { HOSTILE } from './source.ts';

/** Whether a process has this argument. Linux only; elsewhere none is found. */
function isStarted(argument: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument);
    } catch {
      return false;
    }
  });
}

test('CS-50 no server is started for a session before its tools are needed', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async (t) => {
  const own = path.join(await temporary(t), 'tools.json');
  writeFileSync(own, '[]');
  const host = await openHost(t, {});
  const { agent, workspace } = host;
  const mcpServers = [stdio('srv', HOSTILE, 'tools', own)];
  const opened = await agent.request('session/new', { cwd: workspace, mcpServers } as never);
  const sessionId = String(Object(opened).sessionId);
  await agent.request('session/list', { cwd: workspace });
  await agent.request('session/load', { sessionId, cwd: workspace, mcpServers } as never);
  assert.equal(isStarted(own), false);
  await prompt(host, sessionId);
  assert.equal(isStarted(own), true);
});
