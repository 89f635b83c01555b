import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { RequestError } from '@agentclientprotocol/sdk';
import {
  type Connected,
  connect,
  type HostSetUp,
  lastStatus,
  prompt,
  requests,
  temporary,
} from '../harness.ts';

const DOCS = `---
description: Writes the docs.
model: docs-model
tools: [read, 'w*']
permissions:
  - {permission: write, pattern: '**/secret.md', action: deny}
requires:
  fs: {read: ['{workspace}/docs/**'], write: ['{workspace}/docs/**']}
---
You write docs.
`;

/** A host whose user has these agents in their own folder. */
async function setUp(
  t: TestContext,
  setUp: HostSetUp = {},
  agents: Readonly<Record<string, string>> = { 'docs.md': DOCS },
) {
  const data = setUp.data ?? (await temporary(t));
  const folder = path.join(data, 'agents');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(agents)) writeFileSync(path.join(folder, name), text);
  return { host: await connect(t, { ...setUp, data }), folder };
}

async function start({ agent, workspace }: Connected, name?: unknown) {
  return agent.request('session/new', {
    cwd: workspace,
    mcpServers: [],
    ...(name === undefined ? {} : { _meta: { gatehouse: { agent: name } } }),
  });
}

const agentOption = (options: readonly { id: string }[] | null | undefined) => {
  const found = options?.find(({ id }) => id === 'agent');
  const { category, currentValue, options: listed } = Object(found);
  return { category, currentValue, listed };
};

test('a session is started as the agent that it names: its prompt, model and tools', async (t) => {
  const seen: Readonly<Record<string, unknown>>[] = [];
  const { host } = await setUp(t, {
    script: ({ body }) => {
      seen.push(body);
      return { text: 'Done.' };
    },
  });
  const reply = await start(host, 'docs');
  await prompt(host, reply.sessionId);
  const [body] = seen;
  assert.equal(body?.['model'], 'docs-model');
  assert.match(JSON.stringify(body?.['messages']), /You write docs\./);
  assert.doesNotMatch(JSON.stringify(body?.['messages']), /built-in coding agent/);
  const tools: readonly { function: { name: string } }[] = Object(body?.['tools']);
  assert.deepEqual(
    tools.map((tool) => tool.function.name),
    ['read', 'write', 'web_fetch', 'web_search'],
  );
});

test("the agent's rules and requirements bind its calls", async (t) => {
  const outside = path.join(await temporary(t), 'a.ts');
  const write = (file: string, id: string) => ({
    calls: [{ tool: 'write', id, input: { path: file, content: 'x' } }],
  });
  const { host } = await setUp(t, {
    script: [
      write('docs/secret.md', 'a'),
      write(outside, 'b'),
      write('docs/a.md', 'c'),
      { text: 'Done.' },
    ],
    client: { permission: () => ({ outcome: { outcome: 'selected', optionId: 'allow' } }) },
  });
  const { sessionId } = await start(host, 'docs');
  await prompt(host, sessionId);
  assert.deepEqual(lastStatus(host), { a: 'failed', b: 'failed', c: 'completed' });
  const asked = requests(host, 'session/request_permission').map(({ params }) => Object(params));
  assert.deepEqual(
    asked.map(({ toolCall }) => toolCall.toolCallId),
    ['c'],
    'what the agent may not do is not even asked',
  );
});

test('the config option lists the agents that the user may start, and changes the next turn', async (t) => {
  const bodies: string[] = [];
  const { host } = await setUp(
    t,
    {
      script: ({ body }) => {
        bodies.push(JSON.stringify(body));
        return { text: 'Done.' };
      },
    },
    { 'docs.md': DOCS, 'sub.md': '---\ndescription: Helps.\nmode: subagent\n---\n' },
  );
  const reply = await start(host);
  const option = agentOption(reply.configOptions);
  assert.equal(option.category, 'mode');
  assert.equal(option.currentValue, 'gatehouse');
  assert.deepEqual(
    option.listed.map((each: { value: string; description: string }) => [
      each.value,
      each.description,
    ]),
    [
      ['docs', 'Writes the docs.'],
      ['gatehouse', "Gatehouse's own coding agent."],
      ['plan', 'Reads and plans; changes nothing until you approve the plan.'],
    ],
  );
  const { sessionId } = reply;
  await prompt(host, sessionId);
  const changed = await host.agent.request('session/set_config_option', {
    sessionId,
    configId: 'agent',
    value: 'docs',
  });
  assert.equal(agentOption(changed.configOptions).currentValue, 'docs');
  await prompt(host, sessionId);
  assert.match(bodies[0] ?? '', /built-in coding agent/);
  assert.match(bodies[1] ?? '', /You write docs\./);
});

