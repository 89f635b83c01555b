import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Script, ScriptedCall } from '../../tour/server.ts';
import type { Wire } from '../acp/validate.ts';
import { temporary } from './harness.ts';
import { type Host, poll, promptOf, start } from './stdioHost.ts';

const CAPABILITIES = { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } };

/** Calls that wait for the user, with what shows that they ran. */
const CALLS: Readonly<Record<string, ScriptedCall>> = {
  bash: { tool: 'bash', input: { command: 'echo x >> ran; echo "$((6 * 7))"' }, id: 'c1' },
  write: { tool: 'write', input: { path: 'new.txt', content: 'hello\n' }, id: 'c1' },
  edit: { tool: 'edit', input: { path: 'a.txt', old_string: 'old', new_string: 'new' }, id: 'c1' },
  question: {
    tool: 'question',
    input: { questions: [{ question: 'Which?', header: 'Which', options: [{ label: 'One' }] }] },
    id: 'c1',
  },
};

const ENDS = {
  SIGKILL: ({ child }: Host) => void child.kill('SIGKILL'),
  SIGTERM: ({ child }: Host) => void child.kill('SIGTERM'),
  'the end of standard input': ({ child }: Host) => void child.stdin?.end(),
} as const;

for (const [tool, call] of Object.entries(CALLS)) {
  for (const answer of ['allow', 'deny'] as const) {
    test(`VC-88: ${tool} that waits is asked about after a SIGKILL, and ${answer} goes on as if nothing had been`, async (t) => {
      const script = [{ text: 'First. ', calls: [call] }, { text: 'Done.' }];
      const whole = await startTurn(t, script);
      reply(whole.host, await asked(whole.host, tool), answer);
      await poll(() => whole.host.model.requests.length === 2, 'the model gets the result');

      const { host } = await startAgain(t, script, tool);
      reply(host, await asked(host, tool), answer);
      await poll(() => host.model.requests.length === 1, 'the model gets the result');
      assert.equal(toBytes(host, 0), toBytes(whole.host, 1));
      const ran = path.join(host.data, 'ran');
      if (tool === 'bash') assert.equal(existsSync(ran), answer === 'allow');
      if (existsSync(ran)) assert.equal(readFileSync(ran, 'utf8'), 'x\n');
    });
  }
}

for (const end of ['SIGTERM', 'the end of standard input'] as const) {
  test(`a request that waits is asked about again after ${end}`, async (t) => {
    const script = [{ calls: [CALLS['bash'] ?? assert.fail()] }, { text: 'Done.' }];
    const { host } = await startAgain(t, script, 'bash', end);
    reply(host, await asked(host, 'bash'), 'allow');
    await poll(() => host.model.requests.length === 1, 'the model gets the result');
    assert.match(toBytes(host, 0), /42/);
  });
}

test('siblings keep their results, a command that ran is not run again, and the others are asked about', async (t) => {
  const script: Script = [
    {
      calls: [
        { tool: 'read', input: { path: 'a.txt' }, id: 'done' },
        { tool: 'bash', input: { command: 'echo y >> running; sleep 30' }, id: 'running' },
        { ...(CALLS['bash'] ?? assert.fail()), id: 'waiting' },
        { ...(CALLS['edit'] ?? assert.fail()), id: 'edit' },
      ],
    },
    { text: 'Done.' },
  ];
  const first = await startTurn(t, script);
  const begun = await askedAbout(first.host, 'running');
  reply(first.host, begun, 'allow');
  await askedAbout(first.host, 'waiting');
  await askedAbout(first.host, 'edit');
  const marker = path.join(first.host.data, 'running');
  await poll(() => existsSync(marker), 'the command runs');
  const { host } = await loadAgain(t, first, script.slice(1), 'SIGKILL');
  reply(host, await askedAbout(host, 'waiting'), 'allow');
  reply(host, await askedAbout(host, 'edit'), 'allow');
  await poll(() => host.model.requests.length === 1, 'the model gets the results');
  const results = host.model.requests[0]?.conversation.results ?? [];
  assert.equal(readFileSync(marker, 'utf8'), 'y\n');
  assert.equal(readFileSync(path.join(host.data, 'ran'), 'utf8'), 'x\n');
  assert.equal(readFileSync(path.join(host.data, 'a.txt'), 'utf8'), 'new\n');
  const text = toBytes(host, 0);
  assert.match(text, /1\\\\told/);
  assert.match(text, /aborted by host restart/);
  assert.equal(results.length, 4);
});

test('a rule of now decides a request that waited', async (t) => {
  const call = CALLS['bash'] ?? assert.fail();
  const script = [{ calls: [call] }, { text: 'Done.' }];
  for (const action of ['allow', 'deny']) {
    const first = await startTurn(t, script);
    await asked(first.host, 'bash');
    const rules = [
      { permission: 'bash', pattern: '**', action },
      { permission: 'fs.write', pattern: '**', action },
    ];
    writeFileSync(settingsFile(first.host), JSON.stringify({ 'gatehouse.permissions': rules }));
    const { host } = await loadAgain(t, first, [{ text: 'Done.' }], 'SIGKILL');
    await poll(() => host.model.requests.length === 1, 'the model gets the result');
    assert.equal(existsSync(path.join(host.data, 'ran')), action === 'allow');
    assert.equal(isAsked(host), false);
  }
});

