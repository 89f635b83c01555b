import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk';
import { emptyState } from '../../../../src/extension/chat/chatStates.ts';
import { endTurn, MESSAGE_LIMIT, toChanges } from '../../../../src/extension/chat/transcript.ts';
import { applyChange } from '../../../../src/webview/messages/applyChange.ts';
import type { ChatState, StateChange } from '../../../../src/webview/messages/chatState.ts';

const label = (path: string) => path.replace('/work/', '');

test('chunks of one message become one item, and only the new text travels', () => {
  const { state, changes } = play(text('Hel'), text('lo'));
  assert.deepEqual(state.items, [{ kind: 'agent', id: 'agent-0', text: 'Hello', done: false }]);
  assert.deepEqual(changes.at(-1), { type: 'append', id: 'agent-0', text: 'lo' });
});

test('reasoning, answer and call are separate items, in order', () => {
  const { state } = play(
    { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } },
    text('Look:'),
    { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Read a', kind: 'read' },
    text('Done.'),
  );
  assert.deepEqual(
    state.items.map((item) => [
      item.kind,
      'done' in item ? item.done : item.kind === 'tool' && item.status,
    ]),
    [
      ['thought', true],
      ['agent', true],
      ['tool', 'pending'],
      ['agent', false],
    ],
  );
});

test('a new message id begins a new message', () => {
  const { state } = play(
    {
      sessionUpdate: 'user_message_chunk',
      messageId: 'm1',
      content: { type: 'text', text: 'one' },
    },
    {
      sessionUpdate: 'user_message_chunk',
      messageId: 'm2',
      content: { type: 'text', text: 'two' },
    },
  );
  assert.deepEqual(
    state.items.map((item) => 'text' in item && item.text),
    ['one', 'two'],
  );
});

test('attachments are named, one per line', () => {
  const user = (content: ContentBlock): SessionUpdate => ({
    sessionUpdate: 'user_message_chunk',
    messageId: 'm1',
    content,
  });
  const { state } = play(
    user({ type: 'text', text: 'Compare' }),
    user({ type: 'resource', resource: { uri: 'file:///w/notes.md', text: 'secret' } }),
    user({ type: 'resource_link', uri: 'file:///w/a.ts', name: 'a.ts' }),
    user({ type: 'image', data: 'AAAA', mimeType: 'image/png' }),
    user({ type: 'image', data: 'AAAA', mimeType: 'image/png', uri: 'file:///w/shot.png' }),
    user({ type: 'text', text: 'please' }),
  );
  assert.deepEqual(
    state.items.map((item) => 'text' in item && item.text),
    ['Compare\n(resource: notes.md)\n[a.ts](file:///w/a.ts)\n(image)\n(image: shot.png)\nplease'],
  );
});

test('an endless message is truncated and counts the omitted characters', () => {
  const { state } = play(text('x'.repeat(MESSAGE_LIMIT - 1)), text('yyy'), text('zz'));
  const [item] = state.items;
  assert.ok(item?.kind === 'agent');
  assert.equal(item.text.length, MESSAGE_LIMIT);
  assert.equal(item.cut, 4);
});

test('an update changes only the fields it contains', () => {
  const { state } = play(
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'Edit /work/a.ts',
      kind: 'edit',
      locations: [{ path: '/work/a.ts', line: 3 }],
      content: [{ type: 'diff', path: '/work/a.ts', oldText: 'a\nb\n', newText: 'a\nc\n' }],
    },
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'in_progress' },
  );
  assert.deepEqual(state.items, [
    {
      kind: 'tool',
      id: 'c',
      title: 'Edit a.ts',
      toolKind: 'edit',
      status: 'in_progress',
      diffs: [
        {
          path: '/work/a.ts',
          label: 'a.ts',
          created: false,
          added: 1,
          removed: 1,
          rows: [
            { sign: ' ', text: 'a' },
            { sign: '-', text: 'b' },
            { sign: '+', text: 'c' },
          ],
          more: 0,
        },
      ],
      terminals: [],
      output: '',
      outputCut: false,
      locations: [{ path: '/work/a.ts', label: 'a.ts', line: 3 }],
      startedAt: 1_000,
    },
  ]);
});

