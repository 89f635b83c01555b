import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Chunk } from '../../../src/base/chunk.ts';
import type { StoredPart } from '../../../src/base/stored.ts';
import { openDatabase } from '../../../src/recorder/database.ts';
import { openRecorder, type Recorder } from '../../../src/recorder/recorder.ts';
import { createManualClock, type ManualClock } from '../../tour/manualClock.ts';

const OUTPUT = { type: 'output', data: { a: 1 }, metadata: { duration_ms: 1 } } as const;
const CALL = { toolCallId: 'c1', toolName: 'bash' } as const;

test('a session is listed with its folder and title, newest first, page by page', (context) => {
  const { recorder, clock } = open(context);
  const ids = ['/a', '/b', '/a', '/a'].map((cwd) => {
    clock.advance(10);
    return recorder.createSession({ agent: 'gatehouse', cwd }).id;
  });
  clock.advance(10);
  recorder.setTitle(String(ids[0]), 'The first');

  const first = recorder.listSessions({ cwd: '/a', limit: 2 });
  assert.deepEqual(
    first.sessions.map(({ id, title }) => [id, title]),
    [
      [ids[0], 'The first'],
      [ids[3], undefined],
    ],
  );
  const { nextCursor: cursor = '' } = first;
  const second = recorder.listSessions({ cwd: '/a', limit: 2, cursor });
  assert.deepEqual(
    second.sessions.map(({ id }) => id),
    [ids[2]],
  );
  assert.equal(second.nextCursor, undefined);
  assert.equal(recorder.listSessions({ limit: 50 }).sessions.length, 4);
});

test('a cursor that is none is refused', (context) => {
  const { recorder } = open(context);
  assert.throws(() => recorder.listSessions({ limit: 1, cursor: 'x' }), /not a cursor/);
});

test('permissions survive a restart', (context) => {
  const { recorder, reopen } = open(context);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const rule = { permission: 'bash', pattern: 'ls', action: 'allow', source: 'session' };
  recorder.setPermissions(id, [rule]);
  assert.deepEqual(reopen().permissions(id), [rule]);
});

test('CS-92: a user message is there at once, with its parts in order', (context) => {
  const { recorder, reopen } = open(context);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const message = recorder.addUserMessage(id, [
    { type: 'text', text: 'look at this' },
    { type: 'file', data: { filename: 'a.ts', text: 'x' } },
  ]);
  assert.deepEqual(reopen().messages(id), [message]);
});

