import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forkSession } from '../../../../src/recorder/library/forkSession.ts';
import { removePartial, removeSession } from '../../../../src/recorder/library/removeSession.ts';
import { rewind, unrewind } from '../../../../src/recorder/library/rewind.ts';
import { readStoredState } from '../../../../src/recorder/library/storedState.ts';
import type { Recorder } from '../../../../src/recorder/recorder.ts';
import { CALL, OUTPUT, open } from '../openRecorder.ts';

const RULE = { permission: 'bash', pattern: 'ls', action: 'allow', source: 'session' };

test('VC-92: a rewind and its undo change nothing but hidden_at', (t) => {
  const { recorder } = open(t);
  const { id, prompts } = talk(recorder, ['one', 'two', 'three']);
  const before = rows(recorder, id);
  const rewound = rewind(recorder.store, id, prompts[1]);
  assert.ok(rewound.ok);
  assert.deepEqual([rewound.data.text, rewound.data.hidden], ['two', 4]);
  assert.deepEqual(visible(recorder, id), ['one', 'answer to one']);
  const hidden = rows(recorder, id).map(withoutHidden);
  assert.deepEqual(hidden, before);
  assert.deepEqual(unrewind(recorder.store, id), { ok: true, data: 4 });
  assert.deepEqual(rows(recorder, id), before);
});

test('a fork of messages with any usage can be listed', async (t) => {
  const { recorder } = open(t);
  const { id } = talk(recorder, ['one', 'two']);
  const usage = '{"usage":{"input":9223372036854775807,"output":"x"}}';
  recorder.store.database.run('UPDATE chat_messages SET metadata_json = ?', usage);
  const forked = await forkSession(recorder.store, id);
  assert.ok(forked.ok);
  assert.equal(recorder.listSessions({ limit: 9 }).sessions.length, 2);
});

test('CS-84: each rewind is undone by itself, the last one first, while nothing was sent since', (t) => {
  const { recorder } = open(t);
  const { id, prompts } = talk(recorder, ['one', 'two', 'three']);
  assert.ok(rewind(recorder.store, id, prompts[2]).ok);
  assert.ok(rewind(recorder.store, id, prompts[1]).ok);
  assert.deepEqual(unrewind(recorder.store, id), { ok: true, data: 2 });
  assert.deepEqual(visible(recorder, id), ['one', 'answer to one', 'two', 'answer to two']);
  assert.deepEqual(unrewind(recorder.store, id), { ok: true, data: 2 });
  assert.equal(unrewind(recorder.store, id).ok, false);
  assert.ok(rewind(recorder.store, id).ok);
  say(recorder, id, 'four');
  const undone = unrewind(recorder.store, id);
  assert.match(undone.ok ? '' : undone.error, /something was sent since/);
  assert.deepEqual(visible(recorder, id).slice(-1), ['answer to four']);
});

test('a rewind gives back the attachments and names the files that stay changed', (t) => {
  const { recorder } = open(t);
  const { id } = talk(recorder, ['one']);
  const data = { kind: 'text', uri: 'file:///w/a.ts', text: 'x' } as const;
  recorder.addUserMessage(id, [
    { type: 'text', text: 'look' },
    { type: 'file', data },
  ]);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
  recorder.addChange(id, CALL.toolCallId, { path: '/w/a.ts', before: 'a', after: 'b' });
  recorder.addEntryChange(id, CALL.toolCallId, {
    ...{ path: '/w/logo.png', before: { type: 'none' } },
    after: { type: 'file', mode: 0o644, hash: '00' },
  });
  turn.data.record({ type: 'tool-output-available', toolCallId: CALL.toolCallId, output: OUTPUT });
  turn.data.close();
  const rewound = rewind(recorder.store, id);
  assert.deepEqual(rewound, {
    ok: true,
    data: { text: 'look', attachments: [data], hidden: 2, files: ['/w/a.ts', '/w/logo.png'] },
  });
});

test('only a visible prompt can be rewound, and only while no turn runs', (t) => {
  const { recorder } = open(t);
  const { id, prompts } = talk(recorder, ['one']);
  const answer = recorder.messages(id)[1]?.id ?? '';
  for (const wrong of [answer, 'msg_x']) assert.equal(rewind(recorder.store, id, wrong).ok, false);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  const refused = rewind(recorder.store, id, prompts[0]);
  assert.match(refused.ok ? '' : refused.error, /is running a turn/);
  turn.data.close();
});

