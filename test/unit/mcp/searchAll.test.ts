import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { toExtensions } from '../../../src/acp/gatehouse/capabilities.ts';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { acceptAll } from '../declared/accepting.ts';
import { prompt, temporary } from '../host/harness.ts';
import { ALLOW, openHost, startSession, stdio } from './servers.ts';
import { HOSTILE } from './source.ts';

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } };
const FOUND = ['srv_weather_of_server', 'workspace_weather_declared', 'vscode_weather_of_editor'];

function declare(workspace: string): void {
  mkdirSync(path.join(workspace, 'tools/bin'), { recursive: true });
  const script = '#!/bin/sh\necho \'{"done":true}\'\n';
  writeFileSync(path.join(workspace, 'tools/bin/run'), script, { mode: 0o755 });
  const names = ['weather_declared', ...Array.from({ length: 12 }, (_, at) => `task_${at}`)];
  const tools = names.map((name) => ({
    ...{ name, description: `Does ${name}.`, command: ['./tools/bin/run'], schema: PARAMETERS },
  }));
  writeFileSync(path.join(workspace, 'tools.json'), JSON.stringify({ tools }));
}

/** An editor with extensions, whose workspace declares tools and whose session has a server. */
async function open(t: TestContext, script: (request: ModelRequest) => Reply) {
  const workspace = await temporary(t);
  const data = await temporary(t);
  const list = path.join(await temporary(t), 'tools.json');
  declare(workspace);
  await acceptAll(workspace, data);
  const tool = { name: 'weather_of_server', description: 'Weather.', inputSchema: PARAMETERS };
  writeFileSync(list, JSON.stringify([tool]));
  const editor = { name: 'weather_of_editor', description: 'Weather.', parameters: PARAMETERS };
  const start = () =>
    openHost(t, {
      ...{ workspace, data, script },
      settings: { 'gatehouse.toolSearch.enabled': true },
      client: {
        permission: () => ALLOW,
        capabilities: toExtensions({ editorTools: true }),
        other: (method) =>
          method === '_gatehouse/editor_tools' ? { tools: [editor] } : { texts: ['It rains.'] },
      },
    });
  return { start, server: stdio('srv', HOSTILE, 'tools', list) };
}

test('CS-53, CS-54: one search is over tools of MCP servers, of manifests and of other extensions; all are called in the next step, and stay after a restart', async (t) => {
  const sent: ModelRequest[] = [];
  const { start, server } = await open(t, (request) => {
    sent.push(request);
    const { results } = request.conversation;
    if (results.length === 0)
      return { calls: [{ tool: 'tool_search', input: { query: 'weather' } }] };
    if (results.length > 1) return { text: 'Done.' };
    return { calls: FOUND.map((tool) => ({ tool, input: { city: 'Oslo' } })) };
  });
  const host = await start();
  const sessionId = await startSession(host, [server]);
  await prompt(host, sessionId);
  const offered = sent.map(({ conversation }) =>
    FOUND.filter((id) => conversation.tools.includes(id)),
  );
  assert.deepEqual(
    offered.map((ids) => ids.length),
    [0, 3, 3],
  );
  const [searched, ...called] = sent[2]?.conversation.results ?? [];
  const matches: readonly { readonly id: string }[] = Object(searched?.data).matches;
  assert.deepEqual(matches.map(({ id }) => id).sort(), [...FOUND].sort());
  assert.deepEqual(
    called.map(({ ok }) => ok),
    [true, true, true],
  );

  await host.stop();
  const next = await start();
  const load = { sessionId, cwd: next.workspace, mcpServers: [server] };
  await next.agent.request('session/load', load as never);
  sent.length = 0;
  await prompt(next, sessionId, 'Again.');
  const [first] = sent;
  // What was found is of the session, not of the process (spec CS-53).
  assert.ok(first?.conversation.tools.includes('workspace_weather_declared'));
});
