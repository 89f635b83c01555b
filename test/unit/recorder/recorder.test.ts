import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRecorder, type Recorder } from '../../../src/recorder/recorder.ts';
import { CALL, OUTPUT, open, openTurn } from './openRecorder.ts';

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

test('an invalid cursor is rejected', (context) => {
  const { recorder } = open(context);
  assert.throws(() => recorder.listSessions({ limit: 1, cursor: 'x' }), /not a valid cursor/);
});

test('permissions survive a restart', (context) => {
  const { recorder, reopen } = open(context);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const rule = { permission: 'bash', pattern: 'ls', action: 'allow', source: 'session' };
  recorder.setPermissions(id, [rule]);
  assert.deepEqual(reopen().permissions(id), [rule]);
});

test('CS-92: a user message is stored at once, with its parts in order', (context) => {
  const { recorder, reopen } = open(context);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const message = recorder.addUserMessage(id, [
    { type: 'text', text: 'look at this' },
    {
      type: 'file',
      data: { kind: 'text', uri: 'file:///w/a.ts', text: 'x', mediaType: 'text/plain' },
    },
  ]);
  assert.deepEqual(reopen().messages(id), [message]);
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

test('VC-88: calls of a dead process become errors; what waited for the user does not', (context) => {
  const { turn, sessionId, reopen } = openTurn(context);
  const call = (toolCallId: string, toolName = 'bash') => {
    turn.record({ type: 'tool-input-available', toolCallId, toolName, input: { n: toolCallId } });
  };
  turn.record({ type: 'tool-input-start', toolCallId: 'streaming', toolName: 'bash' });
  call('running');
  turn.record({ type: 'tool-progress', toolCallId: 'running', display: {} });
  call('not begun');
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
      ['not begun', 'input-available', undefined],
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
  turn.record({ type: 'data-acp-update', data: { note: 'n' } });
  turn.close();

  const lines = recorder.exportJsonl(sessionId).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ type, data }) => [type, data.type ?? data.role]),
    [
      ['session', undefined],
      ['message', 'user'],
      ['part', 'text'],
      ['message', 'assistant'],
      ['part', 'tool-bash'],
      ['part', 'data-acp-update'],
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

  // It stays the writer as long as it renews its claim.
  for (let beat = 0; beat < 10; beat++) clock.advance(10_000);
  assert.equal(other.openTurn(sessionId).ok, false);
  turn.close();
  assert.equal(other.openTurn(sessionId).ok, true);
});

test('a computer that slept does not treat its own turn as dead', (context) => {
  const { file } = open(context);
  let now = 1_800_000_000_000;
  // Timers of a computer that sleeps do not run.
  const clock = { now: () => now, after: () => ({ dispose: () => undefined }) };
  const recorder = openRecorder(file, { clock });
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const turn = recorder.openTurn(id);
  assert.ok(turn.ok);
  turn.data.record({ type: 'tool-input-available', ...CALL, input: {} });
  now += 3_600_000;
  assert.deepEqual(recorder.closeOrphans(id), []);
  recorder.close();
});

test('two windows write at the same time, each its own session', (context) => {
  const { recorder, turn, second, sessionId } = openTurn(context);
  const other = second();
  const { id } = other.createSession({ agent: 'gatehouse', cwd: '/b' });
  const opened = other.openTurn(id);
  assert.ok(opened.ok);
  for (let count = 0; count < 50; count++) {
    for (const each of [turn, opened.data]) {
      each.record({ type: 'data-acp-update', data: { count } });
    }
  }
  const parts = (owner: Recorder, session: string) => owner.messages(session)[0]?.parts.length;
  assert.deepEqual([parts(other, sessionId), parts(recorder, id)], [50, 50]);
});

test('writes in one transaction are all stored, or none', (context) => {
  const { recorder, second } = open(context);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const onlooker = second();
  const seen = () => [onlooker.messages(id).length, onlooker.session(id)?.title];
  const prompt = () => {
    recorder.addUserMessage(id, [{ type: 'text', text: 'hello' }]);
    recorder.setTitle(id, 'hello');
    return seen();
  };
  assert.deepEqual(
    [recorder.together(prompt), seen()],
    [
      [0, undefined],
      [1, 'hello'],
    ],
  );
  const fault = () => {
    prompt();
    throw new Error('no');
  };
  assert.throws(() => recorder.together(fault), /no/);
  assert.equal(seen()[0], 1);
});

test('a rolled-back claim leaves the session free', (context) => {
  const { recorder, clock, second } = open(context);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const claim = () => {
    recorder.openTurn(id);
    throw new Error('the disk is full');
  };
  assert.throws(() => recorder.together(claim), /full/);
  clock.advance(60_000);
  assert.equal(second().openTurn(id).ok, true);
});

test('what a call changed that is no text is kept with its bytes, and survives a restart', (context) => {
  const { recorder, reopen } = open(context);
  const { id } = recorder.createSession({ agent: 'gatehouse', cwd: '/a' });
  const changes = [
    {
      path: '/a/x.bin',
      before: { type: 'file', mode: 0o640, hash: 'ab', content: Buffer.from([0, 255, 1]) },
      after: { type: 'none' },
    },
    {
      path: '/a/y.bin',
      before: { type: 'file', mode: 0o600, hash: 'cd', content: Buffer.alloc(0) },
      after: { type: 'file', mode: 0o600, hash: 'ef' },
    },
    { path: '/a/l', before: { type: 'link', target: 'x' }, after: { type: 'link', target: 'y' } },
    { path: '/a/d', before: { type: 'folder', mode: 0o755 }, after: { type: 'none' } },
    { path: '/a/m', before: { type: 'mode', mode: 0o644 }, after: { type: 'mode', mode: 0o755 } },
    { path: '/a/big', before: { type: 'file', mode: 0o644, hash: '' }, after: { type: 'none' } },
  ] as const;
  for (const change of changes) recorder.addEntryChange(id, 'c1', change);
  recorder.removeEntryChange(recorder.addEntryChange(id, 'c1', changes[0]).id);
  recorder.addEntryChange(id, 'c2', changes[2]);
  assert.deepEqual(reopen().entryChanges(id, 'c1'), changes);
});