test('CS-66: the modes of a session are the agents, in step with the option', async (t) => {
  const bodies: string[] = [];
  const script = ({ body }: { body: object }) => {
    bodies.push(JSON.stringify(body));
    return { text: 'Done.' };
  };
  const { host } = await setUp(t, { script });
  const { sessionId, modes } = await start(host);
  assert.deepEqual(modes, {
    currentModeId: 'gatehouse',
    availableModes: [
      { id: 'docs', name: 'docs', description: 'Writes the docs.' },
      { id: 'gatehouse', name: 'gatehouse', description: "Gatehouse's own coding agent." },
      {
        ...{ id: 'plan', name: 'plan' },
        description: 'Reads and plans; changes nothing until you approve the plan.',
      },
    ],
  });
  await host.agent.request('session/set_mode', { sessionId, modeId: 'docs' });
  const { update } = host.updates.at(-1) ?? {};
  assert.ok(update?.sessionUpdate === 'config_option_update');
  assert.equal(agentOption(update.configOptions).currentValue, 'docs');
  await prompt(host, sessionId);
  assert.match(bodies[0] ?? '', /You write docs\./);

  const change = { sessionId, configId: 'agent', value: 'gatehouse' };
  await host.agent.request('session/set_config_option', change);
  const changed = host.updates.at(-1)?.update;
  assert.deepEqual(changed, { sessionUpdate: 'current_mode_update', currentModeId: 'gatehouse' });
  const reopened = await host.agent.request('session/resume', {
    ...{ sessionId, cwd: host.workspace, mcpServers: [] },
  });
  assert.equal(reopened.modes?.currentModeId, 'gatehouse');

  const unknown = host.agent.request('session/set_mode', { sessionId, modeId: 'ask' });
  await assert.rejects(unknown, /There is no agent "ask".*Available: docs, gatehouse, plan\./);
});

test('the approval mode stays an option, and no mode', async (t) => {
  const { host } = await setUp(t);
  const { sessionId, configOptions } = await start(host);
  assert.deepEqual(
    configOptions?.map(({ id, category }) => [id, category]),
    [
      ['agent', 'mode'],
      ['approval', '_approval'],
      ['model', 'model'],
    ],
  );
  const changed = await host.agent.request('session/set_config_option', {
    ...{ sessionId, configId: 'approval', value: 'readOnly' },
  });
  const approval = changed.configOptions.find(({ id }) => id === 'approval');
  assert.equal(Object(approval).currentValue, 'readOnly');
});

for (const [what, name] of [
  ['unknown', 'nobody'],
  ['a subagent', 'sub'],
] as const) {
  test(`an agent that is ${what} is refused with what there is`, async (t) => {
    const sub = '---\ndescription: Helps.\nmode: subagent\n---\n';
    const { host } = await setUp(t, {}, { 'docs.md': DOCS, 'sub.md': sub });
    const error = await start(host, name).catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError);
    assert.equal(error.code, -32602);
    assert.match(
      error.message,
      new RegExp(`no agent "${name}".*Available: docs, gatehouse, plan\\.`),
    );
    const listed = await host.agent.request('session/list', {});
    assert.deepEqual(listed.sessions, [], 'nothing was stored');
  });
}

test('a name that is not a string is refused', async (t) => {
  const { host } = await setUp(t);
  const error = await start(host, 1).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(error.code, -32602);
});

test('a reopened session keeps its agent; a missing agent is reported at the prompt', async (t) => {
  const first = await setUp(t);
  const { sessionId } = await start(first.host, 'docs');
  await prompt(first.host, sessionId, 'Remember me.');
  const { data, workspace } = first.host;
  const bodies: string[] = [];
  const script = ({ body }: { body: object }) => {
    bodies.push(JSON.stringify(body));
    return { text: 'Done.' };
  };
  const again = await connect(t, { data, workspace, script });
  const reopened = await again.agent.request('session/resume', {
    ...{ sessionId, cwd: workspace, mcpServers: [] },
  });
  assert.equal(agentOption(reopened.configOptions).currentValue, 'docs');
  await prompt(again, sessionId);
  assert.match(bodies[0] ?? '', /You write docs\./);

  rmSync(path.join(first.folder, 'docs.md'));
  const error = await prompt(again, sessionId).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.match(
    error.message,
    /There is no agent "docs" that can be started here\. Available: gatehouse, plan\./,
  );
  assert.equal(Object(error.data).kind, 'no-agent');
  assert.equal(bodies.length, 1, 'the model was not asked');

  const last = await connect(t, { data, workspace });
  await last.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  assert.match(JSON.stringify(last.updates), /Remember me\./);
});

test("a workspace's agent is not read before the workspace is trusted, nor started before it is accepted", async (t) => {
  const host = await connect(t, {
    client: { capabilities: { _meta: { gatehouse: { v: 1, configure: true } } } },
  });
  const file = path.join(host.workspace, '.gatehouse/agents/near.md');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '---\ndescription: Near.\n---\nYou are near.\n');
  const configure = (trusted: boolean) =>
    host.agent.request('_gatehouse/configure', {
      ...{ settings: {}, rules: [], editor: {} },
      workspace: { roots: [host.workspace], adHoc: [], trusted },
    });
  const refusal = async () => {
    const error = await start(host, 'near').catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError);
    return error.message;
  };
  await configure(false);
  assert.match(await refusal(), /There is no agent "near"/);
  await configure(true);
  assert.match(await refusal(), /is inactive until you accept it/);
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  await host.agent.request('_gatehouse/accept', { path: file, hash, accepted: true });
  const { sessionId } = await start(host, 'near');

  // The user takes it back, so the session cannot go on as this agent.
  await host.agent.request('_gatehouse/accept', { path: file, hash, accepted: false });
  const error = await prompt(host, sessionId).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(Object(error.data).kind, 'no-agent');
});

test('the host can be started with a default agent', async (t) => {
  const { host } = await setUp(t, { env: { GATEHOUSE_AGENT: 'docs' } });
  const reply = await start(host);
  assert.equal(agentOption(reply.configOptions).currentValue, 'docs');
});
