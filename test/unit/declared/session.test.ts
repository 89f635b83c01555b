import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { calls, connect, newSession, prompt, temporary } from '../host/harness.ts';
import { acceptAll } from './accepting.ts';

const MANIFEST = JSON.stringify({
  tools: [{ name: 'clock', description: 'Tells the time.', command: ['./tools/bin/clock'] }],
});

function declare(workspace: string, text = MANIFEST): void {
  mkdirSync(path.join(workspace, 'tools/bin'), { recursive: true });
  writeFileSync(path.join(workspace, 'tools.json'), text);
  writeFileSync(path.join(workspace, 'tools/bin/clock'), '#!/bin/sh\necho \'{"time":"noon"}\'\n', {
    mode: 0o755,
  });
}

interface Listed {
  readonly tools: readonly { readonly id: string; readonly state: string; readonly why?: string }[];
  readonly pending: readonly { readonly file: string; readonly hash: string }[];
}

const ID = 'workspace_clock';

test('a declared tool is not offered until it is accepted, with the reason', async (t) => {
  const host = await connect(t);
  declare(host.workspace);
  const session = await newSession(host);
  const list = () =>
    host.agent.request('_gatehouse/tools', { sessionId: session }) as Promise<Listed>;
  const before = await list();
  assert.deepEqual(
    before.tools.filter(({ id }) => id === 'clock').map(({ state, why }) => [state, why]),
    [['not offered', 'You have not accepted the current version of this manifest.']],
  );
  const [waiting] = before.pending;
  assert.ok(waiting);
  await host.agent.request('_gatehouse/accept', {
    path: waiting.file,
    hash: waiting.hash,
    accepted: true,
  });
  const after = await list();
  assert.deepEqual([after.pending, after.tools.filter(({ id }) => id === ID).length], [[], 1]);
});

test('no manifest is read before the client says whether it trusts the workspace', async (t) => {
  const capabilities = { _meta: { gatehouse: { v: 1, configure: true } } };
  const host = await connect(t, { client: { capabilities } });
  declare(host.workspace);
  const sessionId = await newSession(host);
  const list = () => host.agent.request('_gatehouse/tools', { sessionId }) as Promise<Listed>;
  const before = await list();
  assert.deepEqual(before.pending, []);
  assert.equal(before.tools.filter(({ id }) => id === 'clock').length, 0);
  await host.agent.request('_gatehouse/configure', {
    settings: {},
    rules: [],
    workspace: { roots: [host.workspace], adHoc: [], trusted: true },
    editor: {},
  });
  assert.equal((await list()).pending.length, 1);
});

test('an edit revokes the acceptance at once', async (t) => {
  const host = await connect(t);
  declare(host.workspace);
  assert.match(
    await acceptAll(host.workspace, host.data),
    /accepted .*tools\.json\n {2}\S+_clock: \S+tools\/bin\/clock \(may reach any host\)\n/,
  );
  const session = await newSession(host);
  const list = () =>
    host.agent.request('_gatehouse/tools', { sessionId: session }) as Promise<Listed>;
  assert.equal((await list()).pending.length, 0);
  declare(host.workspace, MANIFEST.replace('time.', 'date.'));
  assert.equal((await list()).pending.length, 1);
});

test('the model calls it through the gate, and the log has its row', async (t) => {
  const { host, data } = await callClock(t);
  const done = calls(host).find(({ status }) => status === 'completed');
  assert.deepEqual(Reflect.get(Object(done?.rawOutput), 'data'), { time: 'noon' });
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const row = JSON.parse(readFileSync(path.join(data, 'state/audit', `${day}.log`), 'utf8'));
  assert.deepEqual([row.event, row.tool, row.exit], ['tool', 'clock', 0]);
});

/** A session whose model called the accepted tool once, which the user allowed. */
async function callClock(t: TestContext, program?: string) {
  const workspace = path.join(await temporary(t), 'shop');
  mkdirSync(workspace);
  const data = await temporary(t);
  declare(workspace);
  if (program !== undefined) writeFileSync(path.join(workspace, 'tools/bin/clock'), program);
  await acceptAll(workspace, data);
  const host = await connect(t, {
    workspace,
    data,
    client: {
      permission: ({ options }) => ({
        outcome: { outcome: 'selected', optionId: options[0]?.optionId ?? '' },
      }),
    },
    script: [{ calls: [{ tool: 'workspace_clock', input: {} }] }, { text: 'Noon.' }],
  });
  const session = await newSession(host);
  await prompt(host, session);
  return { host, session, data };
}