test('cancelling a resumed turn ends it, and it is not resumed again', async (t) => {
  const script = [{ calls: [CALLS['bash'] ?? assert.fail()] }, { text: 'Done.' }];
  const { host, sessionId } = await startAgain(t, script, 'bash');
  await asked(host, 'bash');
  host.send({ method: 'session/cancel', params: { sessionId } });
  const reply = await host.request('session/prompt', promptOf(sessionId));
  assert.deepEqual(reply.result, { stopReason: 'end_turn' });
  const last = await loadAgain(t, { host, sessionId }, [{ text: 'Done.' }], 'SIGKILL');
  await last.host.request('session/list', {});
  assert.equal(isAsked(last.host), false);
  assert.equal(last.host.model.requests.length, 0);
});

test('a turn whose command was running is continued on demand, without its message and without the command', async (t) => {
  const command = { tool: 'bash', input: { command: 'echo y >> running; sleep 30' }, id: 'c1' };
  const first = await startTurn(t, [{ calls: [command] }]);
  reply(first.host, await asked(first.host, 'bash'), 'allow');
  const marker = path.join(first.host.data, 'running');
  await poll(() => existsSync(marker), 'the command runs');
  const { host, sessionId, loaded } = await loadAgain(t, first, [{ text: 'Done.' }], 'SIGKILL');
  assert.deepEqual(Object(loaded.result)._meta.gatehouse, { unfinished: 'broken' });
  assert.equal(host.model.requests.length, 0);
  const end = await host.request('_gatehouse/continue', { sessionId });
  assert.deepEqual(end.result, { stopReason: 'end_turn' });
  const messages = Object(host.model.requests[0]?.body).messages;
  assert.deepEqual(
    messages.map(({ role }: { role: string }) => role),
    ['system', 'user', 'assistant', 'tool'],
  );
  assert.match(messages.at(-1).content, /aborted by host restart/);
  assert.equal(readFileSync(marker, 'utf8'), 'y\n');
  const again = await host.request('_gatehouse/continue', { sessionId });
  assert.deepEqual(again.result, { stopReason: 'end_turn' });
  assert.equal(host.model.requests.length, 1);
});

test('of two hosts that load a session, one asks', async (t) => {
  const script = [{ calls: [CALLS['bash'] ?? assert.fail()] }, { text: 'Done.' }];
  const first = await startAgain(t, script, 'bash');
  await asked(first.host, 'bash');
  const other = await start(t, { data: first.host.data, script: [{ text: 'Other.' }] });
  await other.request('initialize', CAPABILITIES);
  const { sessionId } = first;
  await other.request('session/load', { sessionId, cwd: other.data, mcpServers: [] });
  await other.request('session/list', {});
  assert.equal(isAsked(other), false);
  const busy = await other.request('session/prompt', promptOf(sessionId));
  assert.match(busy.error?.message ?? '', /already running a turn/);
});

interface Started {
  readonly host: Host;
  readonly sessionId: string;
}

/** Starts a turn in a folder of its own. */
async function startTurn(t: TestContext, script: Script): Promise<Started> {
  const data = await temporary(t);
  writeFileSync(path.join(data, 'a.txt'), 'old\n');
  const host = await start(t, { data, script });
  await host.request('initialize', CAPABILITIES);
  const { sessionId } = await host.newSession();
  host.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
  return { host, sessionId };
}

/** Ends the host while a call waits, and loads its session in the next one. */
async function startAgain(
  t: TestContext,
  script: readonly { readonly text?: string; readonly calls?: readonly ScriptedCall[] }[],
  tool: string,
  end: keyof typeof ENDS = 'SIGKILL',
): Promise<Started> {
  const first = await startTurn(t, script);
  await asked(first.host, tool);
  return loadAgain(t, first, script.slice(1), end);
}

async function loadAgain(
  t: TestContext,
  { host: first, sessionId }: Started,
  script: Script,
  end: keyof typeof ENDS,
): Promise<Started & { readonly loaded: Wire }> {
  ENDS[end](first);
  await first.exit;
  const host = await start(t, { data: first.data, script });
  await host.request('initialize', CAPABILITIES);
  const loaded = await host.request('session/load', {
    ...{ sessionId, cwd: host.data, mcpServers: [] },
  });
  return { host, sessionId, loaded };
}

function asked(host: Host, tool: string) {
  return host.asked(tool === 'question' ? 'elicitation/create' : 'session/request_permission');
}

/** The request about a call of several. */
async function askedAbout(host: Host, toolCallId: string) {
  const find = () =>
    host.lines.find(({ from, message: { method, params } }) => {
      const { toolCall } = Object(params);
      return (
        from === 'agent' &&
        method === 'session/request_permission' &&
        Object(toolCall).toolCallId === toolCallId
      );
    });
  await poll(() => find() !== undefined, `${toolCallId} is asked about`);
  return find()?.message ?? assert.fail();
}

function isAsked(host: Host): boolean {
  return host.lines.some(({ message }) => message.method === 'session/request_permission');
}

function reply(host: Host, { id, method }: { id?: unknown; method?: string }, answer: string) {
  if (method === 'elicitation/create') {
    const result =
      answer === 'deny'
        ? { action: 'decline' }
        : { action: 'accept', content: { question_0: 'One' } };
    host.send({ id, result });
    return;
  }
  const optionId = answer === 'deny' ? 'reject' : answer;
  host.send({ id, result: { outcome: { outcome: 'selected', optionId } } });
}

function settingsFile(host: Host): string {
  return path.join(host.data, 'settings.json');
}

/** A request to the model, without what differs between two runs. */
function toBytes(host: Host, index: number): string {
  return JSON.stringify(host.model.requests[index]?.body)
    .replaceAll(host.data, '<data>')
    .replace(/\\"duration_ms\\":\d+/g, '\\"duration_ms\\":0');
}
