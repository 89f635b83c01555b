import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListSessionsRequest } from '@agentclientprotocol/sdk';
import {
  hasSession,
  listSessionIds,
  pickSession,
} from '../../../../src/extension/chat/sessionPick.ts';
import { english } from '../english.ts';

test('sessions are offered newest first, and one without a title still has a name', async () => {
  let offered: readonly { label: string; detail?: string }[] = [];
  const showQuickPick = async (items: never) => {
    offered = items;
    return offered[1];
  };
  const sessions = [
    { sessionId: 'a', title: null, updatedAt: '2026-01-01T00:00:00Z', cwd: '/$(trash)' },
    { sessionId: 'b', title: 'New $(trash)', updatedAt: '2026-02-01T00:00:00Z', cwd: '/b' },
  ];
  assert.equal(await pickSession({ showQuickPick } as never, sessions, 0, english), 'a');
  assert.deepEqual(
    offered.map(({ label }) => label),
    ['New $\u200b(trash)', 'Untitled session'],
    'an icon reads as it is written',
  );
  assert.equal(offered[1]?.detail, '/$\u200b(trash)');
});

test('a session is looked for on every page of the list, and all pages are listed', async () => {
  const pages = [['a'], ['b']];
  const host = {
    listSessions: async ({ cursor, _meta }: ListSessionsRequest) => {
      assert.deepEqual(_meta, { gatehouse: { archived: true } });
      const sessions = (pages[Number(cursor ?? 0)] ?? []).map((sessionId) => ({
        ...{ sessionId, cwd: '/' },
      }));
      return { sessions, ...(cursor == null && { nextCursor: '1' }) };
    },
  };
  assert.deepEqual([await hasSession(host, 'b'), await hasSession(host, 'c')], [true, false]);
  assert.deepEqual([...(await listSessionIds(host))], ['a', 'b']);
});