test('a command shows its line, its terminal and the rule that let it pass', () => {
  const { state } = play({
    sessionUpdate: 'tool_call',
    toolCallId: 'c',
    title: 'Run the tests',
    kind: 'execute',
    rawInput: { command: 'the words of the model' },
    content: [{ type: 'terminal', terminalId: 't1' }],
    _meta: {
      gatehouse: {
        command: 'npm test',
        rule: { permission: 'bash', pattern: 'npm *', action: 'allow' },
      },
    },
  });
  const [item] = state.items;
  assert.ok(item?.kind === 'tool');
  assert.deepEqual([item.command, item.terminals, item.rule], ['npm test', ['t1'], 'bash(npm *)']);
});

test('a command shows what it printed and how it ended, whether its terminal is still there or not', () => {
  const shown = (data: object) => {
    const { state } = play({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      status: 'completed',
      content: [{ type: 'terminal', terminalId: 't1' }],
      rawOutput: { type: 'output', data, metadata: { duration_ms: 1 } },
    });
    const [item] = state.items;
    assert.ok(item?.kind === 'tool');
    return [item.output, item.ended];
  };
  assert.deepEqual(shown({ output: 'a\nb\n', exit_code: 0 }), ['a\nb', 0]);
  assert.deepEqual(shown({ output: 'no such file\n', exit_code: 2 }), ['no such file', 2]);
  assert.deepEqual(shown({ head: 'much', exit_code: null, signal: 'SIGTERM' }), [
    'much',
    'SIGTERM',
  ]);
  assert.deepEqual(shown({ output: '', exit_code: null, running: [] }), ['', 'background']);
  // Results of other agents have an unknown format and are not parsed.
  assert.deepEqual(shown({ output: 'a' }), ['', undefined]);
});

test('denied and stopped calls are not shown as failed', () => {
  const status = (ended: string) => {
    const { state } = play({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      status: 'failed',
      _meta: { gatehouse: { ended } },
    });
    const [item] = state.items;
    return item?.kind === 'tool' && item.status;
  };
  assert.deepEqual(
    [status('denied'), status('aborted'), status('x')],
    ['denied', 'aborted', 'failed'],
  );
});

test('output is text with colors: no other escapes reach the page', () => {
  const { state } = play({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    status: 'failed',
    content: [
      {
        type: 'content',
        content: {
          type: 'text',
          text: '\u001B]0;title\u0007\u001B[31mred\u001B[2J\u001B[0m\u0007',
        },
      },
    ],
  });
  const [item] = state.items;
  assert.equal(item?.kind === 'tool' && item.output, '\u001B[31mred\u001B[0m');
});

test('what a session has cost is state where the agent knows it', () => {
  const { state } = play({
    ...{ sessionUpdate: 'usage_update', used: 5, size: 10 },
    cost: { amount: 0.25, currency: 'USD' },
  });
  assert.deepEqual(state.usage, { used: 5, size: 10, cost: { amount: 0.25, currency: 'USD' } });
});

test('what the provider had in its cache is a part of the usage', () => {
  const cached = { cacheRead: 3, cacheWrite: 1 };
  const update = { sessionUpdate: 'usage_update', used: 5, size: 0 } as const;
  assert.deepEqual(play({ ...update, _meta: { gatehouse: cached } }).state.usage, {
    ...{ used: 5, size: 0 },
    ...cached,
  });
});

test('PR-030: an update of a call that was never announced is shown as a new one', () => {
  const { state } = play({ sessionUpdate: 'tool_call_update', toolCallId: 'x', title: 'Odd' });
  assert.deepEqual(
    state.items.map((item) => item.kind === 'tool' && item.title),
    ['Odd'],
  );
});

test('PR-031: a call that is completed does not become pending again', () => {
  const { state } = play(
    { sessionUpdate: 'tool_call', toolCallId: 'x', title: 'Odd', status: 'completed' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'x', status: 'pending' },
    { sessionUpdate: 'tool_call_update', toolCallId: 'x', status: 'in_progress' },
  );
  assert.deepEqual(
    state.items.map((item) => item.kind === 'tool' && item.status),
    ['completed'],
  );
});

