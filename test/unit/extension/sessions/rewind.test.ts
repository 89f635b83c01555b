import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HistoryUpdate } from '../../../../src/acp/gatehouse/history.ts';
import { ChatSession } from '../../../../src/extension/chat/chatSession.ts';
import type { Message } from '../../../../src/extension/chat/message.ts';
import {
  editMessage,
  forkMessage,
  type RewindParts,
  undoRewind,
} from '../../../../src/extension/sessions/rewind.ts';
import { english } from '../english.ts';

const IMAGE = { type: 'image', data: 'aGk=', mimeType: 'image/png' };

function said(kind: 'user' | 'agent', messageId: string, text: string): HistoryUpdate {
  const content = { type: 'text', text };
  return { sessionUpdate: `${kind}_message_chunk`, messageId, content };
}

/** Three turns. The host sends two messages on a page. */
const PAGES = [
  [said('user', 'msg_3', 'three'), said('agent', 'msg_3a', 'Three.')],
  [said('user', 'msg_2', 'two'), said('agent', 'msg_2a', 'Two.')],
  [said('user', 'msg_1', 'one'), said('agent', 'msg_1a', 'One.')],
];

function open(files: readonly string[] = []) {
  const calls: unknown[] = [];
  const returned: [ChatSession, Message][] = [];
  const rewound = { text: 'two', attachments: [IMAGE], hidden: 4, files, notice: '' };
  const call = async (name: string, params: Record<string, unknown>) => {
    if (name === 'history') {
      const at = Number(params['before'] ?? 0);
      return { updates: PAGES[at], ...(at < 2 && { before: String(at + 1) }) };
    }
    calls.push([name, params]);
    return { rewind: rewound, unrewind: { restored: 4 }, forkSession: { sessionId: 'ses_2' } }[
      name
    ];
  };
  const parts: RewindParts = {
    link: { connection: async () => ({ call }) as never },
    chats: {
      load: async (session) => {
        calls.push(['load', session.id, session.stale]);
        session.stale = false;
      },
      putBack: (session, message) => returned.push([session, message]),
    },
    t: english,
  };
  const session = createSession();
  session.id = 'ses_1';
  for (const text of ['one', 'two', 'three']) {
    session.begin({ text, attached: [] });
    session.sent();
    session.finish('end_turn', english);
  }
  const item = (text: string) =>
    session.state.items.find((each) => 'text' in each && each.text === text)?.id ?? '';
  return { parts, session, calls, returned, item };
}

function createSession(): ChatSession {
  return new ChatSession({
    key: 'chat-1',
    shared: {
      header: { model: 'm', tour: false },
      workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
      options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
    },
    label: (path) => path,
    onChange: () => undefined,
  });
}

test('a message that was sent here is found in the history, and what it had comes into the composer', async () => {
  const { parts, session, calls, returned, item } = open(['/work/a.ts']);
  await editMessage(parts, session, item('two'));
  assert.deepEqual(calls, [
    ['rewind', { sessionId: 'ses_1', messageId: 'msg_2' }],
    ['load', 'ses_1', true],
  ]);
  const [[shown, message] = []] = returned;
  assert.equal(shown, session);
  assert.equal(message?.text, 'two');
  assert.deepEqual(
    message?.attached.map(({ chip, content }) => [chip.kind, content.type]),
    [['image', 'image']],
  );
  const note = session.state.items.at(-1);
  assert.equal(note?.kind === 'note' && note.command, 'undoRewind');
  assert.match(note?.kind === 'note' ? note.text : '', /stay as they are: 1\.$/);
});

test('the undo is offered until the next message is sent, and drops its note', async () => {
  const { parts, session, calls, item } = open();
  await editMessage(parts, session, item('two'));
  await undoRewind(parts, session);
  assert.deepEqual(calls.at(-2), ['unrewind', { sessionId: 'ses_1' }]);
  assert.ok(session.state.items.every(({ kind }) => kind !== 'note'));

  await editMessage(parts, session, item('two'));
  session.begin({ text: 'two again', attached: [] });
  const notes = session.state.items.filter((each) => each.kind === 'note');
  assert.deepEqual(
    notes.map(({ command }) => command),
    [undefined],
  );
});

test('a fork has what is before the message, which is in the composer of the fork', async () => {
  const { parts, session, calls, returned, item } = open();
  const fork = createSession();
  const opened: string[] = [];
  await forkMessage(parts, session, item('three'), async (id) => {
    opened.push(id);
    return fork;
  });
  assert.deepEqual(calls, [
    ['forkSession', { sessionId: 'ses_1', messageId: 'msg_3' }],
    ['rewind', { sessionId: 'ses_2' }],
  ]);
  assert.deepEqual(opened, ['ses_2']);
  assert.equal(returned[0]?.[0], fork);
});

test('a message that the host does not have, or one of a running turn, changes nothing', async () => {
  const { parts, session, calls, item } = open();
  session.begin({ text: 'never stored', attached: [] });
  await assert.rejects(editMessage(parts, session, item('two')), /A turn is running/);
  session.finish('end_turn', english);
  const unstored = item('never stored');
  await assert.rejects(editMessage(parts, session, unstored), /did not store this message/);
  await assert.rejects(editMessage(parts, session, 'gone'), /no longer in the session/);
  assert.deepEqual(calls, []);
});
