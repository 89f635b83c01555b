import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { LOCKED_IDS } from '../../../../../src/base/tools/toolFacts.ts';
import { sha256 } from '../../../../../src/host/config/acceptance.ts';
import type { ModelRequest, Reply } from '../../../../tour/server.ts';
import { acceptAll } from '../../../declared/accepting.ts';
import { type Connected, connect, newSession, prompt, temporary } from '../../harness.ts';

interface SetUp {
  readonly count: number;
  readonly settings?: object;
  readonly agent?: string;
  reply(request: ModelRequest, number: number): Reply;
}

/** A host whose workspace declares tools, and what its model was sent. */
async function open(t: TestContext, { count, settings = {}, agent, reply }: SetUp) {
  const workspace = await temporary(t);
  const data = await temporary(t);
  declare(workspace, count);
  if (agent !== undefined) {
    mkdirSync(path.join(workspace, '.gatehouse/agents'), { recursive: true });
    writeFileSync(path.join(workspace, '.gatehouse/agents/narrow.md'), agent);
  }
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  await acceptAll(workspace, data);
  const sent: ModelRequest[] = [];
  const script = (request: ModelRequest) => reply(request, sent.push(request));
  const start = () => connect(t, { workspace, data, script, client: { permission: () => ALLOW } });
  return { start, sent };
}

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

function declare(workspace: string, count: number): void {
  mkdirSync(path.join(workspace, 'tools/bin'), { recursive: true });
  const script = '#!/bin/sh\necho \'{"done":true}\'\n';
  writeFileSync(path.join(workspace, 'tools/bin/run'), script, { mode: 0o755 });
  const tools = Array.from({ length: count }, (_, at) => ({
    name: at === 7 ? 'create_issue' : `task_${at}`,
    description: at === 7 ? 'Creates an issue in the tracker.' : `Does task ${at}. ${FILLING}`,
    command: ['./tools/bin/run'],
    schema: { type: 'object', properties: { value: { type: 'string', description: FILLING } } },
  }));
  writeFileSync(path.join(workspace, 'tools.json'), JSON.stringify({ tools }));
}

const FILLING = 'It has a long text that says what it is good for and what it is not. '.repeat(15);

function offered({ body }: ModelRequest): readonly string[] {
  const tools = body['tools'] as readonly { readonly function: { readonly name: string } }[];
  return tools.map((tool) => tool.function.name);
}

function size({ body }: ModelRequest): number {
  return Buffer.byteLength(JSON.stringify(body));
}

test('VC-60 up to 20 tools are all sent; with 21 there is a search, and the others are not in the prompt', async (t) => {
  // Locked, declared and MCP tools count; extra ones such as `lsp` do not.
  const own = LOCKED_IDS.length;
  for (const [count, searched] of [
    [20 - own, false],
    [21 - own, true],
  ] as const) {
    const { start, sent } = await open(t, { count, reply: () => ({ text: 'Ok.' }) });
    const host = await start();
    await prompt(host, await newSession(host));
    const ids = offered(sent[0] as ModelRequest);
    assert.equal(ids.includes('tool_search'), searched);
    assert.equal(ids.filter((id) => id.startsWith('workspace_')).length, searched ? 0 : count);
    assert.ok(ids.includes('read') && ids.includes('bash'), 'locked tools stay');
    assert.equal(JSON.stringify(sent[0]?.body).includes('workspace_task_'), !searched);
  }
});

/** Searches, calls what was found in the next step, and then says so. */
function searchThenCall({ conversation }: ModelRequest): Reply {
  if (conversation.results.length === 0) {
    return { calls: [{ tool: 'tool_search', input: { query: 'create issue' } }] };
  }
  if (conversation.results.length === 1) {
    return { calls: [{ tool: 'workspace_create_issue', input: { value: 'x' } }] };
  }
  return { text: 'Done.' };
}

