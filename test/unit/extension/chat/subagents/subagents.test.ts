import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Emitter } from '../../../../../src/base/event.ts';
import { ChatSession } from '../../../../../src/extension/chat/chatSession.ts';
import type { SessionChange } from '../../../../../src/extension/chat/message.ts';
import { Subagents } from '../../../../../src/extension/chat/subagents/subagents.ts';
import { until } from '../../../../workbench/processes.ts';
import { english } from '../../english.ts';
import { FakeClock } from '../../fakeClock.ts';

const SHARED = {
  header: { model: 'm', tour: false },
  workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
  options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
} as const;

const call = (toolCallId: string, subagent?: string) => ({
  ...{ sessionUpdate: 'tool_call' as const, toolCallId, title: toolCallId },
  ...(subagent !== undefined && { _meta: { gatehouse: { v: 1, subagent } } }),
});

/** A session with a card of the subagent `ses_a`, whose host has the updates of `stored` and takes its time. */
function open(stored: Record<string, object[] | Error>, took = 0) {
  const changed = new Emitter<SessionChange>();
  const clock = new FakeClock();
  const asked: string[] = [];
  const session: ChatSession = new ChatSession({
    ...{ key: 'one', shared: SHARED, label: (path: string) => path },
    onChange: (change) => changed.fire({ session, change }),
  });
  session.watch();
  const history = async (_method: string, { sessionId }: { sessionId: string }) => {
    asked.push(sessionId);
    clock.tick(took);
    const updates = stored[sessionId] ?? [];
    if (updates instanceof Error) throw updates;
    return { updates };
  };
  const subagents = new Subagents({
    ...{ chats: { onDidChange: changed.event }, clock, t: english, label: (path) => path },
    link: { connection: async () => ({ call: history }) as never },
  });
  session.update(call('task', 'ses_a'));
  const loaded = (id: string) => session.state.subagents?.[id];
  /** Lets what was asked for arrive, and the pause after it pass. */
  const settle = async () => {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    clock.tick(1000);
    await new Promise(setImmediate);
  };
  return { session, subagents, asked, loaded, settle, clock };
}

test('a subagent is read when its card is opened, and again whenever its card changes', async () => {
  const stored: Record<string, object[]> = { ses_a: [call('one')] };
  const { session, subagents, asked, loaded, settle } = open(stored);
  await settle();
  assert.deepEqual(asked, [], 'nothing is read before');
  subagents.show(session, 'ses_a');
  await until('the rows', async () => loaded('ses_a'));
  assert.deepEqual(
    loaded('ses_a')?.items.map(({ id }) => id),
    ['ses_a/one'],
    'a call has the id that it has where the user is asked about it',
  );
  stored['ses_a'] = [call('one'), call('two')];
  for (let at = 0; at < 10; at += 1) session.update(call('task'));
  await settle();
  await settle();
  assert.equal(loaded('ses_a')?.items.length, 2);
  assert.equal(asked.length, 2, 'changes that come together are read once');
});

test("a subagent's own subagent is read when its card is opened, and goes on with it", async () => {
  const stored: Record<string, object[]> = {
    ses_a: [call('inner', 'ses_b')],
    ses_b: [call('deep')],
  };
  const { session, subagents, asked, loaded, settle } = open(stored);
  subagents.show(session, 'ses_b');
  await settle();
  assert.deepEqual(asked, [], 'no card that is shown names it');
  subagents.show(session, 'ses_a');
  await settle();
  subagents.show(session, 'ses_b');
  await settle();
  assert.equal(loaded('ses_b')?.items[0]?.id, 'ses_b/deep');
  stored['ses_b'] = [call('deep'), call('deeper')];
  session.update(call('task'));
  await settle();
  assert.equal(loaded('ses_b')?.items.length, 2);
});

test('a page reads no other session than those of the cards', async () => {
  const { session, subagents, asked, settle } = open({ ses_x: [call('secret')] });
  subagents.show(session, 'ses_x');
  await settle();
  assert.deepEqual(asked, []);
});

test('a subagent that cannot be read says why, and keeps what was shown', async () => {
  const stored: Record<string, object[] | Error> = { ses_a: [call('one')] };
  const { session, subagents, loaded, settle } = open(stored);
  subagents.show(session, 'ses_a');
  await settle();
  stored['ses_a'] = new Error('The history is locked.');
  session.update(call('task'));
  await settle();
  assert.equal(loaded('ses_a')?.items.length, 1);
  assert.match(loaded('ses_a')?.fault ?? '', /The history is locked/);
});

test('only the end of a long subagent is shown, with the number of what is left out', async () => {
  const { session, subagents, loaded, settle } = open({
    ses_a: Array.from({ length: 230 }, (_, at) => call(`c${at}`)),
  });
  subagents.show(session, 'ses_a');
  await settle();
  assert.deepEqual([loaded('ses_a')?.items.length, loaded('ses_a')?.left], [200, 30]);
});

test('what was loaded of subagents stays when the session is loaded again, and is read anew', async () => {
  const { session, subagents, asked, loaded, settle } = open({ ses_a: [call('one')] });
  subagents.show(session, 'ses_a');
  await settle();
  session.beginLoad();
  session.update(call('task', 'ses_a'));
  session.endLoad(true);
  assert.equal(loaded('ses_a')?.items.length, 1);
  await settle();
  assert.equal(asked.length, 2);
});

test('a subagent that takes long to read is read less often', async () => {
  const { session, subagents, asked, settle, clock } = open({ ses_a: [call('one')] }, 2000);
  subagents.show(session, 'ses_a');
  await settle();
  session.update(call('task'));
  await settle();
  assert.equal(asked.length, 1, 'after a second or two');
  clock.tick(8000);
  await settle();
  assert.equal(asked.length, 2, 'after four times as long');
});
