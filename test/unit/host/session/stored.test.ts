import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { RequestError } from '@agentclientprotocol/sdk';
import { readSessionLoadMeta } from '../../../../src/acp/gatehouse/session.ts';
import { removeSession } from '../../../../src/recorder/library/removeSession.ts';
import { openRecorder } from '../../../../src/recorder/recorder.ts';
import { type Connected, connect, newSession, prompt, temporary, until } from '../harness.ts';

const WRITE = { tool: 'write', input: { path: 'a.txt', content: 'a' } };
const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

test('a session gets its title from its first prompt, cut after a word', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  assert.equal((await list(host))[0]?.title, undefined);
  await prompt(host, sessionId, `\n  Please   ${'rename the heron '.repeat(9)}\nnow`);
  const [entry] = await list(host);
  assert.equal(
    entry?.title,
    'Please rename the heron rename the heron rename the heron rename the heron…',
  );
  assert.deepEqual(gatehouse(entry), {
    ...{ v: 1, state: 'idle', title: entry?.title, pinned: false, archived: false },
    updatedAt: Date.parse(entry?.updatedAt ?? ''),
  });
});

test('the list says what each session is doing', async (t) => {
  const asked = Promise.withResolvers<typeof ALLOW>();
  let isAsked = false;
  const host = await connect(t, {
    script: [{ calls: [WRITE] }, { text: 'Done.' }],
    client: {
      permission: () => {
        isAsked = true;
        return asked.promise;
      },
    },
  });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  assert.equal(gatehouse((await list(host))[0])['state'], 'busy');
  await until(() => isAsked, 'it asked');
  assert.equal(gatehouse((await list(host))[0])['state'], 'waiting_permission');
  for (const method of ['_gatehouse/rewind', '_gatehouse/fork_session', '_gatehouse/unrewind']) {
    const error = await refused(host, method, { sessionId });
    assert.match(error.message, /waits for your approval\. Nothing was changed/);
  }
  asked.resolve(ALLOW);
  await turn;
  assert.equal(gatehouse((await list(host))[0])['state'], 'idle');
});

test('a session that waits to repeat a request is listed as retrying', async (t) => {
  const host = await connect(t, {
    script: [{ fault: { at: 'head', status: 503 } }, { text: 'Done.' }],
  });
  const sessionId = await newSession(host);
  const turn = prompt(host, sessionId);
  const states = new Set<unknown>();
  while (!states.has('retrying') && !states.has('idle')) {
    states.add(gatehouse((await list(host))[0])['state']);
    // Everything else here is a microtask, which timers wait for.
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual([...states], ['busy', 'retrying']);
  await host.agent.request('_gatehouse/retry_now', { sessionId });
  await turn;
  assert.equal(gatehouse((await list(host))[0])['state'], 'idle');
});

test('a session is renamed, pinned and archived, open or stored', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  const other = await newSession(host);
  const entry = await update(host, { sessionId, title: ' New   name ', pinned: true });
  assert.equal(entry['title'], 'New name');
  const titles = host.updates.flatMap(({ update: { sessionUpdate, ...rest } }) =>
    sessionUpdate === 'session_info_update' ? [rest] : [],
  );
  assert.deepEqual(titles, [{ title: 'New name' }]);
  assert.deepEqual(
    (await list(host)).map((each) => each.sessionId),
    [sessionId, other],
  );
  await host.agent.request('session/close', { sessionId });
  await update(host, { sessionId, archived: true, pinned: false });
  assert.equal((await list(host)).length, 1);
  const all = await list(host, { _meta: { gatehouse: { archived: true } } });
  const archived = all.map((each) => [each.sessionId, gatehouse(each)['archived']]);
  assert.deepEqual(new Map(archived as [string, boolean][]).get(sessionId), true);
  for (const [params, code] of [
    [{ sessionId: 'ses_x', pinned: true }, -32002],
    [{ sessionId, title: ' ' }, -32602],
    [{ sessionId, title: 'x'.repeat(201) }, -32602],
  ] as const) {
    assert.equal((await refused(host, '_gatehouse/update_session', params)).code, code);
  }
});