test('a disabled tool is not offered, and the last error of a tool is listed', async (t) => {
  const { host, session, data } = await callClock(t, '#!/bin/sh\nexit 3\n');
  const list = async (): Promise<unknown> => {
    const { tools } = (await host.agent.request('_gatehouse/tools', { sessionId: session })) as {
      tools: readonly { id: string; state: string; lastError?: string }[];
    };
    const row = tools.find(({ id }) => id === 'workspace_clock');
    return [row?.state, row?.lastError];
  };
  assert.deepEqual(await list(), ['offered', 'exit status 3']);
  const disable = async (...ids: readonly string[]) => {
    const settings = JSON.stringify({ 'gatehouse.tools.disabled': ids });
    writeFileSync(path.join(data, 'settings.json'), settings);
    const hash = '0'.repeat(64);
    await host.agent.request('_gatehouse/accept', { path: '/none', hash, accepted: false });
  };
  await disable('workspace_clock');
  assert.deepEqual(await list(), ['disabled', 'exit status 3']);
  await disable();
  assert.deepEqual(await list(), ['offered', 'exit status 3']);
  // Its id before ids were made independent of the workspace folder's name.
  await disable('shop_clock');
  assert.deepEqual(await list(), ['disabled', 'exit status 3']);
});

test('a tool is created by the wizard, accepted, and tried through the gate', async (t) => {
  const root = path.join(await temporary(t), 'shop');
  mkdirSync(root);
  const asked: string[] = [];
  const host = await connect(t, {
    workspace: root,
    client: {
      capabilities: { _meta: { gatehouse: { v: 1, configure: true } } },
      permission: ({ options, toolCall }) => {
        asked.push(String(toolCall.title));
        return { outcome: { outcome: 'selected', optionId: options[0]?.optionId ?? '' } };
      },
    },
  });
  const workspace = { roots: [root], adHoc: [], trusted: true };
  await host.agent.request('_gatehouse/configure', {
    settings: {},
    rules: [],
    workspace,
    editor: {},
  });
  const made = await host.agent.request('_gatehouse/new_tool', {
    ...{ root, dialect: 'agentcli', name: 'mirror', description: 'Gives back what it gets.' },
    example: { text: 'x' },
  });
  assert.deepEqual(made, {
    files: ['tools.json', 'tools/bin/mirror'].map((file) => path.join(root, file)),
  });
  const sessionId = await newSession(host);
  const entry = { sessionId, file: path.join(root, 'tools.json'), pointer: '/tools/0' };
  const attempt = () =>
    host.agent.request('_gatehouse/try_tool', { ...entry, input: { text: 'hi' } });
  assert.deepEqual(await attempt(), {
    why: 'You have not accepted the current version of this manifest.',
  });
  const { pending } = (await host.agent.request('_gatehouse/tools', {})) as Listed;
  const [waiting] = pending;
  assert.ok(waiting);
  await host.agent.request('_gatehouse/accept', {
    path: waiting.file,
    hash: waiting.hash,
    accepted: true,
  });
  const { envelope } = (await attempt()) as { envelope: { type: string; data: unknown } };
  assert.deepEqual([envelope.type, envelope.data], ['output', { text: 'hi' }]);
  assert.equal(asked.length, 1, 'the gate asked');
  const again = await host.agent.request('_gatehouse/new_tool', {
    ...{ root, dialect: 'agentcli', name: 'mirror', description: 'x' },
  });
  assert.deepEqual(again, { files: [], error: 'the tool mirror already exists' });
});

test('the wizard writes below an open folder only', async (t) => {
  const host = await connect(t);
  const request = { root: '/', dialect: 'agentcli', name: 'x', description: 'x' };
  await assert.rejects(host.agent.request('_gatehouse/new_tool', request), /Invalid params/);
});

test('VD-30, VD-31 a replay shows what was, runs nothing, and the missing tool is flagged', async (t) => {
  const workspace = path.join(await temporary(t), 'shop');
  mkdirSync(workspace);
  const data = await temporary(t);
  declare(workspace);
  await acceptAll(workspace, data);
  const client = {
    permission: ({ options }: { options: readonly { optionId: string }[] }) => ({
      outcome: { outcome: 'selected' as const, optionId: options[0]?.optionId ?? '' },
    }),
  };
  const script = [{ calls: [{ tool: 'workspace_clock', input: {} }] }, { text: 'Noon.' }];
  const first = await connect(t, { workspace, data, client, script });
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  await first.stop();
  // Whoever ran it again would leave this trace.
  writeFileSync(path.join(workspace, 'tools/bin/clock'), '#!/bin/sh\ntouch "$0.ran"\n');
  writeFileSync(path.join(workspace, 'tools.json'), '{"tools":[]}');
  const replays: string[] = [];
  for (let round = 0; round < 2; round++) {
    const host = await connect(t, { workspace, data, client });
    await host.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
    const done = calls(host).find(({ status }) => status === 'completed');
    assert.deepEqual(Reflect.get(Object(done?.rawOutput), 'data'), { time: 'noon' });
    replays.push(JSON.stringify(calls(host)));
    const { tools } = (await host.agent.request('_gatehouse/tools', { sessionId })) as Listed;
    const row = tools.find(({ id }) => id === 'workspace_clock');
    assert.equal(row?.state, 'not offered');
    assert.match(row?.why ?? '', /no longer exists/);
    await host.stop();
  }
  assert.equal(replays[0], replays[1]);
  assert.equal(existsSync(path.join(workspace, 'tools/bin/clock.ran')), false);
});
