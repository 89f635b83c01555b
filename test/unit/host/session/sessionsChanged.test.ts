import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Connected, connect, newSession, prompt, temporary, until } from '../harness.ts';

const LISTS = { capabilities: { _meta: { gatehouse: { v: 1, sessions: true, terminal: false } } } };

interface Window extends Connected {
  /** How often it was told that sessions changed. */
  told(): number;
}

async function openWindow(t: TestContext, data: string, client: object = LISTS): Promise<Window> {
  const host = await connect(t, { data, client, script: [{ text: 'Ok.' }] });
  const told = () =>
    host.lines.filter(({ message }) => message.method === '_gatehouse/sessions_changed').length;
  return { ...host, told };
}

test('what changes in the list of sessions is told to every window', async (t) => {
  const data = await temporary(t);
  const [first, second] = [await openWindow(t, data), await openWindow(t, data)];
  // The host opens what is behind a request with the first one.
  await second.agent.request('session/list', {});
  const changes: [string, () => Promise<unknown>][] = [];
  const sessionId = await newSession(first);
  const call = (method: string, params: object) => first.agent.request(method, params);
  const file = path.join(data, 'exported.jsonl');
  changes.push(
    ['a turn', () => prompt(first, sessionId)],
    ['a new name', () => call('_gatehouse/update_session', { sessionId, title: 'Named' })],
    ['a pin', () => call('_gatehouse/update_session', { sessionId, pinned: true })],
    ['a fork', () => call('_gatehouse/fork_session', { sessionId })],
    ['an import', () => call('_gatehouse/import_session', { file })],
    ['a deletion', () => call('session/delete', { sessionId })],
  );
  await call('_gatehouse/export_session', { sessionId, format: 'jsonl', file });
  for (const [what, change] of changes) {
    const before = [first.told(), second.told()];
    await change();
    await until(() => second.told() > (before[1] ?? 0), `${what}: the other window is told`);
    await until(() => first.told() > (before[0] ?? 0), `${what}: its own window is told`);
  }
});

test('a client that lists no sessions is told nothing', async (t) => {
  const data = await temporary(t);
  const [first, second] = [await openWindow(t, data), await openWindow(t, data, {})];
  await second.agent.request('session/list', {});
  await prompt(first, await newSession(first));
  await until(() => first.told() > 0, 'the first window is told');
  assert.equal(second.told(), 0);
});
