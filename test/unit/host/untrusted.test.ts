import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { place } from '../built/program.ts';
import { temporary } from './harness.ts';
import { type Host, start } from './stdioHost.ts';

const SPY = path.join(import.meta.dirname, 'fsSpy.mjs');

/** What a repository may hold that something would like to read. */
const TEMPTING = {
  '.vscode/settings.json': { 'gatehouse.permissions': [] },
  '.claude/settings.json': { permissions: {} },
  'opencode.json': { permission: {} },
  '.vscode/mcp.json': { servers: {} },
  '.mcp.json': { mcpServers: {} },
  'all.code-workspace': { folders: [] },
  'tools.json': { tools: [{ name: 'x', command: ['./tools/bin/x'] }] },
  'tools/bin/x': '#!/bin/sh\n',
  'sub/tools.json': { tools: [] },
  'agent.yaml': 'tools: []\n',
  'AGENTS.md': 'Read me.\n',
  'CLAUDE.md': 'Read me.\n',
  '.gatehouse/agents/docs.md': '---\ndescription: Docs.\n---\nHello.\n',
  '.git/config': '[core]\n  fsmonitor = ./x\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.gitignore': '*.log\n',
  'package.json': { name: 'x' },
  'node_modules/x/package.json': { name: 'x' },
  '.npmrc': '//registry/:_authToken=x\n',
  '.env': 'KEY=1\n',
};

interface Spied {
  readonly host: Host;
  readonly workspace: string;
  /** What was opened below the workspace so far. */
  opened(): readonly string[];
  configure(trusted: boolean): Promise<unknown>;
}

async function spy(t: TestContext): Promise<Spied> {
  const root = await temporary(t);
  const [workspace, data] = [path.join(root, 'w'), path.join(root, 'data')];
  for (const folder of [workspace, data]) await mkdir(folder);
  await place(workspace, TEMPTING);
  const log = path.join(root, 'spy.log');
  const env = { SPY_LOG: log, NODE_OPTIONS: `--import=${SPY}` };
  const host = await start(t, { data, env });
  const own = { v: 1, configure: true, saveRule: true, review: true, problems: true };
  await host.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { _meta: { gatehouse: own } },
  });
  return {
    host,
    workspace,
    opened: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes(workspace)),
    configure: (trusted) =>
      host.request('_gatehouse/configure', {
        ...{ settings: {}, rules: [], editor: {} },
        workspace: { roots: [workspace], adHoc: [], trusted },
      }),
  };
}

/** Everything that a window does before its user writes something, and a prompt. */
async function useAll({ host, workspace }: Spied): Promise<void> {
  const { result } = await host.request('session/new', { cwd: workspace, mcpServers: [] });
  const { sessionId } = result as { sessionId: string };
  for (const params of [{}, { sessionId }]) {
    await host.request('_gatehouse/tools', params);
    await host.request('_gatehouse/rules_document', params);
  }
  await host.request('_gatehouse/import_rules', { folder: workspace });
  for (const command of ['git status', 'cat *', 'rg -r x', 'npm test']) {
    await host.request('_gatehouse/explain', { tool: 'bash', input: { command } });
    await host.request('_gatehouse/explain', { sessionId, tool: 'bash', input: { command } });
  }
  for (const path of ['nothing.txt', '.env', 'sub']) {
    await host.request('_gatehouse/explain', { tool: 'read', input: { path } });
    await host.request('_gatehouse/explain', { sessionId, tool: 'read', input: { path } });
  }
  await host.request('_gatehouse/waiting_sessions', { cwd: workspace });
  await host.request('session/list', { cwd: workspace });
  await host.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  const prompt = [{ type: 'text', text: 'Read everything.' }];
  await host.request('session/prompt', { sessionId, prompt });
}

test('the host opens no file and no folder of the workspace before that is trusted', async (t) => {
  const spied = await spy(t);
  await spied.configure(false);
  await useAll(spied);
  assert.deepEqual(spied.opened(), []);
});

test('once the workspace is trusted, the same requests do read it', async (t) => {
  const spied = await spy(t);
  await spied.configure(true);
  await useAll(spied);
  const opened = spied.opened().join('\n');
  for (const name of [
    'tools.json',
    '.gatehouse/agents',
    '.claude/settings.json',
    'opencode.json',
  ]) {
    assert.ok(opened.includes(path.join(spied.workspace, name)), `${name} in ${opened}`);
  }
});
