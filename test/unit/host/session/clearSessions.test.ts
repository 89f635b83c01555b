import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ClearResult, parseClearResult } from '../../../../src/acp/gatehouse/sessionList.ts';
import { createClient } from '../../../../src/host/client/client.ts';
import { openHostServices } from '../../../../src/host/services/hostServices.ts';
import { Sessions } from '../../../../src/host/session/sessions.ts';
import {
  applyRetention,
  keepRetention,
  selectOld,
} from '../../../../src/host/session/stored/retention.ts';
import { clearSessions, planClear } from '../../../../src/recorder/library/clearSessions.ts';
import { createManualClock } from '../../../tour/manualClock.ts';
import { type Connected, connect, newSession, prompt, temporary, until } from '../harness.ts';

const BASH = { tool: 'bash', input: { command: 'touch made' } };
const DAY = 24 * 3600 * 1000;

async function clear(host: Connected, query: object = {}): Promise<ClearResult> {
  return parseClearResult(await host.agent.request('_gatehouse/clear_sessions', query));
}

async function list(host: Connected): Promise<readonly string[]> {
  const { sessions } = await host.agent.request('session/list', { cwd: host.workspace });
  return sessions.map(({ sessionId }) => sessionId);
}

test('all sessions are deleted with their logs; what is pinned, runs or waits stays, and so do files', async (t) => {
  let asks = 0;
  const host = await connect(t, {
    script: [{ calls: [BASH] }, { text: 'Done.' }, { text: 'Hello.' }, { calls: [BASH] }],
    client: {
      permission: () => {
        asks += 1;
        return asks === 1
          ? { outcome: { outcome: 'selected', optionId: 'allow' } }
          : Promise.withResolvers<never>().promise;
      },
    },
  });
  const [done, pinned, waiting] = [
    await newSession(host),
    await newSession(host),
    await newSession(host),
  ];
  await prompt(host, done, 'touch it');
  await prompt(host, pinned, 'hello');
  await host.agent.request('_gatehouse/update_session', { sessionId: pinned, pinned: true });
  const turn = prompt(host, waiting, 'touch it').catch(() => undefined);
  await until(() => asks === 2, 'a session waits for the user');
  const logs = path.join(host.data, 'state', 'decisions');
  await until(() => existsSync(path.join(logs, `${done}.jsonl`)), 'its decisions are logged');
  const preview = await clear(host, { cwds: [host.workspace], preview: true });
  assert.deepEqual([preview.sessions, preview.pinned, preview.waiting], [1, 1, 1]);
  assert.ok(preview.bytes > 0);
  assert.equal((await list(host)).length, 3, 'a preview deletes nothing');
  assert.equal((await clear(host, { cwds: ['/elsewhere'] })).sessions, 0);
  const { bytes: _, ...cleared } = await clear(host, { cwds: [host.workspace] });
  assert.deepEqual(cleared, { sessions: 1, open: [done], pinned: 1, waiting: 1 });
  assert.deepEqual(new Set(await list(host)), new Set([pinned, waiting]));
  assert.equal(existsSync(path.join(host.workspace, 'made')), true, 'files stay');
  assert.equal(existsSync(path.join(logs, `${done}.jsonl`)), false);
  await host.stop();
  await turn;
});

test('another window lists what is left, and its open chat of a deleted session says so', async (t) => {
  const data = await temporary(t);
  const workspace = await temporary(t);
  const capabilities = { _meta: { gatehouse: { v: 1, sessions: true, terminal: false } } };
  const [first, second] = [
    await connect(t, { data, workspace, client: { capabilities } }),
    await connect(t, { data, workspace, client: { capabilities } }),
  ];
  const sessionId = await newSession(second);
  await prompt(second, sessionId, 'hello');
  const changes = () =>
    second.lines.filter(({ message }) => message.method === '_gatehouse/sessions_changed').length;
  const before = changes();
  assert.equal((await clear(first)).sessions, 1);
  await until(() => changes() > before, 'the other window is told');
  await until(
    () => JSON.stringify(second.updates).includes('It was deleted in another window'),
    'its chat says so',
  );
  assert.deepEqual(await list(second), []);
});

/** A host of which a test has the parts. */
async function openBed(t: TestContext, settings: object) {
  const data = await temporary(t);
  writeFileSync(path.join(data, 'settings.json'), JSON.stringify(settings));
  return openOwn(t, data);
}

function openOwn(t: TestContext, data: string) {
  const file = path.join(data, 'settings.json');
  const env = { GATEHOUSE_DATA: data, GATEHOUSE_CONFIG: file };
  const silent = () => Promise.reject(new Error('There is no client.'));
  const client = createClient({ request: silent, notify: silent }, { protocolVersion: 1 });
  const warnings: string[] = [];
  const services = openHostServices({ client, env, warn: (text) => warnings.push(text) });
  t.after(() => services.dispose());
  const host = { services, sessions: new Sessions(services) };
  const add = () => services.recorder.createSession({ agent: 'gatehouse', cwd: data }).id;
  const left = () =>
    services.recorder.listSessions({ limit: 99, archived: true }).sessions.map(({ id }) => id);
  return { host, data, add, left, recorder: services.recorder, warnings };
}

test('sessions.keepDays deletes what was not used for so long, but nothing pinned, open or waiting', async (t) => {
  const { host, data, add, left, recorder } = await openBed(t, {
    'gatehouse.sessions.keepDays': 30,
  });
  const [, pinned, written] = [add(), add(), add()];
  recorder.setPinned(pinned, true);
  assert.ok(recorder.openTurn(written).ok);
  const { sessionId } = await host.sessions.create({ cwd: data, mcpServers: [] });
  const now = Date.now();
  assert.equal(await applyRetention(host, now + 29 * DAY), 0);
  assert.equal(await applyRetention(host, now + 31 * DAY), 1);
  assert.deepEqual(new Set(left()), new Set([pinned, written, sessionId]));
});

