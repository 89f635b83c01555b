import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListSessionsRequest, SessionInfo } from '@agentclientprotocol/sdk';
import { SessionList } from '../../../../src/extension/sessions/sessionList.ts';

/** A host with sessions named by their time, two on a page. Those with a star are pinned. */
function createHost(folders: Readonly<Record<string, readonly string[]>>) {
  const asked: ListSessionsRequest[] = [];
  const list = async (request: ListSessionsRequest) => {
    asked.push(request);
    const all = folders[request.cwd ?? ''] ?? [];
    const from = Number(request.cursor ?? 0);
    const sessions = all.slice(from, from + 2).map((name) => toInfo(name, request.cwd ?? ''));
    return { sessions, ...(all.length > from + 2 && { nextCursor: String(from + 2) }) };
  };
  return { list, asked };
}

function toInfo(name: string, cwd: string): SessionInfo {
  const minutes = Number.parseInt(name, 10);
  const gatehouse = {
    ...{ v: 1, state: 'idle', pinned: name.endsWith('*'), archived: false },
    updatedAt: minutes * 60_000,
  };
  const updatedAt = new Date(minutes * 60_000).toISOString();
  return { sessionId: name, cwd, updatedAt, _meta: { gatehouse } };
}

function ids(list: SessionList): readonly string[] {
  return list.sessions.map(({ sessionId }) => sessionId).toSorted(byTime);
}

function byTime(a: string, b: string): number {
  return Number.parseInt(b, 10) - Number.parseInt(a, 10);
}

test('more pages add older sessions below those that are listed, also of several folders', async () => {
  const host = createHost({ '/a': ['90', '80', '70', '20'], '/b': ['60', '50', '40'] });
  const list = await SessionList.load(host, ['/a', '/b', '/a']);
  assert.equal(host.asked.length, 2);
  const shown: (readonly string[])[] = [ids(list)];
  while (list.hasMore) {
    await list.loadMore();
    shown.push(ids(list));
  }
  for (const [at, after] of shown.entries()) {
    const before = shown[at - 1] ?? [];
    assert.deepEqual(after.slice(0, before.length), before);
  }
  assert.deepEqual(shown.at(-1), ['90', '80', '70', '60', '50', '40', '20']);
  assert.deepEqual(shown[0], ['90', '80']);
});

test('pinned sessions are listed at once, whatever their time', async () => {
  const host = createHost({ '/a': ['10*', '90', '80', '70'], '/b': ['60', '50', '40'] });
  const list = await SessionList.load(host, ['/a', '/b']);
  assert.deepEqual(ids(list), ['90', '10*']);
});

test('a list that is read again has as many sessions as before', async () => {
  const host = createHost({ '/a': ['9', '8', '7', '6', '5', '4', '3'] });
  const list = await SessionList.load(host, ['/a'], 5);
  assert.deepEqual(ids(list), ['9', '8', '7', '6', '5', '4']);
  assert.equal(list.hasMore, true);
});

test('a host that sends the same page again is not asked for ever', async () => {
  let asked = 0;
  const list = await SessionList.load(
    {
      list: async () => {
        asked += 1;
        return { sessions: [toInfo('1', '/a')], nextCursor: 'same' };
      },
    },
    ['/a'],
    100,
  );
  assert.equal(list.hasMore, false);
  assert.equal(asked, 2);
});
