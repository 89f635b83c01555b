import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { SessionConfigOption } from '@agentclientprotocol/sdk';
import type { Approval } from '../../../../../src/host/session/policy/approval.ts';
import { SessionApproval } from '../../../../../src/host/session/policy/autopilot.ts';
import type { Script } from '../../../../tour/server.ts';
import {
  type Connected,
  connect,
  lastStatus,
  newSession,
  prompt,
  temporary,
} from '../../harness.ts';

interface Bed {
  readonly data: string;
  readonly workspace: string;
}

const makeBed = async (t: TestContext): Promise<Bed> => ({
  data: await temporary(t),
  workspace: await temporary(t),
});

const write = (name: string) => ({ tool: 'write', input: { path: name, content: 'x' }, id: name });

interface Options {
  readonly script?: Script;
  readonly bwrap?: string;
  /** Runs at each ask, which is then approved. */
  readonly asked?: (name: string) => unknown;
}

function open(t: TestContext, bed: Bed, { script = [], bwrap = '', asked }: Options = {}) {
  return connect(t, {
    ...bed,
    script,
    env: { GATEHOUSE_BWRAP: bwrap },
    client: {
      capabilities: { session: { notices: {} } } as object,
      async permission({ toolCall }) {
        await asked?.(toolCall.toolCallId);
        return { outcome: { outcome: 'selected', optionId: 'allow' } };
      },
    },
  });
}

const choose = ({ agent }: Connected, sessionId: string, value: string) =>
  agent.request('session/set_config_option', { sessionId, configId: 'approval', value });

const toMode = (options: readonly SessionConfigOption[] | null | undefined) =>
  options?.find(({ id }) => id === 'approval')?.currentValue;

async function load(host: Connected, sessionId: string, gatehouse: object = {}) {
  const request = { sessionId, cwd: host.workspace, mcpServers: [], _meta: { gatehouse } };
  const reply: unknown = await host.agent.request('session/load', request);
  return toMode(Object(reply).configOptions);
}

/** The stored mode; sets it first if `value` is given. */
function storedMode({ data }: Bed, sessionId: string, value?: string): unknown {
  const database = new DatabaseSync(path.join(data, 'state', 'gatehouse.db'));
  try {
    const set = `UPDATE chat_sessions SET metadata_json = json_set(metadata_json, '$.approval', ?) WHERE id = ?`;
    if (value !== undefined) database.prepare(set).run(value, sessionId);
    const get = `SELECT json_extract(metadata_json, '$.approval') AS mode FROM chat_sessions WHERE id = ?`;
    return database.prepare(get).get(sessionId)?.['mode'];
  } finally {
    database.close();
  }
}

for (const [mode, asks, made] of [
  ['ask', 1, true],
  ['acceptEdits', 0, true],
  ['readOnly', 0, false],
] as const) {
  test(`the mode ${mode} comes back with its session after a restart, and decides there`, async (t) => {
    const bed = await makeBed(t);
    const first = await open(t, bed);
    const sessionId = await newSession(first);
    await choose(first, sessionId, mode);
    await first.stop();
    let asked = 0;
    const script = [{ calls: [write('a.txt')] }, { text: 'Done.' }];
    const second = await open(t, bed, { script, asked: () => (asked += 1) });
    assert.equal(await load(second, sessionId), mode);
    await prompt(second, sessionId);
    assert.deepEqual([asked, existsSync(path.join(bed.workspace, 'a.txt'))], [asks, made]);
    const other = await second.agent.request('session/new', { cwd: bed.workspace, mcpServers: [] });
    assert.equal(toMode(other.configOptions), 'ask');
  });
}

test('the mode that a session was started with is stored, a damaged one is Ask, and the client may name another', async (t) => {
  const bed = await makeBed(t);
  const first = await open(t, bed);
  const { sessionId } = await first.agent.request('session/new', {
    ...{ cwd: bed.workspace, mcpServers: [] },
    _meta: { gatehouse: { approval: 'readOnly' } },
  });
  await first.stop();
  assert.equal(storedMode(bed, sessionId), 'readOnly');
  const reopen = async (gatehouse?: object) => {
    const host = await open(t, bed);
    const mode = await load(host, sessionId, gatehouse);
    await host.stop();
    return mode;
  };
  assert.equal(await reopen({ approval: 'no such mode' }), 'readOnly');
  assert.equal(await reopen({ approval: 'acceptEdits' }), 'acceptEdits');
  assert.equal(await reopen(), 'readOnly');
  for (const damaged of ['Autopilot', 'allow', '']) {
    storedMode(bed, sessionId, damaged);
    assert.equal(await reopen(), 'ask', damaged);
  }
});

