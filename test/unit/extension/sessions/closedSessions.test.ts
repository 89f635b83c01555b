import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClosedSessions } from '../../../../src/extension/sessions/closedSessions.ts';

test('the session closed last is reopened first, in the kind of view that it had', async () => {
  const closed = new ClosedSessions(createMemory());
  await closed.add({ id: 'a', inEditor: true });
  await closed.add({ id: 'b', inEditor: false });
  await closed.add({ id: 'a', inEditor: false });
  assert.deepEqual(await take(closed), { id: 'a', inEditor: false });
  assert.deepEqual(await take(closed), { id: 'b', inEditor: false });
  assert.equal(await take(closed), undefined);
});

test('one that is open again or was deleted is passed over, and not offered a second time', async () => {
  const closed = new ClosedSessions(createMemory());
  for (const id of ['first', 'shown', 'deleted']) await closed.add({ id, inEditor: false });
  const found = await closed.take(
    (id) => id === 'shown',
    async (id) => id !== 'deleted',
  );
  assert.deepEqual(found, { id: 'first', inEditor: false });
  assert.deepEqual(closed.all, []);
});

test('the newest twenty are kept over a reload, and what can not be read counts as none', async () => {
  const memory = createMemory();
  const closed = new ClosedSessions(memory);
  for (let at = 0; at < 25; at += 1) await closed.add({ id: `s${at}`, inEditor: false });
  const again = new ClosedSessions(memory);
  assert.deepEqual([again.all.length, again.all[0]?.id, again.all.at(-1)?.id], [20, 's24', 's5']);
  await memory.update('gatehouse.closedSessions', [{ id: 1 }, 'x', { id: 'y' }]);
  assert.deepEqual(again.all, [{ id: 'y', inEditor: false }]);
});

function take(closed: ClosedSessions) {
  return closed.take(
    () => false,
    async () => true,
  );
}

function createMemory() {
  const values = new Map<string, unknown>();
  return {
    // What was stored has whatever type its reader expects.
    get: (key: string): never => values.get(key) as never,
    update: async (key: string, value: unknown) => void values.set(key, value),
  };
}