test('the fork of a session that is Read Only is Read Only: the mode grants nothing', async (t) => {
  const { recorder } = open(t);
  const { id } = talk(recorder, ['one'], { approval: 'readOnly' });
  const forked = await forkSession(recorder.store, id);
  assert.ok(forked.ok);
  assert.equal(recorder.session(forked.data)?.metadata['approval'], 'readOnly');
});

test('CS-16: a fork keeps what the user denied in the session, which grants nothing', async (t) => {
  const { recorder } = open(t);
  const { id } = talk(recorder, ['one']);
  const denied = [
    { ...RULE, pattern: 'rm', action: 'deny' },
    { ...RULE, permission: 'call:bash', pattern: '{"command":"ls"}', action: 'deny' },
    { ...RULE, pattern: 'cat', action: 'ask' },
  ];
  recorder.setPermissions(id, [RULE, ...denied]);
  const forked = await forkSession(recorder.store, id);
  assert.ok(forked.ok);
  assert.deepEqual(recorder.permissions(forked.data), denied);
});

test('VC-93: a fork has the visible messages, and neither rules that allow nor approval mode', async (t) => {
  const { recorder } = open(t);
  const { id, prompts } = talk(recorder, ['one', 'two'], { approval: 'autopilot' });
  recorder.setPermissions(id, [RULE]);
  recorder.setTitle(id, 'Mail');
  assert.ok(rewind(recorder.store, id, prompts[1]).ok);
  say(recorder, id, 'three');
  const forked = await forkSession(recorder.store, id);
  assert.ok(forked.ok);
  const copy = recorder.session(forked.data);
  assert.deepEqual(recorder.permissions(forked.data), []);
  assert.deepEqual(copy?.metadata, { title: 'Mail', forked_from: id });
  assert.deepEqual(visible(recorder, forked.data), visible(recorder, id));
  assert.equal(recorder.messages(forked.data).length, 4);
  const ids = new Set(
    [...recorder.messages(id), ...recorder.messages(forked.data)].map((m) => m.id),
  );
  assert.equal(ids.size, 10);
  assert.equal(copy?.usage.input, 10);
  assert.equal(copy?.usage.total, 14);
});

test('CS-85: a fork ends with the message that was named, and is refused while a turn runs', async (t) => {
  const { recorder } = open(t);
  const { id, prompts } = talk(recorder, ['one', 'two']);
  const forked = await forkSession(recorder.store, id, prompts[1]);
  assert.ok(forked.ok);
  assert.deepEqual(visible(recorder, forked.data), ['one', 'answer to one', 'two']);
  assert.equal((await forkSession(recorder.store, id, 'msg_x')).ok, false);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  assert.equal((await forkSession(recorder.store, id)).ok, false);
  turn.data.close();
  assert.equal(recorder.listSessions({ limit: 9 }).sessions.length, 2);
});

test('a session that another window rewinds or deletes while it is copied is copied whole, or not at all', async (context) => {
  const { recorder, second } = open(context);
  const other = second();
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  for (let at = 0; at < 10; at++) {
    recorder.addUserMessage(id, [{ type: 'text', text: `${at}` }]);
  }
  // The copy has begun, and its first step comes later.
  const copying = forkSession(recorder.store, id);
  assert.ok(rewind(other.store, id, other.messages(id)[5]?.id).ok);
  const copied = await copying;
  assert.ok(copied.ok);
  const copies = recorder.messages(copied.data);
  assert.equal(copies.length, 10);
  assert.ok(copies.every(({ metadata }) => metadata.hidden_at === undefined));
  assert.ok(unrewind(other.store, id).ok);

  const broken = forkSession(recorder.store, id);
  other.store.database.run('DELETE FROM chat_sessions WHERE id = ?', id);
  const outcome = await broken;
  assert.match(
    outcome.ok ? '' : outcome.error,
    /is gone, perhaps deleted in another window\. Nothing was copied/,
  );
  const rows = recorder.store.database.all('SELECT id FROM chat_sessions');
  assert.deepEqual(
    rows.map((row) => row['id']),
    [copied.data],
  );
});

test('a long text that fills several rows is one text in the fork', async (t) => {
  const { recorder } = open(t);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const text = 'long '.repeat(5000);
  say(recorder, id, text);
  const forked = await forkSession(recorder.store, id);
  assert.ok(forked.ok);
  assert.deepEqual(visible(recorder, forked.data), visible(recorder, id));
});

