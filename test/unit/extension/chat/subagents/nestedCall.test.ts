import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatSession } from '../../../../../src/extension/chat/chatSession.ts';
import { findNestedCall } from '../../../../../src/extension/chat/subagents/nestedCall.ts';
import { keepDiffs } from '../../../../../src/extension/chat/subagents/readSubagent.ts';
import type { ChatItem } from '../../../../../src/webview/messages/chatState.ts';
import type { SubagentStates } from '../../../../../src/webview/messages/subagents.ts';
import { toolItem } from '../../../../browser/chatState.ts';

const SHARED = {
  header: { model: 'm', tour: false },
  workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
  options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
} as const;

/** A session that has loaded what some subagents did. */
function open(subagents?: SubagentStates): ChatSession {
  const session = new ChatSession({
    ...{ key: 'one', shared: SHARED, label: (path: string) => path },
    onChange: () => undefined,
  });
  if (subagents !== undefined) session.set({ subagents });
  return session;
}

const shown = (...items: readonly ChatItem[]) => ({ items, left: 0 });

test('the call of a subagent is found by the id of its card, with its own session and id', () => {
  const edit = toolItem('ses_b/call/1');
  const session = open({
    ses_a: shown(toolItem('ses_a/call')),
    ses_b: shown({ kind: 'agent', id: 'ses_b/text', text: 'Hi', done: true }, edit),
  });
  assert.deepEqual(findNestedCall(session, 'ses_b/call/1'), {
    item: edit,
    call: { sessionId: 'ses_b', toolCallId: 'call/1' },
  });
});

test('a message of a subagent, a call of the session and an unknown id are no nested calls', () => {
  const session = open({
    ses_a: shown({ kind: 'agent', id: 'ses_a/text', text: 'Hi', done: true }),
  });
  for (const id of ['ses_a/text', 'task', 'ses_a/other', '']) {
    assert.equal(findNestedCall(session, id), undefined, id);
  }
  assert.equal(findNestedCall(open(), 'ses_a/call'), undefined, 'nothing is loaded');
});

const CALL = { sessionId: 'ses_a', toolCallId: 'edit' };
const DIFF = { type: 'diff', path: '/w/a.ts', oldText: 'a', newText: 'b' } as const;

test('only the changes of the call that is shown are kept, under its own session', async () => {
  const asked: unknown[] = [];
  const kept: unknown[] = [];
  const updates = [
    { sessionUpdate: 'tool_call', toolCallId: 'edit', title: 'Edit' },
    { sessionUpdate: 'tool_call', toolCallId: 'other', content: [DIFF] },
    { sessionUpdate: 'agent_message_chunk', toolCallId: 'edit', content: [DIFF] },
    { sessionUpdate: 'tool_call_update', toolCallId: 'edit', content: [DIFF] },
  ];
  const connection = {
    call: async (...query: readonly unknown[]) => {
      asked.push(query);
      return { updates };
    },
  };
  await keepDiffs(connection as never, CALL, {
    keep: (call, content) => void kept.push([call, content]),
  });
  assert.deepEqual(asked, [['history', { sessionId: 'ses_a', limit: 100 }]]);
  assert.deepEqual(kept, [
    [CALL, []],
    [CALL, [DIFF]],
  ]);
});

test('a history that can not be read rejects with the reason, and keeps nothing', async () => {
  const connection = { call: () => Promise.reject(new Error('The history is locked.')) };
  const kept: unknown[] = [];
  const keep = (...each: readonly unknown[]) => void kept.push(each);
  await assert.rejects(keepDiffs(connection as never, CALL, { keep }), /The history is locked/);
  assert.deepEqual(kept, []);
});
