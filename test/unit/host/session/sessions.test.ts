import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { RequestError, type SessionNotification } from '@agentclientprotocol/sdk';
import {
  calls,
  connect,
  lastStatus,
  newSession,
  prompt,
  said,
  temporary,
  until,
} from '../harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

test('CS-73 whatever version is asked for, 1 is answered (65535 too), with what works', async (t) => {
  const host = await connect(t, { version: 65535 });
  const [reply] = host.lines.filter(({ message }) => message.result !== undefined);
  const { protocolVersion, agentCapabilities } = Object(reply?.message.result);
  assert.equal(protocolVersion, 1);
  assert.equal(agentCapabilities.loadSession, true);
  assert.deepEqual(agentCapabilities.mcpCapabilities, { http: true, sse: true });
  assert.deepEqual(agentCapabilities.sessionCapabilities, {
    ...{ list: {}, resume: {}, close: {}, delete: {} },
    additionalDirectories: {},
  });
  assert.deepEqual(agentCapabilities._meta.gatehouse, {
    v: 1,
    explain: true,
    rules: true,
    decisions: true,
    accept: true,
    pending: true,
    tools: true,
    history: true,
    sessions: true,
    queue: true,
    review: true,
    continue: true,
    models: true,
  });
});

test('an extension method nobody knows gets a reply', async (t) => {
  const host = await connect(t);
  const error = await host.agent.request('_x/y', {}).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(error.code, -32601);
});

test('session ids are distinct', async (t) => {
  const host = await connect(t);
  const ids = await Promise.all(Array.from({ length: 20 }, () => newSession(host)));
  assert.equal(new Set(ids).size, 20);
});

test('a relative additional directory is refused, by its index', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  const terms = {
    cwd: host.workspace,
    mcpServers: [],
    additionalDirectories: [host.workspace, 'sub'],
  };
  for (const start of [
    () => host.agent.request('session/new', terms),
    () => host.agent.request('session/load', { sessionId, ...terms }),
    () => host.agent.request('session/resume', { sessionId, ...terms }),
  ]) {
    const error = await start().catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError);
    assert.equal(error.code, -32602);
    assert.deepEqual(error.data, { 'additionalDirectories/1': 'Must be an absolute path.' });
  }
});

test('load replays the whole history in order, then answers', async (t) => {
  const host = await connect(t, {
    script: [
      { reasoning: 'Thinking.', text: 'I will write.', calls: [WRITE] },
      { text: 'Written.' },
    ],
    client: { permission: () => ALLOW },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'Write it.');
  const live = fold(host.updates);
  const again = await connect(t, { data: host.data, workspace: host.workspace });
  await again.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  assert.deepEqual(fold(again.updates), [['user', 'Write it.'], ...live]);
  const replayed = calls(again)[0];
  const shown = calls(host).findLast(({ status }) => status === 'completed');
  assert.deepEqual(replayed?.rawOutput, shown?.rawOutput);
  assert.deepEqual(replayed?.content, shown?.content);
});

test('resume attaches without replay, and the model has the history', async (t) => {
  const host = await connect(t, { script: [{ text: 'The word is heron.' }] });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'Say a word.');
  const seen: string[] = [];
  const again = await connect(t, {
    data: host.data,
    workspace: host.workspace,
    script: ({ body }) => {
      seen.push(JSON.stringify(body));
      return { text: 'Yes.' };
    },
  });
  await again.agent.request('session/resume', { sessionId, cwd: host.workspace, mcpServers: [] });
  assert.deepEqual(fold(again.updates), []);
  await prompt(again, sessionId, 'Which?');
  assert.match(seen[0] ?? '', /The word is heron/);
});

test('list names the sessions of a folder, the newest first, page by page', async (t) => {
  const host = await connect(t);
  const ids: string[] = [];
  for (let at = 0; at < 60; at += 1) ids.unshift(await newSession(host));
  const first = await host.agent.request('session/list', { cwd: host.workspace });
  assert.equal(first.sessions.length, 50);
  assert.ok(first.nextCursor);
  const rest = await host.agent.request('session/list', {
    cwd: host.workspace,
    cursor: first.nextCursor,
  });
  const listed = [...first.sessions, ...rest.sessions].map((session) => session.sessionId);
  assert.deepEqual(new Set(listed), new Set(ids));
  const none = await host.agent.request('session/list', { cwd: '/nowhere' });
  assert.deepEqual(none.sessions, []);
});