test('VC-91: a call is one row, its states in order, its input kept', (context) => {
  const { turn, sessionId, reopen, rows } = openTurn(context);
  const display = { title: 'ls', kind: 'execute' } as const;
  const script: Chunk[] = [
    { type: 'tool-input-start', ...CALL, display },
    { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"command":"ls"}' },
    { type: 'tool-input-available', ...CALL, input: { command: 'ls' } },
    { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' },
    { type: 'tool-progress', toolCallId: 'c1', display: { title: 'ls' } },
    { type: 'tool-output-available', toolCallId: 'c1', output: OUTPUT },
  ];
  const states = script.map((chunk) => {
    turn.record(chunk);
    return rows().map(({ tool_state }) => tool_state);
  });
  assert.deepEqual(states, [
    ['input-streaming'],
    ['input-streaming'],
    ['input-available'],
    ['approval-requested'],
    ['approval-responded'],
    ['output-available'],
  ]);
  turn.close();

  const [message] = reopen().messages(sessionId);
  const [part] = message?.parts ?? [];
  assert.deepEqual(part, {
    id: part?.id,
    type: 'tool-bash',
    ...CALL,
    state: 'output-available',
    input: { command: 'ls' },
    approvalId: 'p1',
    output: OUTPUT,
    display,
  });
});

test('CS-71: inside, keys are snake_case', (context) => {
  const { turn, rows } = openTurn(context);
  turn.record({ type: 'tool-input-available', ...CALL, input: { filePath: 'x' } });
  turn.record({ type: 'tool-output-error', toolCallId: 'c1', errorText: 'no' });
  const [row] = rows();
  assert.deepEqual(JSON.parse(String(row?.data_json)), {
    type: 'tool-bash',
    state: 'output-error',
    input: { filePath: 'x' },
    tool_call_id: 'c1',
    tool_name: 'bash',
    error_text: 'no',
  });
});

test('running text waits for 100 ms, or for 64 deltas, or for its end', (context) => {
  const { turn, clock, peek } = openTurn(context);
  turn.record({ type: 'start-step' });
  turn.record({ type: 'text-start', id: 't' });
  turn.record({ type: 'text-delta', id: 't', delta: 'a' });
  assert.equal(peek(), '');
  clock.advance(99);
  assert.equal(peek(), '');
  clock.advance(1);
  assert.equal(peek(), 'a');

  for (let count = 1; count < 64; count++) turn.record({ type: 'text-delta', id: 't', delta: 'b' });
  assert.equal(peek(), 'a');
  turn.record({ type: 'text-delta', id: 't', delta: 'b' });
  assert.equal(peek(), `a${'b'.repeat(64)}`);

  turn.record({ type: 'text-delta', id: 't', delta: 'c' });
  turn.record({ type: 'text-end', id: 't' });
  assert.equal(peek()?.endsWith('c'), true);
});

test('a call commits the text before it, too', (context) => {
  const { turn, peek } = openTurn(context);
  turn.record({ type: 'start-step' });
  turn.record({ type: 'text-start', id: 't' });
  turn.record({ type: 'text-delta', id: 't', delta: 'first this' });
  turn.record({ type: 'tool-input-start', ...CALL });
  assert.equal(peek(), 'first this');
});

test('a long text lies in several rows and is one part again when it is read', (context) => {
  const { turn, clock, sessionId, reopen, rows } = openTurn(context);
  const pieces = Array.from({ length: 700 }, (_, index) => `${index} 🐢`.padEnd(50, '·'));
  turn.record({ type: 'text-start', id: 't' });
  for (const [index, delta] of pieces.entries()) {
    turn.record({ type: 'text-delta', id: 't', delta });
    // A call in between must not end up inside the text.
    if (index === 300) turn.record({ type: 'tool-input-available', ...CALL, input: {} });
    clock.advance(40);
  }
  turn.close();

  const texts = rows().filter(({ type }) => type === 'text');
  assert.equal(texts.length, Math.ceil(pieces.join('').length / 8192));
  assert.equal(
    texts.every(({ data_json }) => String(data_json).length < 20_000),
    true,
  );
  const [message] = reopen().messages(sessionId);
  assert.deepEqual(
    message?.parts.map(({ type }) => type),
    ['text', 'tool-bash'],
  );
  const [part] = message?.parts ?? [];
  assert.equal(part?.type === 'text' && part.text === pieces.join(''), true);
});

test('a part that came with an id of ours keeps it', (context) => {
  const { turn, sessionId, reopen } = openTurn(context);
  const id = 'prt_0123456789abABCDEFGHIJKLMN';
  turn.record({ type: 'text-start', id });
  turn.record({ type: 'text-delta', id, delta: 'x' });
  turn.close();
  assert.deepEqual(reopen().messages(sessionId)[0]?.parts, [{ id, type: 'text', text: 'x' }]);
});

test('usage is summed in the message and in the session', (context) => {
  const { turn, sessionId, reopen } = openTurn(context);
  const usage = { input: 10, output: 5, reasoning: 1, cache_read: 3, cache_write: 2 };
  turn.record({ type: 'start-step' });
  turn.record({ type: 'data-usage', data: usage, transient: true });
  turn.record({ type: 'data-usage', data: usage, transient: true });
  turn.record({ type: 'finish', finishReason: 'stop' });
  turn.close();

  const recorder = reopen();
  const twice = { input: 20, output: 10, reasoning: 2, cache_read: 6, cache_write: 4 };
  assert.deepEqual(recorder.session(sessionId)?.usage, { ...twice, total: 40, cost_usd: 0 });
  const { metadata } = recorder.messages(sessionId)[0] ?? {};
  assert.deepEqual(metadata, { agent: 'gatehouse', usage: twice, finish_reason: 'stop' });
});

test('messages reads what is still buffered', (context) => {
  const { recorder, turn, sessionId } = openTurn(context);
  turn.record({ type: 'start-step' });
  turn.record({ type: 'text-start', id: 't' });
  turn.record({ type: 'text-delta', id: 't', delta: 'now' });
  const parts = recorder.messages(sessionId)[0]?.parts;
  assert.deepEqual(
    parts?.map(({ type }) => type),
    ['data-step', 'text'],
  );
});

test('a turn of which nothing came leaves no message', (context) => {
  const { recorder, turn, sessionId } = openTurn(context);
  turn.record({ type: 'start' });
  turn.record({ type: 'abort' });
  turn.close();
  assert.deepEqual(recorder.messages(sessionId), []);
});

test('VC-88: calls of a dead process become errors; what waited for the user does not', (context) => {
  const { turn, sessionId, reopen } = openTurn(context);
  const call = (toolCallId: string, toolName = 'bash') => {
    turn.record({ type: 'tool-input-available', toolCallId, toolName, input: { n: toolCallId } });
  };
  turn.record({ type: 'tool-input-start', toolCallId: 'streaming', toolName: 'bash' });
  call('running');
  call('asked');
  turn.record({ type: 'tool-approval-request', toolCallId: 'asked', approvalId: 'p1' });
  call('answered');
  turn.record({ type: 'tool-approval-request', toolCallId: 'answered', approvalId: 'p2' });
  turn.record({ type: 'tool-progress', toolCallId: 'answered', display: {} });
  call('question', 'question');
  call('done');
  turn.record({ type: 'tool-output-available', toolCallId: 'done', output: OUTPUT });

  const recorder = reopen();
  assert.deepEqual(recorder.closeOrphans(sessionId), ['streaming', 'running', 'answered']);
  const parts = recorder.messages(sessionId)[0]?.parts ?? [];
  assert.deepEqual(
    parts.map((part) => ('state' in part ? [part.toolCallId, part.state, part.errorText] : [])),
    [
      ['streaming', 'output-error', 'aborted by host restart'],
      ['running', 'output-error', 'aborted by host restart'],
      ['asked', 'approval-requested', undefined],
      ['answered', 'output-error', 'aborted by host restart'],
      ['question', 'input-available', undefined],
      ['done', 'output-available', undefined],
    ],
  );
  assert.deepEqual(recorder.closeOrphans(sessionId), []);
});

test('CS-79: a cancelled turn keeps its calls as they were', (context) => {
  const { turn, sessionId, reopen } = openTurn(context);
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  turn.record({ type: 'abort' });
  turn.close();
  const recorder = reopen();
  assert.deepEqual(recorder.closeOrphans(sessionId), []);
  const [part] = recorder.messages(sessionId)[0]?.parts ?? [];
  assert.equal(part && 'state' in part ? part.state : undefined, 'input-available');
});

test('VC-94: the export has the session, then each message followed by its parts', (context) => {
  const { recorder, turn, sessionId } = openTurn(context);
  recorder.addUserMessage(sessionId, [{ type: 'text', text: 'hi' }]);
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  turn.record({ type: 'data-note', data: 'n' });
  turn.close();

  const lines = recorder.exportJsonl(sessionId).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ type, data }) => [type, data.type ?? data.role]),
    [
      ['session', undefined],
      ['message', 'assistant'],
      ['part', 'tool-bash'],
      ['part', 'data-note'],
      ['message', 'user'],
      ['part', 'text'],
    ],
  );
});

