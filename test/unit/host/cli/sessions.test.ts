import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { run } from '../../../../src/host/cli/commands.ts';
import { openRecorder } from '../../../../src/recorder/recorder.ts';
import { createManualClock } from '../../../tour/manualClock.ts';

test('sessions are listed, pinned ones first, as text or JSON', async (t) => {
  const bed = setUp(t);
  const text = await bed.sessions('list');
  assert.deepEqual([text.code, text.err], [0, '']);
  assert.deepEqual(
    text.out.split('\n').map((line) => line.replace(/^ses_\w+ {2}\S+ {2}/, '')),
    [`Birds [pinned]  ${bed.folder}`, `Untitled  ${bed.folder}`, ''],
  );
  const rows = toRows((await bed.sessions('list', '--archived', '--json')).out);
  assert.deepEqual(
    rows.map(({ title, state, archived }) => [title, state, archived]),
    [
      ['Birds', 'idle', false],
      ['Old', 'idle', true],
      [null, 'idle', false],
    ],
  );
  const other = await bed.sessions('list', '--cwd', 'elsewhere');
  assert.deepEqual([other.code, other.out], [0, '']);
});

test('a session is shown without what would control the terminal, or with all its rows', async (t) => {
  const bed = setUp(t);
  const { code, out } = await bed.sessions('show', bed.id);
  assert.equal(code, 0);
  assert.match(out, /^# Birds\n[\s\S]*Where is the heron\?\n[\s\S]*### `bash`: completed\n/);
  assert.equal(out.includes('\u001b'), false);
  const { session, messages } = JSON.parse((await bed.sessions('show', bed.id, '--json')).out);
  assert.equal(session.id, bed.id);
  assert.deepEqual(
    messages.map(({ message, parts }: { message: { role: string }; parts: object[] }) => [
      message.role,
      parts.length,
    ]),
    [
      ['user', 1],
      ['assistant', 3],
    ],
  );
});

test('messages are searched by their words, and options are not words', async (t) => {
  const bed = setUp(t);
  const { code, out } = await bed.sessions('search', 'HERON', 'where');
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^${bed.id}  msg_\\w+  Birds: Where is the heron\\?\n$`));
  const [hit] = toRows((await bed.sessions('search', 'heron', '--json', '--limit', '1')).out);
  assert.deepEqual(hit?.['marks'], [[13, 18]]);
  assert.equal((await bed.sessions('search', '"bittern')).out, '');
  assert.equal((await bed.sessions('search', 'heron', '--limit', '0')).code, 2);
});

test('VC-94: a session is exported and imported with equal rows', async (t) => {
  const bed = setUp(t);
  const file = path.join(bed.folder, 'out.jsonl');
  const exported = await bed.sessions('export', bed.id);
  assert.equal((await bed.sessions('export', bed.id, '--output', file)).code, 0);
  assert.equal(readFileSync(file, 'utf8'), exported.out);
  if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
  const markdown = await bed.sessions('export', bed.id, '--markdown');
  assert.match(markdown.out, /^# Birds\n/);
  const elsewhere = setUp(t);
  const imported = await elsewhere.sessions('import', file, '--json');
  assert.deepEqual(toRows(imported.out), [{ sessionId: bed.id }]);
  assert.equal((await elsewhere.sessions('export', bed.id)).out, exported.out);
  writeFileSync(file, `${exported.out}{"type":\n`);
  const refused = await elsewhere.sessions('import', file);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /Nothing was imported\. .*line 8: It is not a line/);
});

test('a replay prints the envelopes byte for byte, and flags tools that are gone', async (t) => {
  const bed = setUp(t);
  const { code, out, err } = await bed.sessions('replay', bed.id);
  assert.equal(code, 1);
  assert.equal(
    out,
    [
      `{"tool":"bash","toolCallId":"c1","input":{"command":"ls"},"output":${ENVELOPE}}`,
      `{"tool":"workspace_x","toolCallId":"c2","input":{"a":1},"output":${ENVELOPE},"missing":true}`,
      '',
    ].join('\n'),
  );
  assert.equal(err, 'replay detected mismatches: workspace_x is no longer declared.\n');
  assert.deepEqual(await bed.sessions('replay', bed.id), { code, out, err });
  mkdirSync(path.join(bed.folder, 'tools/bin'), { recursive: true });
  writeFileSync(path.join(bed.folder, 'tools/bin/x'), '#!/bin/sh\n', { mode: 0o755 });
  const tool = { name: 'x', command: ['./tools/bin/x'] };
  writeFileSync(path.join(bed.folder, 'tools.json'), JSON.stringify({ tools: [tool] }));
  const there = await bed.sessions('replay', bed.id);
  assert.deepEqual([there.code, there.err], [0, '']);
  assert.equal(there.out, out.replace(',"missing":true', ''));
});

test('unknown verbs and options are misuse and show the usage; nothing is created', async (t) => {
  const bed = setUp(t);
  for (const [words, message] of [
    [['show'], /too few or too many/],
    [['drop', 'x'], /unknown verb "drop"/],
    [[], /a VERB is missing/],
    [['list', '--all'], /Unknown option '--all'/],
  ] as const) {
    const { code, out, err } = await bed.sessions(...words);
    assert.deepEqual([code, out], [2, ''], words.join(' '));
    assert.match(err, message);
    assert.match(err, /usage: gatehouse sessions/);
  }
});

test('a session, bundle or history that is not there is named in one line, with what to do', async (t) => {
  const bed = setUp(t);
  const none = path.join(bed.folder, 'none');
  for (const [words, message] of [
    [['show', 'ses_none'], /^There is no session ses_none\. gatehouse sessions list shows those/],
    [['replay', 'ses_none'], /^There is no session ses_none\./],
    [['delete', 'ses_none'], /^There is no session ses_none\./],
    [['replay', bed.id, 'none'], /^There is no bundle in none: it has no tools\.json\./],
    [['list', '--user-data', none], /none has no history\. .*--user-data names another folder\./],
  ] as const) {
    const { code, out, err } = await bed.sessions(...words);
    assert.deepEqual([code, out, err.split('\n').length], [2, '', 2], words.join(' '));
    assert.match(err.replace('gatehouse sessions: ', ''), message);
  }
  assert.equal(existsSync(none), false);
});

test('a session can be imported where there is no history yet', async (t) => {
  const bed = setUp(t);
  const file = path.join(bed.folder, 'out.jsonl');
  assert.equal((await bed.sessions('export', bed.id, '--output', file)).code, 0);
  const fresh = ['--user-data', path.join(bed.folder, 'fresh')];
  const imported = await bed.sessions('import', file, ...fresh);
  assert.deepEqual([imported.code, imported.out, imported.err], [0, `${bed.id}\n`, '']);
  assert.match((await bed.sessions('show', bed.id, ...fresh)).out, /^# Birds\n/);
});

test('an export that could not be written says why, and leaves what is there', async (t) => {
  const bed = setUp(t);
  const file = path.join(bed.folder, 'a.txt');
  writeFileSync(file, 'mine');
  for (const [output, why] of [
    [path.join(bed.folder, 'none', 'x.jsonl'), 'its folder does not exist'],
    [bed.folder, 'it is a folder'],
    [path.join(file, 'x.jsonl'), 'its folder is a file'],
  ] as const) {
    const { code, err } = await bed.sessions('export', bed.id, '--output', output);
    assert.equal(code, 1);
    assert.ok(
      err.includes(`was not exported to ${output}: ${why}. An existing file was left`),
      err,
    );
  }
  assert.equal(readFileSync(file, 'utf8'), 'mine');
});

test('whoever reads the output may leave; a full disk below it is a failure', async (t) => {
  const bed = setUp(t);
  for (const [code, exit, told] of [
    ['EPIPE', 0, /^$/],
    ['ENOSPC', 1, /^gatehouse sessions: the output is not complete, as it could not be written: /],
  ] as const) {
    for (const words of [
      ['list'],
      ['show', bed.id],
      ['export', bed.id],
      ['search', 'heron'],
      ['--help'],
    ]) {
      const stdout = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error('No.'), { code })),
      });
      const result = await gatehouse(bed.folder, bed.env, words, stdout);
      assert.equal(result.code, exit, words.join(' '));
      assert.match(result.err, told);
    }
  }
});

/** Key order, a fraction with a trailing zero and escapes that a parser would write in another way. */
const ENVELOPE =
  '{"type":"output","data":{"b":1.50,"a":"\\u00e9\\/"},"metadata":{"duration_ms":1}}';

test('named sessions are deleted, pinned ones too, and one in use is not', async (t) => {
  const bed = setUp(t);
  const log = path.join(bed.folder, 'data/state/decisions', `${bed.id}.jsonl`);
  mkdirSync(path.dirname(log), { recursive: true });
  writeFileSync(log, '{}\n');
  const recorder = openRecorder(path.join(bed.folder, 'data/state/gatehouse.db'));
  t.after(() => recorder.close());
  const other = recorder.createSession({ agent: 'gatehouse', cwd: bed.folder }).id;
  const turn = recorder.openTurn(other);
  assert.ok(turn.ok);
  const refused = await bed.sessions('delete', bed.id, other);
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, new RegExp(`${other} runs a turn, .*Nothing was deleted`));
  assert.equal((await bed.sessions('show', bed.id)).code, 0);
  const done = await bed.sessions('delete', bed.id);
  assert.deepEqual([done.code, done.out], [0, 'Deleted 1. Stay: 0 pinned, 0 in use.\n']);
  assert.equal((await bed.sessions('show', bed.id)).code, 2);
  assert.equal(existsSync(log), false);
});

test('all sessions of a folder, or those not used for some days, are deleted; pinned ones stay', async (t) => {
  const bed = setUp(t);
  const count = async (...words: readonly string[]) =>
    JSON.parse((await bed.sessions('delete', '--json', ...words)).out);
  const both = { deleted: 2, pinned: 1, waiting: 0 };
  assert.deepEqual(await count('--all', '--dry-run'), both);
  assert.deepEqual(await count('--all', '--cwd', 'elsewhere'), { ...both, deleted: 0, pinned: 0 });
  // The clock of these sessions is ahead.
  assert.deepEqual(await count('--unused-days', '9'), { ...both, deleted: 0 });
  assert.deepEqual(await count('--all', '--cwd', '.'), both);
  const left = toRows((await bed.sessions('list', '--archived', '--json')).out);
  assert.deepEqual(
    left.map(({ title }) => title),
    ['Birds'],
  );
  for (const words of [[], ['--all', bed.id], ['--unused-days', '0'], ['ses_none']])
    assert.equal((await bed.sessions('delete', ...words)).code, 2, words.join(' '));
});

function setUp(t: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-sessions-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const clock = createManualClock();
  const recorder = openRecorder(path.join(folder, 'data/state/gatehouse.db'), { clock });
  const create = (title?: string) => {
    clock.advance(10);
    return recorder.createSession({ agent: 'gatehouse', cwd: folder, ...(title && { title }) }).id;
  };
  const id = create('Birds');
  create();
  recorder.setArchived(create('Old'), true);
  recorder.setPinned(id, true);
  recorder.addUserMessage(id, [{ type: 'text', text: 'Where is the heron?' }]);
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  const output = { type: 'output', data: 'x', metadata: { duration_ms: 1 } } as const;
  turn.data.record(
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'In the \u001b[31mreeds.' },
    { type: 'text-end', id: 't' },
    ...[
      { toolCallId: 'c1', toolName: 'bash', input: { command: 'ls' } },
      { toolCallId: 'c2', toolName: 'workspace_x', input: { a: 1 } },
    ].flatMap((call) => [
      { type: 'tool-input-available', ...call } as const,
      { type: 'tool-output-available', toolCallId: call.toolCallId, output } as const,
    ]),
    { type: 'finish', finishReason: 'stop' },
  );
  turn.data.close();
  const sql = `UPDATE chat_parts SET data_json = replace(data_json, ?, ?) WHERE session_id = ?`;
  recorder.store.database.run(sql, JSON.stringify(output), ENVELOPE, id);
  recorder.close();
  const env = { GATEHOUSE_DATA: path.join(folder, 'data') };
  return {
    folder,
    id,
    env,
    sessions: (...words: readonly string[]) => gatehouse(folder, env, words),
  };
}

function toRows(out: string): readonly Record<string, unknown>[] {
  return out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function gatehouse(
  cwd: string,
  env: NodeJS.ProcessEnv,
  words: readonly string[],
  stdout: Writable = new PassThrough(),
) {
  const stderr = new PassThrough();
  const args = ['sessions', ...words];
  const code = await run({ args, stdin: Readable.from([]), stdout, stderr, env, cwd });
  const read = (stream: Writable) =>
    stream instanceof PassThrough ? String(stream.read() ?? '') : '';
  return { code, out: read(stdout), err: read(stderr) };
}
