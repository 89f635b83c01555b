import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChatSession } from '../../../../src/extension/chat/chatSession.ts';
import { hostExited } from '../../../../src/extension/chat/errorCard.ts';
import { LiveOutputs, toDelta } from '../../../../src/extension/chat/liveOutput.ts';
import type { StateChange } from '../../../../src/webview/messages/chatState.ts';
import { english } from '../english.ts';

const OPENED = { terminalId: 't', event: 'opened', title: 'x' } as const;
const print = (data: string) => ({ terminalId: 't', event: 'output', data }) as const;

function openRun() {
  const changes: StateChange[] = [];
  const session = new ChatSession({
    ...{ key: 'chat-1', label: (path: string) => path, now: () => 1_000 },
    ...{ onChange: (change: StateChange) => changes.push(change), shared: Object({}) },
  });
  const live = new LiveOutputs(() => [session]);
  live.receive(OPENED);
  session.update({
    ...{ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x', kind: 'execute' },
    ...{ status: 'in_progress', content: [{ type: 'terminal', terminalId: 't' }] },
  });
  const shown = () => session.tool('c');
  const sent = () => changes.splice(0).flatMap((each) => (each.type === 'output' ? [each] : []));
  sent();
  return { live, session, shown, sent };
}

test('a running command shows what it prints, and posts only what is new', () => {
  const { live, shown, sent } = openRun();
  live.receive(print('one\ntw'));
  live.receive(print('o\n'));
  assert.equal(shown()?.output, 'one\ntwo');
  assert.deepEqual(
    sent().map(({ drop, keep, text }) => [drop, keep, text]),
    [
      [0, 0, 'one\ntw'],
      [0, 6, 'o'],
    ],
  );
  assert.equal(shown()?.startedAt, 1_000);
});

test('a redrawn line replaces only itself', () => {
  const { live, shown, sent } = openRun();
  live.receive(print('start\n10 %'));
  live.receive(print('\r20 %'));
  assert.equal(shown()?.output, 'start\n20 %');
  assert.deepEqual(sent().at(-1)?.text, '20 %');
});

test('a long output shows its end, and posts little of it', () => {
  const { live, shown, sent } = openRun();
  for (let at = 0; at < 2_000; at += 1) live.receive(print(`this is line ${at}\n`));
  const item = shown();
  assert.match(item?.output ?? '', /^this is line \d+\n(?:.*\n)*this is line 1999$/);
  assert.equal(item?.outputCut, true);
  assert.ok((item?.output.length ?? 0) <= 4_000);
  assert.ok(sent().every(({ text }) => text.length < 40));
});

test('what a command printed until it was stopped stays', () => {
  const { live, session, shown } = openRun();
  live.receive(print('half\n'));
  session.update({
    ...{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed' },
    content: [
      { type: 'terminal', terminalId: 't' },
      { type: 'content', content: { type: 'text', text: 'Cancelled.' } },
    ],
    _meta: { gatehouse: { ended: 'aborted' } },
  });
  assert.deepEqual([shown()?.status, shown()?.output], ['aborted', 'half']);
  live.receive(print('more\n'));
  assert.equal(shown()?.output, 'half');
});

test('what a command printed until the host died stays', () => {
  const { live, session, shown } = openRun();
  live.receive(print('half\n'));
  const exit = { code: 1, signal: null, stderrTail: '', restartIn: undefined };
  session.fail((id) => hostExited(exit, true, id, english));
  assert.deepEqual([shown()?.status, shown()?.output], ['aborted', 'half']);
  // A new host may use the id again, for a command of another call.
  live.receive(OPENED);
  live.receive(print('of another\n'));
  assert.equal(shown()?.output, 'half');
});

test('a command in the background goes on printing, and shows how it ended', () => {
  const { live, session, shown } = openRun();
  live.receive(print('ready\n'));
  const data = { output: 'ready\n', exit_code: null, running: [] };
  session.update({
    ...{ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' },
    rawOutput: { type: 'output', data, metadata: { duration_ms: 1 } },
  });
  live.receive(print('request\n'));
  assert.deepEqual([shown()?.output, shown()?.ended], ['ready\nrequest', 'background']);
  live.receive({ terminalId: 't', event: 'closed', exitCode: 3 });
  assert.equal(shown()?.ended, 3);
});

test('a delta makes the next text of the shown one', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 });
  fc.assert(
    fc.property(text, text, text, (gone, common, added) => {
      const [shown, next] = [gone + common, common + added];
      const { drop, keep, text: end } = toDelta(shown, next);
      assert.equal(shown.slice(drop, drop + keep) + end, next);
    }),
  );
});
