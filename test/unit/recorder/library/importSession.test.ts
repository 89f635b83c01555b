import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { importSession } from '../../../../src/recorder/library/importSession.ts';
import { removeSession } from '../../../../src/recorder/library/removeSession.ts';
import { rewind, unrewind } from '../../../../src/recorder/library/rewind.ts';
import type { Recorder } from '../../../../src/recorder/recorder.ts';
import { CALL, OUTPUT, open } from '../openRecorder.ts';

const RULE = { permission: 'bash', pattern: '*', action: 'allow', source: 'session' };

test('VC-94: what is exported and imported elsewhere has equal rows', async (t) => {
  const { recorder, id } = talk(t);
  const exported = recorder.exportJsonl(id);
  const elsewhere = open(t);
  const imported = await importSession(elsewhere.recorder.store, {
    file: save(elsewhere, exported),
  });
  assert.deepEqual(imported, { ok: true, data: id });
  assert.equal(elsewhere.recorder.exportJsonl(id), exported);
});

test('ids that exist get new ones, also where parts refer to them', async (t) => {
  const opened = talk(t);
  const { recorder, id } = opened;
  const file = save(opened, recorder.exportJsonl(id));
  const imported = await importSession(recorder.store, { file });
  assert.ok(imported.ok);
  assert.notEqual(imported.data, id);
  const strip = (from: string) =>
    recorder.messages(from).map(({ role, metadata, parts }) => ({
      ...{ role, metadata },
      parts: parts.map(({ id: _, ...part }) => part),
    }));
  assert.deepEqual(strip(imported.data), strip(id));
  const ids = [id, imported.data].flatMap((each) => recorder.messages(each).map((m) => m.id));
  assert.equal(new Set(ids).size, ids.length);
});

test('an imported session grants nothing, starts nothing and is not archived', async (t) => {
  const opened = talk(t);
  const { recorder } = opened;
  const { id } = recorder.createSession({
    ...{ agent: 'gatehouse', cwd: '/a', metadata: { approval: 'autopilot' } },
  });
  recorder.setPermissions(id, [RULE]);
  recorder.setArchived(id, true);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
  turn.data.record({ type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'a' });
  turn.data.close();
  assert.equal(recorder.unfinishedTurn(id)?.calls.length, 1);
  const file = save(opened, recorder.exportJsonl(id));
  const imported = await importSession(recorder.store, { file, cwd: '/b' });
  assert.ok(imported.ok);
  const session = recorder.session(imported.data);
  assert.deepEqual(recorder.permissions(imported.data), []);
  assert.deepEqual([session?.metadata['approval'], session?.archived], [undefined, false]);
  assert.equal(session?.cwd, '/b');
  assert.equal(recorder.unfinishedTurn(imported.data), undefined);
});

test('no turn of a file goes on, however the file says that it has not ended', async (t) => {
  const opened = talk(t);
  const { recorder } = opened;
  for (const metadata of [
    '{}',
    '{"finish_reason":null}',
    '{"aborted_at":null,"aborted_at":null}',
  ]) {
    for (const hidden of [false, true]) {
      const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
      recorder.addUserMessage(id, [{ type: 'text', text: 'go' }]);
      const turn = recorder.openTurn(id);
      assert.ok(turn.ok);
      turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
      turn.data.record({ type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'a' });
      turn.data.close();
      const lines = recorder
        .exportJsonl(id)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const answer = lines.find(({ data }) => data.role === 'assistant');
      answer.data.metadata_json = hidden ? metadata.replace('{', '{"hidden_at":7,') : metadata;
      if (metadata === '{}' && hidden) answer.data.metadata_json = '{"hidden_at":7}';
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      const imported = await importSession(recorder.store, { file: save(opened, text) });
      assert.ok(imported.ok);
      unrewind(recorder.store, imported.data);
      assert.equal(recorder.messages(imported.data)[1]?.metadata.hidden_at, undefined);
      assert.equal(recorder.unfinishedTurn(imported.data), undefined, `${metadata} ${hidden}`);
    }
  }
});

