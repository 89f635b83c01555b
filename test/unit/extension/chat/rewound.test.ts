import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatSession } from '../../../../src/extension/chat/chatSession.ts';
import { Histories } from '../../../../src/extension/chat/histories.ts';
import type { AcpConnection } from '../../../../src/extension/host/connection.ts';

const PARTS = {
  folders: () => ({ cwd: '/work', additionalDirectories: [] }),
  t: (text: string) => text,
  log: () => undefined,
};

function open(meta: object) {
  const session = new ChatSession({
    key: 'chat-1',
    shared: {
      header: { model: 'm', tour: false },
      workspace: { trusted: true, folder: true, brokenRules: 0, waitingRules: 0 },
      options: { sendKey: 'enter', expandTools: 'failed', answerInChat: true },
    },
    label: (path) => path,
    onChange: () => undefined,
  });
  const reply = { _meta: { gatehouse: meta } };
  const connection: Partial<AcpConnection> = { loadSession: async () => reply };
  const histories = new Histories(PARTS);
  const load = () => histories.load(connection as AcpConnection, session, 'ses_1');
  const undos = () =>
    session.state.items.filter((each) => each.kind === 'note' && each.command === 'undoRewind');
  return { session, load, undos };
}

test('a session that was rewound offers the undo after a reload, once', async () => {
  const { session, load, undos } = open({ rewound: true });
  await load();
  assert.equal(undos().length, 1);
  await load();
  assert.equal(undos().length, 1);
  session.begin({ text: 'something new', attached: [] });
  assert.equal(undos().length, 0);
});

test('a session without a rewind offers none', async () => {
  const { load, undos } = open({});
  await load();
  assert.deepEqual(undos(), []);
});