test('retention leaves what another window has open, created or loaded, until that window ends', async (t) => {
  const first = await openBed(t, { 'gatehouse.sessions.keepDays': 30 });
  const { data, recorder, left } = first;
  const other = openOwn(t, data);
  const stored = first.add();
  const { sessionId } = await other.host.sessions.create({ cwd: data, mcpServers: [] });
  await other.host.sessions.resume({ sessionId: stored, cwd: data });
  const now = Date.now() + 31 * DAY;
  assert.equal(await applyRetention(first.host, now), 0);
  assert.deepEqual(new Set(left()), new Set([stored, sessionId]));
  const set = `json_set(metadata_json, '$.shown', json('{"host":"1.1.1","at":0}'))`;
  recorder.store.database.run(`UPDATE chat_sessions SET metadata_json = ${set}`);
  assert.equal(await applyRetention(first.host, now), 2, 'a host that has ended shows nothing');
});

test('a session that was unarchived since the plan stays', async (t) => {
  const { recorder, add, left } = await openBed(t, {});
  const id = add();
  recorder.setArchived(id, true);
  const plan = await planClear(recorder.store, {});
  recorder.setArchived(id, false);
  assert.equal(await clearSessions(recorder.store, plan), 0);
  assert.deepEqual(left(), [id]);
});

test('a session whose row is damaged is neither too old nor unpinned', async (t) => {
  const limits = { 'gatehouse.sessions.keepDays': 1, 'gatehouse.sessions.keepNewest': 1 };
  const { host, recorder, add, left } = await openBed(t, limits);
  const [timeless, pinned] = [add(), add(), add()];
  const { database } = recorder.store;
  recorder.setPinned(pinned, true);
  database.run("UPDATE chat_sessions SET updated_at = 'x' WHERE id = ?", timeless);
  database.run("UPDATE chat_sessions SET metadata_json = '{\"pin' WHERE id = ?", pinned);
  assert.equal(await applyRetention(host, Date.now() + 31 * DAY), 1);
  assert.deepEqual(new Set(left()), new Set([timeless, pinned]));
});

test('without a setting, and by settings of a workspace, no session is deleted', async (t) => {
  const { host, data, add, left } = await openBed(t, {});
  add();
  const folder = path.join(data, '.vscode');
  mkdirSync(folder);
  const file = path.join(folder, 'settings.json');
  writeFileSync(file, '{ "gatehouse.sessions.keepDays": 1, "gatehouse.sessions.keepNewest": 1 }');
  const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
  host.services.acceptances.accept(file, hash, true);
  assert.equal(host.services.configuration.current(data).settings.retention.keepDays, 0);
  assert.equal(await applyRetention(host, Date.now() + 9_999 * DAY), 0);
  assert.equal(left().length, 1);
});

test('each limit is applied by itself: to age, to archived sessions, and to the number', () => {
  const now = 1_000 * DAY;
  const at = (days: number) => now - days * DAY;
  const sessions = [
    { id: 'new', updatedAt: at(1) },
    { id: 'old', updatedAt: at(40) },
    { id: 'archived', updatedAt: at(3), archivedAt: at(2) },
    { id: 'archived long ago', updatedAt: at(20), archivedAt: at(10) },
    { id: 'used since', updatedAt: at(2), archivedAt: at(90) },
  ];
  const none = { keepDays: 0, keepArchivedDays: 0, keepNewest: 0 };
  const select = (limits: Partial<typeof none>) =>
    selectOld(sessions, { ...none, ...limits }, now).map(({ id }) => id);
  assert.deepEqual(select({}), []);
  assert.deepEqual(select({ keepDays: 30 }), ['old']);
  assert.deepEqual(select({ keepArchivedDays: 7 }), ['archived long ago']);
  assert.deepEqual(select({ keepNewest: 3 }), ['archived long ago', 'old']);
  assert.deepEqual(select({ keepNewest: 4, keepArchivedDays: 1 }), [
    'used since',
    'archived',
    'archived long ago',
    'old',
  ]);
});

test('a host looks a minute after its start, and every six hours from then on', async (t) => {
  const { host, add, left, warnings } = await openBed(t, { 'gatehouse.sessions.keepNewest': 1 });
  const clock = createManualClock(Date.now());
  const watching = keepRetention(host, clock);
  for (const wait of [60_000, 6 * 3600 * 1000]) {
    add();
    add();
    await clock.whenWaiting(wait);
    assert.ok(left().length > 1);
    clock.advance(wait);
    await until(() => left().length === 1, 'the older ones are gone');
  }
  await clock.whenWaiting(6 * 3600 * 1000);
  watching.dispose();
  assert.deepEqual([clock.waiting, warnings], [[], []]);
});

test('the logs of a deleted session are gone, and those of others stay', async (t) => {
  const host = await connect(t, { script: [{ calls: [BASH] }, { text: 'Done.' }], client: {} });
  const [sessionId, other] = [await newSession(host), await newSession(host)];
  await prompt(host, sessionId);
  await prompt(host, other);
  const logs = path.join(host.data, 'state', 'decisions');
  const names = () => readdirSync(logs).filter((name) => name.startsWith('ses_'));
  await until(() => existsSync(logs) && names().length === 1, 'a decision is logged');
  writeFileSync(path.join(logs, `${sessionId}.jsonl.1`), '');
  writeFileSync(path.join(logs, `${other}.jsonl`), '');
  await host.agent.request('session/delete', { sessionId });
  assert.deepEqual(names(), [`${other}.jsonl`]);
});