test('a deleted session is gone, open or not, and deleting it again does nothing', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'heron');
  await host.agent.request('session/delete', { sessionId });
  await host.agent.request('session/delete', { sessionId });
  assert.deepEqual(await list(host), []);
  assert.deepEqual((await search(host, { query: 'heron' })).hits, []);
  assert.equal((await refused(host, 'session/prompt', { sessionId, prompt: [] })).code, -32002);
});

test('a prompt to a session that another window has deleted says so', async (t) => {
  const host = await connect(t, {});
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  const other = openRecorder(path.join(host.data, 'state', 'gatehouse.db'));
  assert.ok((await removeSession(other.store, sessionId)).ok);
  other.close();
  const error = await prompt(host, sessionId).catch((fault: unknown) => fault);
  assert.ok(error instanceof RequestError);
  assert.match(error.message, /^This session was deleted in another window/);
  assert.deepEqual(error.data, { kind: 'deleted', retryable: false });
});

test('a prompt is taken back, edited and sent again, and files stay as they are', async (t) => {
  const bodies: string[] = [];
  const host = await connect(t, {
    script: ({ body }) => {
      bodies.push(JSON.stringify(body));
      return bodies.length === 2 ? { calls: [WRITE] } : { text: 'Done.' };
    },
    client: { permission: () => ALLOW },
  });
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'first');
  await prompt(host, sessionId, 'second');
  const file = path.join(host.workspace, 'a.txt');
  const rewound: Record<string, unknown> = await host.agent.request('_gatehouse/rewind', {
    sessionId,
  });
  assert.deepEqual([rewound['text'], rewound['hidden'], rewound['files']], ['second', 2, [file]]);
  assert.match(String(rewound['notice']), /Files were not changed: the file that the agent edited/);
  assert.equal(await readFile(file, 'utf8'), 'a');
  const load = () =>
    host.agent.request('session/load', { sessionId, cwd: host.workspace, mcpServers: [] });
  assert.deepEqual((await load())._meta, { gatehouse: { rewound: true } });
  assert.deepEqual(await host.agent.request('_gatehouse/unrewind', { sessionId }), { restored: 2 });
  assert.equal((await load())._meta, undefined);
  await host.agent.request('_gatehouse/rewind', { sessionId });
  // The same text again is a new prompt, since the hidden one is not sent.
  await prompt(host, sessionId, 'second');
  assert.match(bodies.at(-1) ?? '', /first.*second/);
  assert.doesNotMatch(bodies.at(-1) ?? '', /a\.txt/);
  const error = await refused(host, '_gatehouse/unrewind', { sessionId });
  assert.match(error.message, /something was sent since/);
});

test('a client may load the newest messages first, and reads the others in pages', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  for (const text of ['one', 'two', 'three']) await prompt(host, sessionId, text);
  const load = async (tail: number) => {
    const reply = await host.agent.request('session/load', {
      ...{ sessionId, cwd: host.workspace, mcpServers: [], _meta: { gatehouse: { tail } } },
    });
    return readSessionLoadMeta(reply).before;
  };
  const before = await load(2);
  assert.ok(before);
  const page: { updates?: readonly unknown[]; before?: string } = await host.agent.request(
    '_gatehouse/history',
    { sessionId, before, limit: 10 },
  );
  const prompts = JSON.stringify(page.updates).match(/"text":"(one|two|three)"/g);
  assert.deepEqual(prompts, ['"text":"one"', '"text":"two"']);
  assert.equal(page.before, undefined);
  assert.equal(await load(10), undefined);
  await assert.rejects(load(0), /tail/);
});

test('a fork goes on by itself, and names where it came from', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'heron');
  const forked: { sessionId?: string } = await host.agent.request('_gatehouse/fork_session', {
    sessionId,
  });
  const id = forked.sessionId ?? '';
  await host.agent.request('session/load', {
    ...{ sessionId: id, cwd: host.workspace, mcpServers: [] },
  });
  await prompt(host, id, 'more');
  const entry = (await list(host)).find((each) => each.sessionId === id);
  assert.equal(gatehouse(entry)['parentId'], sessionId);
  assert.equal((await search(host, { query: 'more' })).hits.length, 1);
});