test('a cursor that no page gave is invalid parameters, and says what to do', async (t) => {
  const host = await connect(t);
  for (const cursor of ['', 'x', '1:msg_1', '-1:ses_a', "1:ses_a' OR 1"]) {
    await assert.rejects(
      host.agent.request('session/list', { cursor }),
      (error: { code?: number; message?: string }) =>
        error.code === -32602 && /not a valid cursor/.test(error.message ?? ''),
    );
  }
});

test('close cancels, keeps the rows, and the handle is gone', async (t) => {
  const host = await connect(t, { script: [{ text: 'z'.repeat(400), chunkSize: 1, delayMs: 20 }] });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  await until(() => said(host).length > 1, 'the answer began');
  await host.agent.request('session/close', { sessionId });
  assert.deepEqual(await turn, { stopReason: 'cancelled' });
  const error = await prompt(host, sessionId).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(error.code, -32002);
  const { sessions } = await host.agent.request('session/list', {});
  assert.equal(sessions.length, 1);
});

test('VC-46: closing a session removes its sidecars', async (t) => {
  const host = await connect(t, {
    script: [{ calls: [LOUD] }, { text: 'Ok.' }],
    client: { permission: () => ALLOW },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const folder = path.join(host.data, 'state', 'sessions', sessionId, 'out');
  assert.equal((await readdir(folder)).length, 1);
  await host.agent.request('session/close', { sessionId });
  await assert.rejects(readdir(folder));
});

test('a missing session gives "resource not found"', async (t) => {
  const host = await connect(t);
  const unknown = { sessionId: 'ses_unknown', cwd: host.workspace, mcpServers: [] };
  for (const method of ['session/load', 'session/resume'] as const) {
    const error = await host.agent.request(method, unknown).catch((reason: unknown) => reason);
    assert.ok(error instanceof RequestError, method);
    assert.equal(error.code, -32002);
  }
});

test('a relative root is refused', async (t) => {
  const host = await connect(t);
  const error = await host.agent
    .request('session/new', { cwd: 'here', mcpServers: [] })
    .catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError);
  assert.equal(error.code, -32602);
});

test('the root is fixed: load with another folder keeps it (CS-5)', async (t) => {
  const host = await connect(t, {
    script: [{ calls: [WRITE] }, { text: 'Ok.' }],
    client: { permission: () => ALLOW },
  });
  const sessionId = await newSession(host);
  await host.agent.request('session/close', { sessionId });
  const other = await temporary(t);
  await host.agent.request('session/load', { sessionId, cwd: other, mcpServers: [] });
  await prompt(host, sessionId);
  assert.equal(await readFile(path.join(host.workspace, 'a.txt'), 'utf8'), 'new\n');
});

test('the options round-trip, an unknown value is refused, and read only cannot write', async (t) => {
  const host = await connect(t, {
    script: [{ calls: [WRITE] }, { text: 'Ok.' }],
    client: { permission: () => ALLOW },
  });
  const sessionId = await newSession(host);
  const set = (configId: string, value: string) =>
    host.agent.request('session/set_config_option', { sessionId, configId, value });
  const { configOptions } = await set('approval', 'readOnly');
  const values = configOptions.map(({ id, ...option }) => [
    id,
    option.type === 'select' ? option.currentValue : undefined,
  ]);
  assert.deepEqual(values, [
    ['agent', 'gatehouse'],
    ['approval', 'readOnly'],
    ['model', 'scripted'],
  ]);
  await assert.rejects(set('approval', 'everything'));
  await assert.rejects(set('colour', 'red'));
  await prompt(host, sessionId);
  await assert.rejects(readFile(path.join(host.workspace, 'a.txt')));
  assert.deepEqual(Object.values(lastStatus(host)), ['failed']);
});

test('accept edits writes in the workspace without asking, but a protected file still asks', async (t) => {
  const asked: unknown[] = [];
  const protectedFile = { path: '.vscode/settings.json', content: '{}' };
  const host = await connect(t, {
    script: [
      { calls: [WRITE, { tool: 'write', input: protectedFile, id: 'w2' }] },
      { text: 'Ok.' },
    ],
    client: {
      permission: ({ toolCall }) => {
        asked.push(toolCall.rawInput);
        return ALLOW;
      },
    },
  });
  const sessionId = await newSession(host);
  const set = { sessionId, configId: 'approval', value: 'acceptEdits' };
  await host.agent.request('session/set_config_option', set);
  await prompt(host, sessionId);
  assert.deepEqual(asked, [protectedFile]);
  assert.equal(await readFile(path.join(host.workspace, 'a.txt'), 'utf8'), 'new\n');
});

test('VC-36: session rules of another host without a source count for the session', async (t) => {
  const host = await connect(t, { script: [{ calls: [ECHO] }, { text: 'Ok.' }] });
  const sessionId = await newSession(host);
  await host.stop();
  const { openRecorder } = await import('../../../../src/recorder/recorder.ts');
  const recorder = openRecorder(path.join(host.data, 'state', 'gatehouse.db'));
  recorder.setPermissions(sessionId, [
    { permission: 'bash', pattern: 'touch hi', action: 'allow' },
  ]);
  recorder.close();
  const again = await connect(t, {
    data: host.data,
    workspace: host.workspace,
    script: [{ calls: [ECHO] }, { text: 'Ok.' }],
  });
  await again.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  await prompt(again, sessionId);
  assert.deepEqual(Object.values(lastStatus(again)), ['completed']);
});

test('VC-89: the end of the transport is not an abort, and the rows keep their state', async (t) => {
  const host = await connect(t, {
    script: [{ text: 'Before. ', calls: [{ ...ECHO, input: { command: 'touch hi; sleep 60' } }] }],
    client: { permission: () => ALLOW },
  });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId).catch(() => undefined);
  await until(() => Object.values(lastStatus(host)).includes('in_progress'), 'the command runs');
  await host.stop();
  await turn;
  const again = await connect(t, { data: host.data, workspace: host.workspace });
  await again.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  assert.equal(said(again), 'Before. ');
  const [call] = calls(again);
  assert.equal(call?.status, 'failed');
  assert.match(JSON.stringify(call?.content), /aborted by host restart/);
  assert.deepEqual(await prompt(again, sessionId), { stopReason: 'end_turn' });
});