test('CS-81: a session has one writer, over two windows as well', (context) => {
  const { recorder, turn, sessionId, second, clock } = openTurn(context);
  const other = second();
  const refused = other.openTurn(sessionId);
  assert.deepEqual([refused.ok, recorder.openTurn(sessionId).ok], [false, false]);
  assert.match(refused.ok ? '' : refused.error, /another window/);
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  assert.deepEqual(other.closeOrphans(sessionId), []);

  // It stays the writer as long as it says that it is alive.
  for (let beat = 0; beat < 10; beat++) clock.advance(10_000);
  assert.equal(other.openTurn(sessionId).ok, false);
  turn.close();
  assert.equal(other.openTurn(sessionId).ok, true);
});

test('two windows write at the same time, each its own session', (context) => {
  const { recorder, turn, second, sessionId } = openTurn(context);
  const other = second();
  const { id } = other.createSession({ agent: 'gatehouse', cwd: '/b' });
  const opened = other.openTurn(id);
  assert.ok(opened.ok);
  for (let count = 0; count < 50; count++) {
    for (const each of [turn, opened.data]) {
      each.record({ type: 'data-note', data: count });
    }
  }
  const parts = (owner: Recorder, session: string) => owner.messages(session)[0]?.parts.length;
  assert.deepEqual([parts(other, sessionId), parts(recorder, id)], [50, 50]);
});

