import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Session } from '../../../src/host/session/session.ts';
import { SessionTasks } from '../../../src/host/session/tasks/sessionTasks.ts';
import { openRecorder } from '../../../src/recorder/recorder.ts';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import {
  type Connected,
  calls,
  connect,
  newSession,
  prompt,
  requests,
  said,
  until,
} from './harness.ts';

const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

/** Which conversation a request is of: that of the user, or of a subagent by its prompt. */
function toAsked({ conversation }: ModelRequest): string {
  return conversation.prompt;
}

/** A model whose conversations are told apart by their prompts; each reply is given once. */
function byPrompt(scripts: Readonly<Record<string, readonly Reply[]>>) {
  const at = new Map<string, number>();
  const seen: ModelRequest[] = [];
  const script = (request: ModelRequest): Reply => {
    seen.push(request);
    const key = toAsked(request);
    const next = at.get(key) ?? 0;
    at.set(key, next + 1);
    return scripts[key]?.[next] ?? { text: 'Done.' };
  };
  return { script, seen };
}

const toTask = (prompt: string, more: object = {}) => ({
  calls: [{ tool: 'task', input: { subagent_type: 'explore', prompt, ...more } }],
});

function writeAgent({ data }: Pick<Connected, 'data'>, name: string, front: string): void {
  mkdirSync(path.join(data, 'agents'), { recursive: true });
  const text = `---\ndescription: The ${name}.\n${front}\n---\nYou are ${name}.\n`;
  writeFileSync(path.join(data, `agents/${name}.md`), text);
}

async function listChildren(host: Connected) {
  await host.stop();
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  const rows = recorder.store.database.all(
    'SELECT id, parent_id, parent_message_id FROM chat_sessions WHERE parent_id IS NOT NULL',
  );
  const found = rows.map(({ id, parent_id: parent, parent_message_id: message }) => {
    const session = recorder.session(String(id));
    return { parent, message, session, messages: recorder.messages(String(id)) };
  });
  recorder.close();
  return found;
}

/** The results of `task` that the model was told. */
function toResults(seen: readonly ModelRequest[], asked: string): readonly unknown[] {
  const last = seen.findLast((request) => toAsked(request) === asked);
  return (last?.conversation.results ?? []).map((each) => (each.ok ? each.data : each.errorText));
}

test('C-18: a task runs a subagent with its own prompt, and returns its last answer', async (t) => {
  const { script, seen } = byPrompt({
    'Go on.': [toTask('Look around.', { metadata: { ticket: 7 } }), { text: 'I know now.' }],
    'Look around.': [
      { text: 'I look.', calls: [{ tool: 'glob', input: { pattern: '*' } }] },
      { text: 'Two files.' },
    ],
  });
  const host = await connect(t, { script });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.deepEqual(toResults(seen, 'Go on.'), [{ output: 'Two files.' }]);
  assert.equal(said(host), 'I know now.', 'what the subagent says is not said by its parent');
  const shown = calls(host).flatMap(({ content }) => content ?? []);
  assert.match(JSON.stringify(shown.at(-1)), /I look\.\\n✓ .*\\nTwo files\./, 'its card shows it');
  const child = seen.find((request) => toAsked(request) === 'Look around.');
  const tools = Array.isArray(child?.body['tools']) ? child.body['tools'] : [];
  const ids = tools.map((each) => Object(Object(each).function).name);
  assert.deepEqual(ids.toSorted(), ['glob', 'grep', 'read', 'skill', 'web_fetch', 'web_search']);
  const { sessions } = await host.agent.request('session/list', {});
  assert.deepEqual(
    sessions.map((each) => each.sessionId),
    [sessionId],
    'it is no row of the list',
  );
  const [stored] = await listChildren(host);
  assert.equal(stored?.parent, sessionId);
  assert.match(String(stored?.message), /^msg_/);
  assert.deepEqual(Object(stored?.session?.metadata['task']).metadata, { ticket: 7 });
  assert.equal(stored?.messages.length, 2);
});