test('a deleted session is gone, and what a killed host left of one is deleted later', async (t) => {
  const { recorder, reopen } = open(t);
  const { id } = talk(recorder, ['one']);
  const other = talk(recorder, ['two']).id;
  assert.deepEqual(await removeSession(recorder.store, id), { ok: true, data: [id] });
  assert.equal(recorder.session(id), undefined);
  assert.deepEqual(recorder.messages(id), []);
  const sql = `UPDATE chat_sessions SET metadata_json = '{"partial":true}' WHERE id = ?`;
  recorder.store.database.run(sql, other);
  const next = reopen();
  assert.deepEqual(next.listSessions({ limit: 9, archived: true }).sessions, []);
  await removePartial(next.store);
  assert.equal(next.session(other), undefined);
});

test('a session that is written is not deleted', async (t) => {
  const { recorder, second } = open(t);
  const { id } = talk(recorder, ['one']);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  assert.equal((await removeSession(second().store, id)).ok, false);
  turn.data.close();
  assert.equal(recorder.listSessions({ limit: 9 }).sessions.length, 1);
  assert.equal(recorder.messages(id).length, 2);
});

test('a stored session is busy, waits for an answer or a permission, or is idle', (t) => {
  const { recorder, reopen } = open(t);
  const idle = talk(recorder, ['one']).id;
  const ask = (toolName: string) => {
    const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
    const turn = recorder.openTurn(id);
    assert.ok(turn.ok);
    turn.data.record({ type: 'tool-input-available', toolCallId: 'c', toolName, input: {} });
    if (toolName === 'bash') {
      turn.data.record({ type: 'tool-approval-request', toolCallId: 'c', approvalId: 'a' });
    }
    return id;
  };
  const sessions = [idle, ask('bash'), ask('question')];
  const states = (from: Recorder) => sessions.map((id) => readStoredState(from.store, id));
  assert.deepEqual(states(recorder), ['idle', 'busy', 'busy']);
  assert.deepEqual(states(reopen()), ['idle', 'waiting_permission', 'waiting_question']);
});

test('pinned sessions come first, archived ones only when they are asked for', (t) => {
  const { recorder, clock } = open(t);
  const ids = ['a', 'b', 'c', 'd'].map(() => {
    clock.advance(10);
    return recorder.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  });
  const list = (archived: boolean) =>
    recorder.listSessions({ limit: 9, archived }).sessions.map(({ id }) => ids.indexOf(id));
  recorder.setPinned(ids[1] ?? '', true);
  recorder.setArchived(ids[2] ?? '', true);
  assert.deepEqual(list(false), [1, 3, 0]);
  assert.deepEqual(list(true), [1, 3, 2, 0]);
  recorder.setPinned(ids[1] ?? '', false);
  recorder.setArchived(ids[2] ?? '', false);
  assert.equal(recorder.session(ids[1] ?? '')?.pinned, false);
  assert.deepEqual(list(false), [3, 2, 1, 0]);
});

/** A session with these prompts, each of them answered. */
function talk(recorder: Recorder, prompts: readonly string[], metadata = {}) {
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a', metadata });
  return { id, prompts: prompts.map((prompt) => say(recorder, id, prompt)) };
}

function say(recorder: Recorder, id: string, text: string): string {
  const prompt = recorder.addUserMessage(id, [{ type: 'text', text }]);
  const turn = recorder.openTurn(id, { note: 'é \u2028 1.50' });
  assert.ok(turn.ok);
  const usage = { input: 5, output: 2, reasoning: 0, cache_read: 0, cache_write: 0 };
  turn.data.record(
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: `answer to ${text}` },
    { type: 'text-end', id: 't' },
    { type: 'data-usage', data: usage, transient: true },
    { type: 'finish', finishReason: 'stop' },
  );
  turn.data.close();
  return prompt.id;
}

function visible(recorder: Recorder, id: string): readonly string[] {
  return recorder
    .messages(id)
    .filter(({ metadata }) => metadata.hidden_at === undefined)
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])));
}

/** The rows of messages and parts as stored. */
function rows(recorder: Recorder, id: string) {
  return recorder
    .exportJsonl(id)
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
}

function withoutHidden({ type, data }: { type: string; data: Record<string, string> }) {
  if (type !== 'message') return { type, data };
  const metadata_json = (data['metadata_json'] ?? '').replace(/,?"hidden_at":\d+/, '');
  return { type, data: { ...data, metadata_json } };
}