test('an export is an answer or a file for its user only, and is imported again', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  await prompt(host, sessionId, 'heron');
  const file = path.join(await temporary(t), 'session.jsonl');
  const exported = await host.agent.request('_gatehouse/export_session', {
    ...{ sessionId, format: 'jsonl', file },
  });
  assert.deepEqual(exported, { file });
  if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600);
  const answer: { text?: string } = await host.agent.request('_gatehouse/export_session', {
    ...{ sessionId, format: 'markdown' },
  });
  assert.match(
    answer.text ?? '',
    /^# heron\n\n## You \(.+\)\n\nheron\n\n## Agent \(.+\)\n\nDone\.\n$/,
  );
  const elsewhere = await connect(t);
  const imported: { sessionId?: string } = await elsewhere.agent.request(
    '_gatehouse/import_session',
    { file, cwd: elsewhere.workspace },
  );
  assert.equal(imported.sessionId, sessionId);
  const [entry] = await list(elsewhere);
  assert.deepEqual([entry?.title, entry?.cwd], ['heron', elsewhere.workspace]);
  await writeFile(file, '{}\n');
  const error = await refused(elsewhere, '_gatehouse/import_session', { file });
  assert.match(error.message, /Nothing was imported\..*line 1/);
  assert.equal((await list(elsewhere)).length, 1);
});

test('an export removes what a killed one to the same file left, and nothing else', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  const folder = await temporary(t);
  const file = path.join(folder, 'session.jsonl');
  const [left, fresh] = [randomUUID(), randomUUID()].map((id) => `session.jsonl.${id}.part`);
  const others = ['session.jsonl.part', `mine.jsonl.${randomUUID()}.part`, String(fresh)];
  for (const name of [String(left), ...others]) await writeFile(path.join(folder, name), '');
  for (const name of await readdir(folder)) {
    if (name !== fresh) await utimes(path.join(folder, name), 1, 1);
  }
  await host.agent.request('_gatehouse/export_session', { sessionId, format: 'jsonl', file });
  assert.deepEqual(new Set(await readdir(folder)), new Set([...others, 'session.jsonl']));
});

test('paths that are not absolute, and files that cannot be written, are refused', async (t) => {
  const host = await connect(t);
  const sessionId = await newSession(host);
  const request = { sessionId, format: 'jsonl' };
  for (const [method, params, message] of [
    ['export_session', { ...request, file: 'a' }, /Invalid params/],
    ['export_session', { ...request, file: host.workspace }, /The session was not exported/],
    ['import_session', { file: 'a' }, /Invalid params/],
    ['import_session', { file: '/none', cwd: 'a' }, /Invalid params/],
    ['import_session', { file: '/none' }, /Nothing was imported\. \/none does not exist/],
  ] as const) {
    assert.match((await refused(host, `_gatehouse/${method}`, params)).message, message);
  }
});

type Listed = Awaited<ReturnType<typeof list>>[number];

async function list(host: Connected, more = {}) {
  return (await host.agent.request('session/list', { cwd: host.workspace, ...more })).sessions;
}

function gatehouse(entry: Listed | undefined): Readonly<Record<string, unknown>> {
  return Object(entry?._meta?.['gatehouse']);
}

function update(host: Connected, params: object): Promise<Record<string, unknown>> {
  return host.agent.request('_gatehouse/update_session', params);
}

function search(host: Connected, params: object): Promise<{ readonly hits: readonly unknown[] }> {
  return host.agent.request('_gatehouse/search_sessions', params);
}

async function refused(host: Connected, method: string, params: object): Promise<RequestError> {
  const error = await host.agent.request(method, params).catch((reason: unknown) => reason);
  assert.ok(error instanceof RequestError, method);
  return error;
}