test('VC-61 1,500 declared tools: the request is small, what a search finds is called in the next step, and a reload keeps it', async (t) => {
  const setUp = { count: 1500, reply: searchThenCall };
  const { start, sent } = await open(t, setUp);
  const host = await start();
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.equal(sent.length, 3);
  const [first, second, third] = sent as [ModelRequest, ModelRequest, ModelRequest];
  // 14,100 bytes; 3,391,266 without the search.
  assert.ok(size(first) < 20_000, `${size(first)} bytes`);
  const before = offered(first);
  const added = offered(second).filter((id) => !before.includes(id));
  assert.ok(added.length <= 10 && added.includes('workspace_create_issue'), String(added));
  const [searched, called] = third.conversation.results;
  const { matches } = Object(searched?.data);
  assert.equal(matches[0].id, 'workspace_create_issue');
  assert.equal(matches[0].description, 'Creates an issue in the tracker.');
  assert.ok(matches.length <= 10);
  assert.deepEqual(called?.data, { done: true });

  await host.stop();
  const again = await start();
  await again.agent.request('session/load', {
    ...{ sessionId, cwd: again.workspace, mcpServers: [] },
  });
  sent.length = 0;
  await prompt(again, sessionId);
  assert.ok(
    offered(sent[0] as ModelRequest).includes('workspace_create_issue'),
    'kept by a reload',
  );
  await checkFork(again, sessionId, sent);
});

async function checkFork(host: Connected, sessionId: string, sent: ModelRequest[]): Promise<void> {
  const forked = await host.agent.request('_gatehouse/fork_session', { sessionId });
  const copy = String(Object(forked).sessionId);
  await host.agent.request('session/load', {
    ...{ sessionId: copy, cwd: host.workspace, mcpServers: [] },
  });
  sent.length = 0;
  await prompt(host, copy);
  assert.ok(offered(sent[0] as ModelRequest).includes('workspace_create_issue'), 'kept by a fork');
}

test('CS-55 without the search, 1,500 declared tools are one request of megabytes', async (t) => {
  const settings = { 'gatehouse.toolSearch.enabled': false };
  const { start, sent } = await open(t, { count: 1500, settings, reply: () => ({ text: 'Ok.' }) });
  const host = await start();
  await prompt(host, await newSession(host));
  assert.ok(size(sent[0] as ModelRequest) > 3_000_000);
  assert.equal(offered(sent[0] as ModelRequest).includes('tool_search'), false);
});

test('VC-62 a tool that no search has found is an error that says what to do; the turn goes on', async (t) => {
  const reply = ({ conversation }: ModelRequest): Reply =>
    conversation.results.length > 0
      ? { text: 'Done.' }
      : {
          calls: [
            { tool: 'tool_search', input: { query: 'create issue' } },
            { tool: 'workspace_create_issue', input: {} },
          ],
        };
  const { start, sent } = await open(t, { count: 40, reply });
  const host = await start();
  await prompt(host, await newSession(host));
  const messages = sent[1]?.body['messages'] as readonly { readonly content: string }[];
  const last = messages.at(-1);
  assert.equal(
    JSON.parse(String(last?.content)).error,
    'unknown tool: workspace_create_issue. It is not loaded. Find it with tool_search, then call it in your next step.',
  );
});

test('CS-53 tools that the agent definition names stay in the prompt; a glob names none', async (t) => {
  const agent = [
    ...['---', 'name: narrow', 'description: Some tools.'],
    ...['tools: [read, tool_search, workspace_create_issue, "workspace_task_*"]'],
    ...['requires: {fs: {read: ["{workspace}/**"]}}', '---', 'You file issues.'],
  ].join('\n');
  const { start, sent } = await open(t, { count: 40, agent, reply: () => ({ text: 'Ok.' }) });
  const host = await start();
  await host.agent.request('_gatehouse/accept', {
    path: path.join(host.workspace, '.gatehouse/agents/narrow.md'),
    hash: sha256(agent),
    accepted: true,
  });
  const { sessionId } = await host.agent.request('session/new', {
    ...{ cwd: host.workspace, mcpServers: [] },
    _meta: { gatehouse: { agent: 'narrow' } },
  });
  await prompt(host, sessionId);
  assert.deepEqual(offered(sent[0] as ModelRequest), [
    'read',
    'workspace_create_issue',
    'tool_search',
  ]);
});

test('CS-55 the settings bound the threshold and the matches; what found nothing says so', async (t) => {
  const settings = { 'gatehouse.toolSearch.threshold': 3, 'gatehouse.toolSearch.maxMatches': 2 };
  const reply = ({ conversation }: ModelRequest): Reply =>
    conversation.results.length > 0
      ? { text: 'Done.' }
      : {
          calls: [
            { tool: 'tool_search', input: { query: 'task' } },
            { tool: 'tool_search', input: { query: 'weather' } },
          ],
        };
  const { start, sent } = await open(t, { count: 5, settings, reply });
  const host = await start();
  await prompt(host, await newSession(host));
  const results = sent[1]?.conversation.results.map(({ data }) => Object(data).matches.length);
  assert.deepEqual(results, [2, 0]);
});