test('the edit of a subagent is reverted after it has ended, and the agent that started it is told', async (t) => {
  const edit = { path: 'a.txt', old_string: 'old', new_string: 'new' };
  const { script, seen } = byPrompt({
    'Go on.': [
      { calls: [{ tool: 'task', input: { subagent_type: 'editor', prompt: 'Edit.' } }] },
      { text: 'Ok.' },
    ],
    'Edit.': [{ calls: [{ tool: 'edit', id: 'c1', input: edit }] }, { text: 'Edited.' }],
  });
  const host = await connect(t, { script, client: { permission: () => ALLOW } });
  writeAgent(host, 'editor', 'mode: subagent');
  const file = path.join(host.workspace, 'a.txt');
  writeFileSync(file, 'old\n');
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.equal(readFileSync(file, 'utf8'), 'new\n');
  const child = calls(host).flatMap(({ _meta }) => {
    const id = Object(Object(_meta)['gatehouse'])['subagent'];
    return typeof id === 'string' ? [id] : [];
  })[0];
  const revert = (id: unknown) =>
    host.agent.request('_gatehouse/revert', { sessionId: id, toolCallId: 'c1' });
  // The parent has no such call, and another session is not open.
  await assert.rejects(Promise.resolve(revert(sessionId)), /not kept/);
  await assert.rejects(Promise.resolve(revert('ses_unknown')));
  assert.deepEqual(await revert(child), { files: [file], conflicts: [] });
  assert.equal(readFileSync(file, 'utf8'), 'old\n');
  await prompt(host, sessionId, 'And now?');
  assert.match(JSON.stringify(seen.at(-1)?.body), /The user reverted your changes/);
});

test('VC-70: an unknown agent and one of mode primary are tool errors that list the others', async (t) => {
  const { script, seen } = byPrompt({
    'Go on.': [
      {
        calls: ['nobody', 'plan'].map((name) => ({
          tool: 'task',
          input: { subagent_type: name, prompt: 'x' },
        })),
      },
      { text: 'Ok.' },
    ],
  });
  const host = await connect(t, { script });
  await prompt(host, await newSession(host));
  for (const [at, name] of ['nobody', 'plan'].entries()) {
    const text = String(toResults(seen, 'Go on.')[at]);
    assert.match(text, new RegExp(`There is no agent "${name}"`));
    assert.match(text, /Available: explore, title, summary, compaction\./);
  }
});

test('VC-73: a subagent five levels deep can start no other, waiting or in the background', async (t) => {
  const nested = { subagent_type: 'nest', prompt: 'Nest.' };
  const seen: ModelRequest[] = [];
  const host = await connect(t, {
    script: (request) => {
      seen.push(request);
      if (request.conversation.results.length > 0) return { text: 'Back.' };
      const depth = seen.length;
      const input = depth < 6 ? nested : { ...nested, background: depth > 6 };
      return {
        calls: [
          { tool: 'task', input },
          ...(depth < 6 ? [] : [{ tool: 'task', input: { ...nested, background: true } }]),
        ],
      };
    },
  });
  writeAgent(host, 'nest', 'mode: subagent');
  await prompt(host, await newSession(host));
  assert.equal(seen.length, 12, 'six sessions with two requests each');
  const deepest = seen[6]?.conversation.results.map((each) => each.ok || each.errorText);
  assert.equal(deepest?.length, 2);
  for (const text of deepest ?? []) assert.match(String(text), /5 levels deep/);
});