test('Autopilot comes back while the sandbox is proven, else as Ask, with a notice', async (t) => {
  const bed = await makeBed(t);
  const first = await open(t, bed);
  const sessionId = await newSession(first);
  await choose(first, sessionId, 'autopilot');
  await first.stop();

  const second = await open(t, bed);
  assert.equal(await load(second, sessionId), 'autopilot');
  await second.stop();

  const third = await open(t, bed, { bwrap: '/nowhere' });
  assert.equal(await load(third, sessionId), 'ask');
  const notices = third.updates.filter(({ update }) => update.sessionUpdate === 'notice');
  assert.match(JSON.stringify(notices), /Autopilot has ended/);
  await third.stop();
  assert.equal(storedMode(bed, sessionId), 'ask');
});

test('Accept Edits chosen while a call waits asks no more from the next one on', async (t) => {
  const names = ['1.txt', '2.txt', '3.txt'];
  const script = [...names.map((name) => ({ calls: [write(name)] })), { text: 'Done.' }];
  const asked: string[] = [];
  const bed = await makeBed(t);
  const host = await open(t, bed, {
    script,
    async asked(name) {
      asked.push(name);
      if (name === '2.txt') await choose(host, sessionId, 'acceptEdits');
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.deepEqual(asked, ['1.txt', '2.txt']);
  assert.ok(existsSync(path.join(bed.workspace, '3.txt')));
});

test('Read Only chosen while a call waits refuses the next one', async (t) => {
  const bed = await makeBed(t);
  const script = [{ calls: [write('1.txt')] }, { calls: [write('2.txt')] }, { text: 'Done.' }];
  const asked: string[] = [];
  const host = await open(t, bed, {
    script,
    async asked(name) {
      asked.push(name);
      await choose(host, sessionId, 'readOnly');
    },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.deepEqual(asked, ['1.txt']);
  assert.equal(lastStatus(host)['2.txt'], 'failed');
  assert.ok(!existsSync(path.join(bed.workspace, '2.txt')));
  const reason = /fs\.write of `2\.txt`\. The approval mode of the session is Read Only\. Nothing/;
  assert.match(JSON.stringify(host.updates), reason);
});

/** The mode of a session whose sandbox is tested until the test says what came of it. */
function openTested(chosen: Approval, setApproval: (id: string, mode: string) => void = () => {}) {
  const { promise, resolve } = Promise.withResolvers<object>();
  const sandbox = { prove: () => promise, isProven: () => true };
  const services = { sandbox, recorder: { setApproval }, warn: () => {}, client: { facts: {} } };
  const session = { id: 's', configuration: () => ({ settings: { sandboxMode: 'auto' } }) };
  const parts = [chosen, services, session] as const;
  return { mode: new SessionApproval(...(parts as never as ApprovalParts)), resolve };
}

type ApprovalParts = ConstructorParameters<typeof SessionApproval>;

test('a test of the sandbox never overrides a mode that was chosen meanwhile', async () => {
  const late = openTested('ask');
  const autopilot = late.mode.set('autopilot');
  assert.equal(await late.mode.set('readOnly'), undefined);
  late.resolve({ proven: true });
  assert.match(String(await autopilot), /in the meantime/);
  assert.equal(late.mode.current, 'readOnly');

  const ended = openTested('autopilot');
  const check = ended.mode.check(() => assert.fail('there is nothing to tell'));
  await ended.mode.set('readOnly');
  ended.resolve({ proven: false, reason: 'Gone.' });
  await check;
  assert.equal(ended.mode.current, 'readOnly');
});

test('a mode that can not be stored is not used either', async () => {
  const { mode } = openTested('readOnly', () => {
    throw new Error('The disk is full.');
  });
  await assert.rejects(mode.set('acceptEdits'), /The disk is full/);
  assert.equal(mode.current, 'readOnly');
});
