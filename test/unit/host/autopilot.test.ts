import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RequestPermissionRequest, SessionConfigOption } from '@agentclientprotocol/sdk';
import type { Script } from '../../tour/server.ts';
import { type Connected, connect, newSession, prompt, temporary } from './harness.ts';

interface Options {
  readonly bwrap?: string;
  readonly settings?: object;
  readonly script?: Script;
}

/** A session, and what its user was asked; every request is allowed. */
async function open(t: TestContext, { bwrap = '', settings = {}, script = [] }: Options) {
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  const asks: RequestPermissionRequest[] = [];
  const host = await connect(t, {
    ...{ data, script },
    env: { HOME: await temporary(t), GATEHOUSE_BWRAP: bwrap },
    client: {
      capabilities: { session: { notices: {} } } as object,
      permission(params) {
        asks.push(params);
        const option = params.options.find(({ kind }) => kind === 'allow_once');
        return { outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } };
      },
    },
  });
  const sessionId = await newSession(host);
  const choose = async () => {
    const set = { sessionId, configId: 'approval', value: 'autopilot' };
    const reply: unknown = await host.agent.request('session/set_config_option', set);
    return toModes(Object(reply).configOptions);
  };
  return { host, data, sessionId, asks, choose };
}

/** The current approval mode, and all that are listed. */
function toModes(options: readonly SessionConfigOption[] | null | undefined): readonly string[] {
  const found = options?.find(({ id }) => id === 'approval');
  if (found?.type !== 'select') return [];
  return [found.currentValue, ...found.options.map((each) => String(Object(each).value))];
}

function toLastModes({ updates }: Connected): readonly string[] {
  const changed = updates.flatMap(({ update }) =>
    update.sessionUpdate === 'config_option_update' ? [update.configOptions] : [],
  );
  return toModes(changed.at(-1));
}

const MODES = ['ask', 'acceptEdits', 'readOnly'];
const UNDECIDED = 'f() { printf made > b.txt; }; f';

test('in Autopilot edits are not asked about, and undecided commands run in a copy; rules win', async (t) => {
  const write = (name: string) => ({ tool: 'write', input: { path: name, content: 'new' } });
  const { host, sessionId, asks, choose } = await open(t, {
    settings: {
      permissions: [
        { permission: 'write', pattern: 'asked.txt', action: 'ask' },
        { permission: 'write', pattern: 'denied.txt', action: 'deny' },
        { permission: 'bash', pattern: 'rm *', action: 'ask' },
      ],
    },
    script: [
      { calls: [write('a.txt')] },
      { calls: [write('asked.txt')] },
      { calls: [write('denied.txt')] },
      { calls: [{ tool: 'bash', input: { command: UNDECIDED } }] },
      { calls: [{ tool: 'bash', input: { command: 'rm a.txt' } }] },
      { text: 'Done.' },
    ],
  });
  assert.deepEqual(await choose(), ['autopilot', ...MODES, 'autopilot']);
  await prompt(host, sessionId);
  assert.deepEqual(
    asks.map(({ toolCall }) => toolCall.title),
    ['Write asked.txt', `Changes of: ${UNDECIDED}`, 'rm a.txt'],
  );
  const there = ['a.txt', 'asked.txt', 'denied.txt', 'b.txt'].filter((name) =>
    existsSync(path.join(host.workspace, name)),
  );
  assert.deepEqual(there, ['asked.txt', 'b.txt']);
});

for (const [why, options] of [
  ['where nothing confines', { bwrap: '/nowhere' }],
  ['while the sandbox is off', { settings: { 'sandbox.mode': 'off' } }],
] as const) {
  test(`there is no Autopilot ${why}`, async (t) => {
    const { host, choose } = await open(t, options);
    await assert.rejects(choose(), /Autopilot needs the sandbox/);
    const { configOptions } = await host.agent.request('session/new', {
      ...{ cwd: host.workspace, mcpServers: [] },
      _meta: { gatehouse: { approval: 'autopilot' } },
    });
    assert.deepEqual(toModes(configOptions), ['ask', ...MODES]);
  });
}

test('Autopilot falls back to Ask, with a notice, when bwrap is another or the sandbox is turned off', async (t) => {
  const bwrap = path.join(await temporary(t), 'bwrap');
  const wrap = (text: string) =>
    writeFileSync(bwrap, `#!/bin/sh\n${text}\nexec /usr/bin/bwrap "$@"\n`, { mode: 0o755 });
  wrap('');
  const command = { calls: [{ tool: 'bash', input: { command: 'f() { true; }; f' } }] };
  const { host, data, sessionId, asks, choose } = await open(t, {
    bwrap,
    script: [command, { text: '1' }, command, { text: '2' }],
  });
  await choose();
  await prompt(host, sessionId);
  assert.equal(asks.length, 0);
  wrap('# Another version.');
  await prompt(host, sessionId);
  assert.equal(asks.length, 1);
  assert.deepEqual(toLastModes(host), ['ask', ...MODES]);
  const notices = host.updates.filter(({ update }) => update.sessionUpdate === 'notice');
  assert.match(JSON.stringify(notices), /Autopilot has ended.*Bubblewrap changed or is gone/);
  await assert.rejects(choose(), /Bubblewrap changed/);
  writeFileSync(path.join(data, 'settings.json'), '{ "sandbox.mode": "off" }');
  await assert.rejects(choose(), /gatehouse\.sandbox\.mode turns off/);
});