test('VC-75, CS-24: a background task returns at once, and its end is a message that the model gets', async (t) => {
  const release = Promise.withResolvers<void>();
  const { script, seen } = byPrompt({
    'Go on.': [toTask('Long.', { background: true }), { text: 'Started.' }],
    'Long.': [{ text: 'Found it. ', until: release.promise }],
  });
  const host = await connect(t, { script });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.match(JSON.stringify(toResults(seen, 'Go on.')), /"session_id":"ses_/);
  assert.equal(said(host), 'Started.');
  release.resolve();
  await until(() => said(host).includes('has finished'), 'the message of the task');
  assert.match(said(host), /^Started\.The background task \(explore\) has finished:\n\nFound it\./);
  await prompt(host, sessionId, 'And?');
  const last = JSON.stringify(seen.at(-1)?.body['messages']);
  assert.match(last, /The background task \(explore\) has finished/);
});

test('VC-75: a background task that ends during the turn is told by one message after the rows of that turn', async (t) => {
  const release = Promise.withResolvers<void>();
  const { script, seen } = byPrompt({
    'Go on.': [
      toTask('Quick.', { background: true }),
      { text: 'Working. ', until: release.promise, delayMs: 20 },
    ],
    'Quick.': [{ text: 'Found.' }],
  });
  const host = await connect(t, { script });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  await until(() => said(host).includes('Working.'), 'the turn goes on');
  const ended = () => seen.some((each) => toAsked(each) === 'Quick.' && each.endedAt !== undefined);
  await until(ended, 'the subagent has answered');
  assert.doesNotMatch(said(host), /has finished/);
  release.resolve();
  await turn;
  await until(() => said(host).includes('has finished'), 'the message of the task');
  await host.stop();
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  const rows = recorder
    .messages(sessionId)
    .map(({ role, metadata }) => [role, metadata['synthetic']]);
  recorder.close();
  assert.deepEqual(rows, [
    ['user', undefined],
    ['assistant', undefined],
    ['assistant', true],
  ]);
});

test('VC-74, CS-25: stopping the session stops its tasks, which failed with "aborted by parent"', async (t) => {
  const never = new Promise<void>(() => undefined);
  const long = toTask('Long.', { background: true }).calls;
  const { script, seen } = byPrompt({
    'Go on.': [{ calls: [...long, ...long] }, toTask('Wait.')],
    'Long.': [
      { text: 'x', until: never, delayMs: 20 },
      { text: 'x', until: never, delayMs: 20 },
    ],
    'Wait.': [{ text: 'y', until: never, delayMs: 20 }],
  });
  const host = await connect(t, { script });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  await until(() => seen.some((request) => toAsked(request) === 'Wait.'), 'both tasks run');
  await host.agent.notify('session/cancel', { sessionId });
  assert.deepEqual(await turn, { stopReason: 'cancelled' });
  const told = () =>
    said(host).match(/The background task \(explore\) failed: aborted by parent/g) ?? [];
  await until(() => told().length === 2, 'the messages of both background tasks');
});

test('VC-76, CS-26: a background task that ended with its host is told as failed, once', async (t) => {
  const never = new Promise<void>(() => undefined);
  const { script } = byPrompt({
    'Go on.': [toTask('Long.', { background: true }), { text: 'Started.' }],
    'Long.': [{ text: 'x', until: never }],
  });
  const first = await connect(t, { script });
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  await first.stop();
  for (const count of [1, 1]) {
    const { data, workspace } = first;
    const next = await connect(t, { data, workspace });
    await next.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
    const told = said(next).match(/failed: aborted by host restart/g) ?? [];
    assert.equal(told.length, count);
    await next.stop();
  }
});

test("VC-77: two parallel subagents' requests are asked in the session of the user, marked as theirs", async (t) => {
  const write = (name: string) => ({
    calls: [{ tool: 'write', input: { path: name, content: name } }],
  });
  const { script, seen } = byPrompt({
    'Go on.': [
      {
        calls: ['One.', 'Two.'].map((each) => ({
          tool: 'task',
          input: { subagent_type: 'writer', prompt: each },
        })),
      },
      { text: 'Both.' },
    ],
    'One.': [write('one.txt'), { text: 'One done.' }],
    'Two.': [write('two.txt'), { text: 'Two done.' }],
  });
  const both = Promise.withResolvers<void>();
  let waiting = 0;
  const host = await connect(t, {
    script,
    client: {
      permission: async () => {
        waiting += 1;
        if (waiting === 2) both.resolve();
        await both.promise;
        return ALLOW;
      },
    },
  });
  writeAgent(host, 'writer', 'mode: subagent');
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.deepEqual(toResults(seen, 'Go on.'), [{ output: 'One done.' }, { output: 'Two done.' }]);
  const asked = requests(host, 'session/request_permission').map(({ params }) => Object(params));
  assert.deepEqual(
    asked.map((each) => each.sessionId),
    [sessionId, sessionId],
  );
  const sources = asked.map((each) => each._meta.gatehouse.source);
  assert.deepEqual(
    sources.map((each) => [each.agent, each.parent]),
    [
      ['writer', sessionId],
      ['writer', sessionId],
    ],
  );
  const ids = new Set(asked.map((each) => each.toolCall.toolCallId));
  assert.equal(ids.size, 2);
  for (const id of ids) {
    const last = calls(host).findLast(({ toolCallId }) => toolCallId === id);
    assert.equal(last?.status, 'completed', 'the session that asked shows how the call ended');
  }
});

test("a card names its subagent, whose history has the child's own rows, live and after a restart", async (t) => {
  const release = Promise.withResolvers<void>();
  const { script } = byPrompt({
    'Go on.': [toTask('Long.', { background: true }), { text: 'Started.' }],
    'Long.': [
      { text: 'I look.', calls: [{ tool: 'glob', input: { pattern: '*' } }] },
      { text: 'Found it. ', until: release.promise },
    ],
  });
  const host = await connect(t, { script });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const named = (each: Connected) =>
    calls(each).flatMap(({ _meta }) => Object(Object(_meta).gatehouse).subagent ?? []);
  const [child] = named(host);
  assert.match(String(child), /^ses_/);
  const read = async (each: Connected) => {
    const page = await each.agent.request('_gatehouse/history', { sessionId: child, limit: 100 });
    return Object(page).updates.map((update: { sessionUpdate: string }) => update.sessionUpdate);
  };
  let live: readonly string[] = [];
  while (!live.includes('tool_call')) {
    await new Promise(setImmediate);
    live = await read(host);
  }
  const seen = calls(host).length;
  release.resolve();
  await until(() => said(host).includes('has finished'), 'the message of the task');
  assert.ok(calls(host).length > seen, 'its card is told of what it does in the background');
  await host.stop();
  const { data, workspace } = host;
  const next = await connect(t, { data, workspace });
  await next.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  assert.deepEqual(named(next), [child], 'the card has it after a restart too');
  assert.deepEqual(await read(next), [
    'user_message_chunk',
    'agent_message_chunk',
    'tool_call',
    'agent_message_chunk',
  ]);
});

test('CS-31: an inspectable subagent has a row of its own, its task returns the session too, and it takes no second prompt', async (t) => {
  const { script, seen } = byPrompt({
    'Go on.': [
      { calls: [{ tool: 'task', input: { subagent_type: 'open', prompt: 'Look.' } }] },
      { text: 'Ok.' },
    ],
    'Look.': [{ text: 'Seen.' }],
  });
  const host = await connect(t, { script });
  writeAgent(host, 'open', 'mode: subagent\ninspectable: true');
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const [result] = toResults(seen, 'Go on.');
  const child = String(Object(result).session_id);
  assert.deepEqual(result, { output: 'Seen.', session_id: child });
  const { sessions } = await host.agent.request('session/list', {});
  assert.deepEqual(new Set(sessions.map((each) => each.sessionId)), new Set([sessionId, child]));
  const cwd = host.workspace;
  await host.agent.request('session/load', { sessionId: child, cwd, mcpServers: [] });
  await assert.rejects(prompt(host, child, 'More.'), /Write to the session that started it/);
});

test("VC-77: a session rule from a subagent's request is one of the session that the user sees", async (t) => {
  const write = { calls: [{ tool: 'write', input: { path: 'a.txt', content: 'x' } }] };
  const { script, seen } = byPrompt({
    'Go on.': [
      { calls: [{ tool: 'task', input: { subagent_type: 'writer', prompt: 'One.' } }] },
      write,
      { text: 'Done.' },
    ],
    'One.': [write, { text: 'One done.' }],
  });
  const host = await connect(t, {
    script,
    client: {
      permission: ({ options }) => {
        const session = options.find(({ kind }) => kind === 'allow_always');
        return { outcome: { outcome: 'selected', optionId: session?.optionId ?? '' } };
      },
    },
  });
  writeAgent(host, 'writer', 'mode: subagent');
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  assert.equal(toResults(seen, 'Go on.').length, 2);
  assert.equal(requests(host, 'session/request_permission').length, 1);
  const [child] = await listChildren(host);
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  assert.equal(recorder.permissions(sessionId).length, 1);
  assert.deepEqual(recorder.permissions(child?.session?.id ?? ''), []);
  recorder.close();
});

test('VC-79, CS-31: a subagent is no row of the session list, and its transcript is in the card of its task', async (t) => {
  const { script } = byPrompt({
    'Go on.': [toTask('Look.'), { text: 'Ok.' }],
    'Look.': [
      { text: 'I look.', calls: [{ tool: 'glob', input: { pattern: '*' } }] },
      { text: 'Seen.' },
    ],
  });
  const host = await connect(t, { script });
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const { sessions } = await host.agent.request('session/list', {});
  assert.deepEqual(
    sessions.map((each) => each.sessionId),
    [sessionId],
  );
  const shown = JSON.stringify(calls(host).map(({ content }) => content));
  assert.match(shown, /I look\./);
  assert.match(shown, /✓ [^"]*\*/, 'the line of its call');
  assert.match(shown, /Seen\./);
});

test('the end of a background task is stored before its session is closed or deleted, never after', async (t) => {
  const never = new Promise<void>(() => undefined);
  const long = [toTask('Long.', { background: true }), { text: 'Started.' }];
  const { script } = byPrompt({
    'Go on.': [...long, ...long],
    'Long.': [
      { text: 'x', until: never },
      { text: 'x', until: never },
    ],
  });
  const host = await connect(t, { script });
  const [closed, deleted] = [await newSession(host), await newSession(host)];
  for (const each of [closed, deleted]) await prompt(host, each);
  const release = Promise.withResolvers<void>();
  let waiting = 0;
  // What a task tells its session waits for the end of the session's turn.
  t.mock.method(Session.prototype, 'idle', () => {
    waiting += 1;
    return release.promise;
  });
  let ended = 0;
  const both = Promise.all([
    host.agent.request('session/close', { sessionId: closed }).finally(() => (ended += 1)),
    host.agent.request('session/delete', { sessionId: deleted }).finally(() => (ended += 1)),
  ]);
  await until(() => waiting === 2, 'both tasks have ended');
  for (let round = 0; round < 200; round++) await new Promise(setImmediate);
  assert.equal(ended, 0);
  release.resolve();
  await both;
  assert.deepEqual(host.warnings, []);
  await host.stop();
  const recorder = openRecorder(path.join(host.data, 'state/gatehouse.db'));
  const last = recorder.messages(closed).at(-1);
  assert.equal(last?.metadata['synthetic'], true);
  assert.match(JSON.stringify(last.parts), /failed: aborted by parent/);
  assert.deepEqual(recorder.backgroundTasks(closed), []);
  assert.deepEqual(recorder.messages(deleted), []);
  recorder.close();
});

test('a session whose client reads nothing any more is closed all the same', async (t) => {
  const session = {
    ...{ id: 's', depth: 0, idle: async () => undefined },
    findSubagent: async () => ({ ok: true, data: { name: 'explore' } }),
    startChild: async () => ({
      ...{ id: 'c', cancel: () => undefined, close: async () => undefined },
      ask: async () => ({ ok: true, data: 'Found.' }),
    }),
  } as const;
  const stored: string[] = [];
  const services = {
    client: { facts: {}, update: () => new Promise(() => undefined) },
    recorder: {
      free: () => undefined,
      addSynthetic: (_: string, text: string) => {
        stored.push(text);
        return { id: 'm', parts: [] };
      },
      endBackground: () => undefined,
    },
    warn: (text: string) => t.diagnostic(text),
  } as never;
  const tasks = new SessionTasks(services, session as never);
  const call = { toolCallId: 'c1', signal: new AbortController().signal, emit: () => undefined };
  await tasks.run({ subagent_type: 'explore', prompt: 'Go.', background: true }, call);
  await tasks.settled();
  assert.match(stored.join(), /has finished/);
});