test('a write that fails in the background is told at the next chunk, and nothing is lost', (context) => {
  const { turn, clock, second, sessionId, lock } = openTurn(context);
  turn.record({ type: 'start-step' });
  turn.record({ type: 'text-start', id: 't' });
  turn.record({ type: 'text-delta', id: 't', delta: 'kept' });
  const unlock = lock();
  clock.advance(100);
  assert.throws(() => turn.record({ type: 'text-delta', id: 't', delta: '!' }), /locked/);
  unlock();
  turn.close();
  const [, part] = second().messages(sessionId)[0]?.parts ?? [];
  assert.equal(part?.type === 'text' ? part.text : '', 'kept');
});

function open(context: TestContext) {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-recorder-'));
  const file = path.join(folder, 'state', 'gatehouse.db');
  const clock = createManualClock();
  const opened: Recorder[] = [];
  const next = (time: ManualClock) => {
    const recorder = openRecorder(file, { clock: time, busyTimeoutMs: 50 });
    opened.push(recorder);
    return recorder;
  };
  context.after(() => {
    for (const recorder of opened) recorder.close();
    rmSync(folder, { recursive: true });
  });
  /** As after a crash: what held the file said nothing more, and a minute has passed. */
  const reopen = () => next(createManualClock(clock.now() + 60_000));
  return { recorder: next(clock), clock, file, reopen, second: () => next(clock) };
}

function openTurn(context: TestContext) {
  const opened = open(context);
  const { recorder, second } = opened;
  const sessionId = recorder.createSession({ agent: 'gatehouse', cwd: '/a' }).id;
  const turn = recorder.openTurn(sessionId, { agent: 'gatehouse' });
  assert.ok(turn.ok);
  // Another window sees only what is committed.
  const onlooker = second();
  return {
    ...opened,
    sessionId,
    turn: turn.data,
    rows: () => readRows(onlooker, sessionId),
    peek: () => onlooker.messages(sessionId)[0]?.parts.map(toText).join(''),
    lock: () => {
      const blocker = openDatabase(opened.file, () => 0);
      blocker.run('BEGIN IMMEDIATE');
      return () => {
        blocker.run('COMMIT');
        blocker.close();
      };
    },
  };
}

function toText(part: StoredPart): string {
  return part.type === 'text' ? part.text : '';
}

interface PartRow {
  readonly type: string;
  readonly data_json: string;
  readonly tool_state: string | null;
}

function readRows(recorder: Recorder, sessionId: string): PartRow[] {
  const lines = recorder.exportJsonl(sessionId).trimEnd().split('\n');
  return lines.flatMap((line) => {
    const { type, data } = JSON.parse(line);
    return type === 'part' ? [data] : [];
  });
}
