import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replay } from '../../../src/acp/replay.ts';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import { ABORTED_BY_RESTART } from '../../../src/base/stream/stored.ts';
import { openDatabase } from '../../../src/recorder/file/database.ts';
import { CALL, OUTPUT, openTurn } from './openRecorder.ts';

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

test('CS-71: stored keys are snake_case', (context) => {
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

test('running text waits for 100 ms, or for 256 deltas, or for its end', (context) => {
  const { turn, clock, peek } = openTurn(context);
  turn.record({ type: 'start-step' });
  turn.record({ type: 'text-start', id: 't' });
  turn.record({ type: 'text-delta', id: 't', delta: 'a' });
  assert.equal(peek(), '');
  clock.advance(99);
  assert.equal(peek(), '');
  clock.advance(1);
  assert.equal(peek(), 'a');

  for (let count = 1; count < 256; count++)
    turn.record({ type: 'text-delta', id: 't', delta: 'b' });
  assert.equal(peek(), 'a');
  turn.record({ type: 'text-delta', id: 't', delta: 'b' });
  assert.equal(peek(), `a${'b'.repeat(256)}`);

  turn.record({ type: 'text-delta', id: 't', delta: 'c' });
  turn.record({ type: 'text-end', id: 't' });
  assert.equal(peek()?.endsWith('c'), true);
});

test('a call also commits the text before it', (context) => {
  const { turn, peek } = openTurn(context);
  turn.record({ type: 'start-step' });
  turn.record({ type: 'text-start', id: 't' });
  turn.record({ type: 'text-delta', id: 't', delta: 'first this' });
  turn.record({ type: 'tool-input-start', ...CALL });
  assert.equal(peek(), '');
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  assert.equal(peek(), 'first this');
});

test('a long text is stored in several rows and read as one part', (context) => {
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

test('a long text is never cut through a character', (context) => {
  const { turn, rows } = openTurn(context);
  turn.record({ type: 'text-start', id: 't' });
  turn.record({ type: 'text-delta', id: 't', delta: `a${'🐢'.repeat(9000)}` });
  turn.record({ type: 'text-end', id: 't' });
  const texts = rows().map(({ data_json }) => String(JSON.parse(data_json).text));
  assert.deepEqual([texts.length, texts.every((text) => text.isWellFormed())], [3, true]);
});

test('what is written once is not written again', (context) => {
  const { turn, clock, rows } = openTurn(context);
  turn.record({ type: 'data-acp-update', data: { note: 1 } });
  const [first] = rows();
  clock.advance(5000);
  turn.record({ type: 'data-acp-update', data: { note: 2 } });
  assert.equal(rows().length, 2);
  assert.deepEqual(rows()[0], first);
});

test('a part that already has an id of ours keeps it', (context) => {
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
  // The last request had 10 tokens of input, 5 of output, and 5 of the cache.
  const last = { context_tokens: 20 };
  assert.deepEqual(metadata, { agent: 'gatehouse', usage: twice, ...last, finish_reason: 'stop' });
});

test('a turn without chunks leaves no message', (context) => {
  const { recorder, turn, sessionId } = openTurn(context);
  turn.record({ type: 'start' });
  turn.record({ type: 'abort' });
  turn.close();
  assert.deepEqual(recorder.messages(sessionId), []);
});

test('a failed background write is reported at the next chunk, and nothing is lost', (context) => {
  const { turn, clock, second, sessionId, file } = openTurn(context);
  turn.record({ type: 'start-step' });
  turn.record({ type: 'text-start', id: 't' });
  turn.record({ type: 'text-delta', id: 't', delta: 'kept' });
  const other = openDatabase(file, () => 0);
  other.run(
    "CREATE TRIGGER full BEFORE INSERT ON chat_parts BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
  );
  clock.advance(100);
  assert.throws(() => turn.record({ type: 'text-delta', id: 't', delta: '!' }), /disk is full/);
  other.run('DROP TRIGGER full');
  other.close();
  turn.close();
  const [, part] = second().messages(sessionId)[0]?.parts ?? [];
  assert.equal(part?.type === 'text' ? part.text : '', 'kept');
});

test('chunks that came together are one transaction, and usage waits for 100 ms or the end', (context) => {
  const { turn, clock, sessionId, rows, second } = openTurn(context);
  const usage = { input: 10, output: 5, reasoning: 0, cache_read: 0, cache_write: 0 };
  const onlooker = second();
  const used = () => onlooker.session(sessionId)?.usage.total;
  turn.record(
    { type: 'tool-input-start', ...CALL },
    { type: 'tool-input-available', ...CALL, input: { command: 'ls' } },
    { type: 'data-usage', data: usage, transient: true },
  );
  assert.deepEqual([rows().map(({ tool_state }) => tool_state), used()], [['input-available'], 0]);
  clock.advance(100);
  assert.equal(used(), 15);
  turn.record({ type: 'data-usage', data: usage, transient: true });
  assert.equal(used(), 15);
  turn.record({ type: 'finish', finishReason: 'stop' });
  assert.equal(used(), 30);
});

test("a hosted agent's call and stored updates are read back unchanged, and transient ones leave no row", (context) => {
  const { turn, sessionId, reopen, rows } = openTurn(context);
  const whole = { sessionUpdate: 'session_info_update', title: 'T' };
  const update = { sessionUpdate: 'tool_call', toolCallId: 'h', title: 'Read a', rawOutput: 5 };
  turn.record(
    { type: 'data-acp-update', id: 'session_info_update', data: { title: 'first' } },
    { type: 'data-acp-update', id: 'session_info_update', data: whole },
    { type: 'data-mode', data: { modeId: 'code' }, transient: true },
    { type: 'data-context', data: { used: 1, size: 2 }, transient: true },
    {
      type: 'tool-hosted',
      toolCallId: 'h',
      toolName: 'read',
      state: 'output-available',
      output: OUTPUT,
      update,
    },
  );
  assert.deepEqual(
    rows().map(({ type, tool_state }) => [type, tool_state]),
    [
      ['data-acp-update', null],
      ['tool-read', 'output-available'],
    ],
  );
  turn.close();
  const [kept, call] = reopen().messages(sessionId)[0]?.parts ?? [];
  assert.deepEqual(kept, { id: kept?.id, type: 'data-acp-update', data: whole });
  const { sessionUpdate: _, ...hosted } = update;
  assert.deepEqual(call && 'hosted' in call ? call.hosted : undefined, hosted);
});

test("a hosted agent's call that a crash left open ends with the reason", (context) => {
  const { turn, sessionId, reopen } = openTurn(context);
  const update = {
    sessionUpdate: 'tool_call',
    toolCallId: 'h',
    title: 'Wait',
    status: 'in_progress',
  };
  turn.record({
    type: 'tool-hosted',
    toolCallId: 'h',
    toolName: 'execute',
    state: 'input-available',
    update,
  });
  const recorder = reopen();
  assert.deepEqual(recorder.closeOrphans(sessionId), ['h']);
  const view = { terminals: true, notices: true, compaction: true };
  assert.deepEqual(
    [...replay(recorder.messages(sessionId), view)],
    [
      {
        ...update,
        status: 'failed',
        content: [{ type: 'content', content: { type: 'text', text: ABORTED_BY_RESTART } }],
      },
    ],
  );
});

test('a to-do list of an earlier version is read as a plan', (context) => {
  const { turn, sessionId, file, reopen } = openTurn(context);
  const data = { items: [{ content: 'Look', status: 'pending' }] } as const;
  turn.record({ type: 'data-plan', id: 'plan', data });
  turn.close();
  const database = openDatabase(file, () => 0);
  database.run(
    "UPDATE chat_parts SET type = 'data-todo', data_json = replace(data_json, 'data-plan', 'data-todo')",
  );
  database.close();
  const [part] = reopen().messages(sessionId)[0]?.parts ?? [];
  assert.deepEqual(part, { id: part?.id, type: 'data-plan', data });
});

test('CS-80: an unfinished turn is continued in its own rows, by one window', (context) => {
  const { turn, sessionId, reopen } = openTurn(context);
  turn.record({ type: 'start-step' });
  turn.record({ type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: LONG });
  turn.record({ type: 'text-end', id: 't' });
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  turn.record({ type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' });
  turn.record({ type: 'data-usage', data: USAGE, transient: true });
  turn.flush();

  const recorder = reopen();
  const [before] = recorder.messages(sessionId);
  const unfinished = recorder.unfinishedTurn(sessionId);
  assert.deepEqual(
    unfinished?.calls.map(({ toolCallId }) => toolCallId),
    ['c1'],
  );
  const continued = recorder.continueTurn(sessionId, { agent: 'other' });
  assert.ok(continued.ok && continued.data !== undefined);
  assert.equal(recorder.unfinishedTurn(sessionId), undefined);
  const { record, message } = continued.data;
  assert.deepEqual(message, before);
  record.record({ type: 'tool-progress', toolCallId: 'c1', display: {} });
  record.record({ type: 'tool-output-available', toolCallId: 'c1', output: OUTPUT });
  record.record({ type: 'start-step' }, { type: 'text-start', id: 'u' });
  record.record({ type: 'text-delta', id: 'u', delta: 'Done.' }, { type: 'text-end', id: 'u' });
  record.record({ type: 'data-usage', data: USAGE, transient: true });
  record.record({ type: 'finish', finishReason: 'stop' });
  record.close();

  const [after, ...others] = recorder.messages(sessionId);
  assert.deepEqual(others, []);
  assert.deepEqual(
    after?.parts.map((part) => ('text' in part ? part.text : part.type)),
    ['data-step', LONG, 'tool-bash', 'data-step', 'Done.'],
  );
  assert.deepEqual(
    after.parts.slice(0, 3).map(({ id }) => id),
    before?.parts.map(({ id }) => id),
  );
  assert.equal(after.metadata.agent, 'other');
  assert.equal(after.metadata.usage?.input, 2 * USAGE.input);
  assert.equal(recorder.session(sessionId)?.usage.input, 2 * USAGE.input);
  assert.deepEqual(recorder.continueTurn(sessionId), { ok: true, data: undefined });
});

test('sessions of a folder wait for the user with a question, proposals or unreviewed changes', (context) => {
  const { turn, sessionId, recorder, reopen } = openTurn(context);
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  turn.record({ type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' });
  turn.flush();
  const cwd = recorder.session(sessionId)?.cwd ?? '';
  const add = (parent?: string, folder = cwd) =>
    recorder.createSession({ agent: 'build', cwd: folder, ...(parent && { parent }) }).id;
  const [proposed, unreviewed, child, elsewhere] = [add(), add(), add(sessionId), add('', '/else')];
  // Nothing waits in these two.
  recorder.addUserMessage(add(), [{ type: 'text', text: 'Hello.' }]);
  add();
  for (const id of [proposed, child, elsewhere]) {
    recorder.putProposal(id, { path: '/a.txt', text: 'a', calls: ['c'], reviewId: 'r' });
  }
  recorder.putUnreviewed(unreviewed, { path: '/a.txt', after: 'a' });
  assert.deepEqual(
    [...recorder.waitingSessions(cwd)].sort(),
    [proposed, unreviewed].sort(),
    'a window writes the turn',
  );
  const next = reopen();
  assert.deepEqual(
    [...next.waitingSessions(cwd)].sort(),
    [sessionId, proposed, unreviewed].sort(),
    'the window is gone',
  );
  assert.deepEqual(next.waitingSessions('/else'), [elsewhere]);
  const many = Array.from({ length: 25 }, () => next.createSession({ agent: 'build', cwd: '/m' }));
  for (const { id } of many) next.putUnreviewed(id, { path: '/a.txt', after: 'a' });
  assert.equal(next.waitingSessions('/m').length, 20);
  const more = Array.from({ length: 120 }, () => next.createSession({ agent: 'build', cwd: '/n' }));
  for (const { id } of more) {
    next.putProposal(id, { path: '/a.txt', text: 'a', calls: ['c'], reviewId: 'r' });
  }
  const waiting = new Set(next.waitingSessions('/n'));
  assert.equal(waiting.size, 100, 'the newest of very many proposals');
});

test('a turn that this or another window writes is not continued', (context) => {
  const { turn, sessionId, recorder, second } = openTurn(context);
  turn.record({ type: 'tool-input-available', ...CALL, input: {} });
  turn.record({ type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'p1' });
  for (const each of [recorder, second()]) {
    assert.equal(each.unfinishedTurn(sessionId), undefined);
    assert.equal(each.continueTurn(sessionId).ok, false);
  }
});

/** Longer than one row. */
const LONG = 'x'.repeat(20_000);
const USAGE = { input: 3, output: 2, reasoning: 0, cache_read: 0, cache_write: 0 };
