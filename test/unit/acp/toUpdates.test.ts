import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toUpdates } from '../../../src/acp/toUpdates.ts';
import type { Chunk } from '../../../src/base/stream/chunk.ts';
import { checkLines } from './validate.ts';

const VIEW = { terminals: true, notices: true, compaction: true, contextTokens: 1000 };
const output = { type: 'output', data: { content: 'text' }, metadata: { duration_ms: 1 } } as const;
const failed = { type: 'error', error_text: 'no such file', metadata: { duration_ms: 1 } } as const;

check('text becomes a message chunk', { type: 'text-delta', id: 'p1', delta: 'Hi' }, [
  {
    sessionUpdate: 'agent_message_chunk',
    messageId: 'p1',
    content: { type: 'text', text: 'Hi' },
  },
]);

check('reasoning becomes a thought', { type: 'reasoning-delta', id: 'p2', delta: 'Hm' }, [
  {
    sessionUpdate: 'agent_thought_chunk',
    messageId: 'p2',
    content: { type: 'text', text: 'Hm' },
  },
]);

for (const chunk of [
  { type: 'text-delta', id: 'p1', delta: '' },
  { type: 'reasoning-delta', id: 'p1', delta: '' },
  { type: 'text-start', id: 'p1' },
  { type: 'text-end', id: 'p1' },
  { type: 'start' },
  { type: 'start-step' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'stop' },
  { type: 'abort' },
  { type: 'error', errorText: 'x' },
  { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' },
] as const satisfies readonly Chunk[]) {
  check(`${chunk.type} says nothing (CS-74) ${JSON.stringify(chunk)}`, chunk, []);
}

check(
  'a call is shown as soon as its name is known',
  { type: 'tool-input-start', toolCallId: 'c', toolName: 'bash' },
  [
    {
      sessionUpdate: 'tool_call',
      toolCallId: 'c',
      title: 'bash',
      name: 'bash',
      kind: 'execute',
      status: 'pending',
    },
  ],
);

check(
  'complete arguments are sent as they are',
  {
    type: 'tool-input-available',
    toolCallId: 'c',
    toolName: 'read',
    input: { path: 'a', byte_limit: 3 },
    display: { title: 'Read a', kind: 'read', locations: [{ path: '/w/a', line: 4 }] },
  },
  [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      rawInput: { path: 'a', byte_limit: 3 },
      title: 'Read a',
      kind: 'read',
      locations: [{ path: '/w/a', line: 4 }],
    },
  ],
);

check(
  'a call that waits for the user is pending, with its diff',
  {
    type: 'tool-approval-request',
    toolCallId: 'c',
    approvalId: 'a',
    display: { content: [{ type: 'diff', path: '/w/a', newText: 'new', line: 7 }] },
  },
  [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      status: 'pending',
      content: [
        {
          type: 'diff',
          path: '/w/a',
          oldText: null,
          newText: 'new',
          _meta: { gatehouse: { line: 7 } },
        },
      ],
    },
  ],
);

check(
  'a call that a rule let through says which',
  {
    type: 'tool-progress',
    toolCallId: 'c',
    display: { layer: 'rules', rule: { permission: 'read', pattern: '**', action: 'allow' } },
  },
  [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      status: 'in_progress',
      _meta: {
        gatehouse: {
          layer: 'rules',
          rule: { permission: 'read', pattern: '**', action: 'allow' },
        },
      },
    },
  ],
);

check(
  'an output completes the call and carries the envelope',
  { type: 'tool-output-available', toolCallId: 'c', output },
  [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      content: [{ type: 'content', content: { type: 'text', text: 'text' } }],
      rawOutput: output,
      status: 'completed',
    },
  ],
);

check(
  'an error fails the call with its text in a content block (CS-67)',
  { type: 'tool-output-error', toolCallId: 'c', errorText: 'no such file', output: failed },
  [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      rawOutput: failed,
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: 'no such file' } }],
    },
  ],
);

check(
  'a denied call fails with the reason, and says which call it was and that it was denied',
  {
    type: 'tool-output-denied',
    toolCallId: 'c',
    reason: 'Not today.',
    display: { title: 'https://a.example', kind: 'fetch' },
  },
  [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      title: 'https://a.example',
      kind: 'fetch',
      _meta: { gatehouse: { ended: 'denied' } },
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: 'Not today.' } }],
    },
  ],
);

check(
  'arguments that are not JSON fail the call',
  {
    type: 'tool-input-error',
    toolCallId: 'c',
    toolName: 'read',
    input: '{"path":',
    errorText: 'The arguments are not JSON.',
  },
  [
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c',
      rawInput: '{"path":',
      status: 'failed',
      content: [
        { type: 'content', content: { type: 'text', text: 'The arguments are not JSON.' } },
      ],
    },
  ],
);

check(
  'the whole task list becomes the plan',
  {
    type: 'data-plan',
    id: 'plan',
    data: {
      items: [
        { content: 'one', status: 'completed', priority: 'high' },
        { content: 'two', status: 'pending' },
      ],
    },
  },
  [
    {
      sessionUpdate: 'plan',
      entries: [
        { content: 'one', status: 'completed', priority: 'high' },
        { content: 'two', status: 'pending', priority: 'medium' },
      ],
    },
  ],
);

test('a client that does not know our terminals gets the output as text', () => {
  const content = [{ type: 'terminal', terminalId: 't1' }] as const;
  const chunk: Chunk = {
    type: 'tool-output-available',
    toolCallId: 'c',
    output: {
      type: 'output',
      data: { output: 'ok\n', exit_code: 0 },
      metadata: { duration_ms: 1 },
    },
    display: { content },
  };
  const shown = (terminals: boolean) => {
    const [update] = toUpdates(chunk, { ...VIEW, terminals });
    return update !== undefined && 'content' in update ? update.content : undefined;
  };
  assert.deepEqual(shown(true), [{ type: 'terminal', terminalId: 't1' }]);
  assert.deepEqual(shown(false), [{ type: 'content', content: { type: 'text', text: 'ok\n' } }]);
});

function check(name: string, chunk: Chunk, expected: readonly SessionUpdate[]) {
  test(name, () => {
    const updates = toUpdates(chunk, VIEW);
    assert.deepEqual(updates, expected);
    const lines = updates.map((update) => ({
      from: 'agent' as const,
      message: { method: 'session/update', params: { sessionId: 's', update } },
    }));
    assert.deepEqual(checkLines(lines), []);
  });
}