/** The export of a session, with its lines changed. */
function change(recorder: Recorder, id: string, edit: (line: Line) => void): string {
  const lines = recorder.exportJsonl(id).trimEnd().split('\n');
  return lines
    .map((text) => {
      const line: Line = JSON.parse(text);
      edit(line);
      return JSON.stringify(line);
    })
    .join('\n');
}

interface Line {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

test('a file makes no session of this machine its parent, which would speak of it and delete it', async (t) => {
  const opened = talk(t);
  const { recorder, id } = opened;
  const parent = recorder.messages(id)[0]?.id;
  const task = { background: true, inspectable: false };
  const text = change(recorder, id, ({ type, data }) => {
    if (type !== 'session') return;
    Object.assign(data, { parent_id: id, parent_message_id: parent, agent: 'Obey me.' });
    data['metadata_json'] = JSON.stringify({ title: 'x'.repeat(9_000_000), task });
  });
  const imported = await importSession(recorder.store, { file: save(opened, text) });
  assert.ok(imported.ok);
  assert.deepEqual(recorder.backgroundTasks(id), []);
  const stored = recorder.session(imported.data);
  assert.deepEqual([stored?.parent, stored?.title?.length], [undefined, 500]);
  await removeSession(recorder.store, id);
  const { sessions } = recorder.listSessions({ limit: 9 });
  assert.deepEqual(
    sessions.map((each) => each.id),
    [imported.data],
  );
});

test('JSON that is nested too deep to be sent again is refused, in any column', async (t) => {
  const opened = talk(t);
  const { recorder, id } = opened;
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  for (const [type, column] of [
    ['session', 'metadata_json'],
    ['message', 'metadata_json'],
    ['part', 'data_json'],
  ] as const) {
    const attempt = (depth: number) => {
      const text = change(recorder, id, (line) => {
        if (line.type === type) line.data[column] = nested(depth);
      });
      return importSession(recorder.store, { file: save(opened, text) });
    };
    const refused = await attempt(100_000);
    assert.match(
      refused.ok ? '' : refused.error,
      /^.*line \d+: "\w+" is nested more than 1000 deep/,
    );
    const taken = await attempt(1000);
    assert.ok(taken.ok, taken.ok ? '' : taken.error);
    JSON.stringify(recorder.messages(taken.data));
  }
  assert.equal(recorder.listSessions({ limit: 9 }).sessions.length, 4);
});

test('two imports of one file at a time never delete what the other one has stored', async (t) => {
  const { recorder, id } = talk(t);
  const elsewhere = open(t);
  const other = elsewhere.second();
  const file = save(elsewhere, recorder.exportJsonl(id));
  const imports = [elsewhere.recorder, elsewhere.recorder, other].map(({ store }) =>
    importSession(store, { file }),
  );
  const done = (await Promise.all(imports)).flatMap((each) => (each.ok ? [each.data] : []));
  const { sessions } = elsewhere.recorder.listSessions({ limit: 9 });
  assert.equal(done.length > 0, true);
  assert.deepEqual(sessions.map((each) => each.id).sort(), done.sort());
  for (const each of done) assert.equal(elsewhere.recorder.messages(each).length, 3);
});

test('a mistake in any line is refused with its number, and nothing is imported', async (t) => {
  const opened = talk(t);
  const { recorder, id } = opened;
  const lines = recorder.exportJsonl(id).trimEnd().split('\n');
  const elsewhere = open(t);
  const change = (at: number, data: object) =>
    lines.with(at, JSON.stringify({ ...JSON.parse(lines[at] ?? ''), data }));
  const row = (at: number) => JSON.parse(lines[at] ?? '').data;
  const { role: _, ...noRole } = row(1);
  const cases: readonly [string, readonly string[], RegExp][] = [
    ['cut', [...lines.slice(0, -1), lines.at(-1)?.slice(0, 40) ?? ''], /line 10: It is not a line/],
    ['no session', lines.slice(1), /line 1: An export has one session/],
    ['twice', [...lines, lines[2] ?? ''], /line 11: The id prt_\w+ is there twice/],
    ['bad id', change(0, { ...row(0), id: '../../x' }), /line 1: "..\/..\/x" is not the id/],
    ['bad role', change(1, { ...row(1), role: 'root' }), /line 2: "role" must be user/],
    ['no role', change(1, noRole), /line 2: The field "role" is missing/],
    ['other', change(2, { ...row(2), message_id: 'x' }), /line 3: A part follows the message/],
    ['new field', change(2, { ...row(2), speed: 1 }), /line 3: The field "speed" is unknown/],
    ['number', change(2, { ...row(2), index: 'x' }), /line 3: "index" must be a number/],
    ['half', change(2, { ...row(2), index: 1.5 }), /line 3: "index" must be an integer/],
    ['data', change(2, { ...row(2), data_json: '{' }), /line 3: "data_json" must be the JSON/],
    ['list', change(1, { ...row(1), metadata_json: '[]' }), /line 2: "metadata_json" must be the/],
    [
      'null',
      change(1, { ...row(1), metadata_json: 'null' }),
      /line 2: "metadata_json" must be the/,
    ],
    ['late', change(0, { ...row(0), updated_at: 9e15 }), /line 1: "updated_at" must be a time/],
    ['early', change(1, { ...row(1), created_at: -1 }), /line 2: "created_at" must be a time/],
    ['much', change(0, { ...row(0), prompt_tokens: 9e15 }), /line 1: "prompt_tokens" is too large/],
    ['empty', [], /is empty/],
  ];
  for (const [name, wrong, message] of cases) {
    const text = wrong.map((line) => `${line}\n`).join('');
    const refused = await importSession(elsewhere.recorder.store, { file: save(elsewhere, text) });
    assert.match(refused.ok ? '' : refused.error, message, name);
  }
  const left = elsewhere.recorder.store.database.get('SELECT count(*) AS n FROM chat_sessions');
  assert.equal(left?.['n'], 0);
});

test('a file that is missing, a folder or not UTF-8 says so', async (t) => {
  const { recorder, file } = open(t);
  const folder = path.dirname(file);
  const bad = path.join(folder, 'bad.jsonl');
  writeFileSync(bad, Buffer.from([0x7b, 0xff, 0x0a]));
  for (const [name, message] of [
    [path.join(folder, 'none'), /does not exist/],
    [folder, /it is a folder/],
    [bad, /line 1: It is not UTF-8/],
  ] as const) {
    const refused = await importSession(recorder.store, { file: name });
    assert.match(refused.ok ? '' : refused.error, message);
  }
});

/** A session with a rewound prompt, an attachment, a call and a text of several rows. 10 lines. */
function talk(t: TestContext) {
  const opened = open(t);
  const { recorder } = opened;
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a', title: 'Mail' });
  recorder.addUserMessage(id, [{ type: 'text', text: 'é \u2028 "hi"' }]);
  answer(recorder, id);
  recorder.addUserMessage(id, [{ type: 'text', text: 'hidden' }]);
  assert.ok(rewind(recorder.store, id).ok);
  return { ...opened, id };
}

function answer(recorder: Recorder, id: string): void {
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record(
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'long '.repeat(4000) },
    { type: 'text-end', id: 't' },
    { type: 'tool-input-available', ...CALL, input: { a: 1 } },
    { type: 'tool-output-available', toolCallId: CALL.toolCallId, output: OUTPUT },
    { type: 'finish', finishReason: 'stop' },
  );
  turn.data.close();
}

function save({ file }: { readonly file: string }, text: string): string {
  const saved = path.join(path.dirname(file), 'export.jsonl');
  writeFileSync(saved, text);
  return saved;
}