test('plan, title and usage are state, not items', () => {
  const { state } = play(
    { sessionUpdate: 'plan', entries: [{ content: 'a', status: 'pending', priority: 'medium' }] },
    { sessionUpdate: 'session_info_update', title: 'Fix it' },
    { sessionUpdate: 'usage_update', used: 5, size: 10 },
  );
  assert.deepEqual(
    [state.plan, state.title, state.usage, state.items],
    [[{ content: 'a', status: 'pending' }], 'Fix it', { used: 5, size: 10 }, []],
  );
});

test('a wait for a retry is state until the model answers, and other notices are notes', () => {
  const retry = {
    ...{ attempt: 1, maxAttempts: 4, at: 9_000, reason: 'Too many requests.' },
    kind: 'rate-limited',
  };
  const notice: SessionUpdate = {
    ...{ sessionUpdate: 'notice', severity: 'warning', title: 'The model did not answer.' },
    _meta: { gatehouse: { retry } },
  };
  assert.deepEqual(play(notice).state.retry, retry);
  assert.deepEqual(play(notice).state.items, []);
  assert.equal(play(notice, text('Hello')).state.retry, null);
  const usage: SessionUpdate = { sessionUpdate: 'usage_update', used: 1, size: 2 };
  assert.equal(play(usage).state.retry, undefined);
  const other = { ...notice, _meta: null, description: 'a\u200Bb' };
  assert.deepEqual(
    play(other).state.items.map((item) => 'text' in item && item.text),
    ['The model did not answer.\na␣U+200Bb'],
  );
});

test('calls that run at the end of a turn are marked as stopped', () => {
  const { state } = play(text('Look:'), {
    sessionUpdate: 'tool_call',
    toolCallId: 'c',
    title: 'x',
  });
  const ended = endTurn(state, true).reduce(applyChange, state);
  assert.deepEqual(
    ended.items.map((item) => item.kind === 'tool' && item.status),
    [false, 'aborted'],
  );
});

test('the commands of the agent are listed', () => {
  const availableCommands = [
    { name: 'compact', description: 'Summarize', input: { hint: 'what to keep' } },
    { name: 'review', description: '**Review**\n`a`' },
  ];
  const update = { sessionUpdate: 'available_commands_update' as const, availableCommands };
  const commands = [
    { name: 'compact', description: 'Summarize', hint: 'what to keep' },
    { name: 'review', description: 'Review a' },
  ];
  assert.deepEqual(play(update).changes, [{ type: 'set', values: { commands } }]);
});

test('a compaction is one item that says what it replaced, and ends with the turn', () => {
  const news = (status: string, more: object = {}): SessionUpdate => ({
    sessionUpdate: 'compaction_update',
    compactionId: 'c1',
    status,
    ...more,
  });
  const begun = play(text('Hi.'), news('in_progress'));
  assert.deepEqual(begun.state.items.at(-1), {
    ...{ kind: 'compaction', id: 'c1', status: 'in_progress', text: '' },
  });
  const ended = endTurn(begun.state, true).reduce(applyChange, begun.state);
  assert.equal(Object(ended.items.at(-1)).status, 'cancelled');
  const summary = [{ type: 'text', text: 'In short.' }];
  const meta = { _meta: { gatehouse: { messages: 8, auto: true } } };
  const { state } = play(news('in_progress'), news('completed', { summary, ...meta }));
  assert.deepEqual(state.items, [
    { kind: 'compaction', id: 'c1', status: 'completed', text: 'In short.', messages: 8 },
  ]);
  const grown = play(news('in_progress'), {
    sessionUpdate: 'compaction_summary_chunk',
    compactionId: 'c1',
    content: { type: 'text', text: 'In' },
  });
  assert.equal(Object(grown.state.items[0]).text, 'In');
  const failed = play(news('failed', { error: 'No model.' }));
  assert.equal(Object(failed.state.items[0]).text, 'No model.');
});

test('unknown kinds of updates change nothing', () => {
  const { changes } = play({ sessionUpdate: 'available_commands_update', availableCommands: [] });
  assert.deepEqual(changes, []);
});

function text(value: string): SessionUpdate {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: value } };
}

function play(...updates: readonly SessionUpdate[]) {
  let state: ChatState = emptyState({
    header: { model: 'm', tour: false },
    workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
    options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
  });
  const all: StateChange[] = [];
  for (const update of updates) {
    const changes = toChanges(state, update, label, 1_000);
    all.push(...changes);
    state = changes.reduce(applyChange, state);
  }
  return { state, changes: all };
}