test('VC-89: a session loaded while it runs is replayed, then live', async (t) => {
  const text = Array.from({ length: 150 }, (_, at) => `${at} `).join('');
  const host = await connect(t, { script: [{ text, chunkSize: 4, delayMs: 10 }] });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  await until(() => said(host).length > 40, 'the answer began');
  const at = host.updates.length;
  await host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  assert.notEqual(said(host), text, 'the turn is over already');
  assert.deepEqual(await turn, { stopReason: 'end_turn' });
  const since = host.updates.slice(at);
  const begin = since.findIndex(({ update }) => update.sessionUpdate === 'user_message_chunk');
  assert.equal(said({ updates: since.slice(begin) }), text);
});

test('a file mentioned in a prompt comes back on load as it was sent', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  const link = { type: 'resource_link' as const, name: 'a.ts', uri: 'file:///a.ts' };
  await host.agent.request('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text: 'Look at' }, link],
  });
  const at = host.updates.length;
  await host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  const blocks = host.updates
    .slice(at)
    .flatMap(({ update }) =>
      update.sessionUpdate === 'user_message_chunk' ? [update.content] : [],
    );
  assert.deepEqual(blocks, [{ type: 'text', text: 'Look at' }, link]);
});

const WRITE = { tool: 'write', input: { path: 'a.txt', content: 'new\n' }, id: 'w1' };
const ECHO = { tool: 'bash', input: { command: 'touch hi' }, id: 'b1' };
const LOUD = {
  tool: 'bash',
  input: { command: 'head -c 300000 /dev/zero | tr "\\0" x' },
  id: 'b2',
};

/** What a person sees, joined: who said what, and how each call ended. */
function fold(updates: readonly SessionNotification[]): readonly (readonly string[])[] {
  const rows: [string, string][] = [];
  const ended = new Map<string, [string, string]>();
  for (const { update } of updates) {
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
      case 'agent_message_chunk':
      case 'agent_thought_chunk': {
        const who =
          update.sessionUpdate.split('_')[update.sessionUpdate.startsWith('user') ? 0 : 1];
        const text = update.content.type === 'text' ? update.content.text : update.content.type;
        const last = rows.at(-1);
        if (last !== undefined && last[0] === who) last[1] += text;
        else rows.push([who ?? '', text]);
        break;
      }
      case 'tool_call':
      case 'tool_call_update': {
        const row = ended.get(update.toolCallId) ?? ['', ''];
        if (!ended.has(update.toolCallId)) rows.push(row);
        ended.set(update.toolCallId, row);
        row[0] = update.title ?? row[0];
        row[1] = update.status ?? row[1];
        break;
      }
      default:
        break;
    }
  }
  return rows;
}
