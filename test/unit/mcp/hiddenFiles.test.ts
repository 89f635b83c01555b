import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../workbench/processes.ts';
import { calls, prompt, temporary } from '../host/harness.ts';
import { findServer, listServers, openHost, startSession, stdio } from './servers.ts';

const DENY = { permission: 'read', pattern: '**/*.key', action: 'deny' };

/** The real file server from npm, and a model that has it read these files, one in each turn. */
async function open(t: TestContext, files: readonly string[]) {
  const [workspace, state] = [await temporary(t), await temporary(t)];
  const toFile = (name: string) => path.resolve(workspace, name);
  const write = (name: string, content: string) => {
    mkdirSync(path.dirname(toFile(name)), { recursive: true });
    writeFileSync(toFile(name), content);
  };
  const host = await openHost(t, {
    ...{ workspace, data: state, settings: { 'gatehouse.permissions': [DENY] } },
    script: files.flatMap((name) => [
      { calls: [{ tool: 'files_read_text_file', input: { path: toFile(name) } }] },
      { text: 'Done.' },
    ]),
  });
  const whenReady = (sessionId: string) =>
    until('the server', async () => {
      const { tools } = await listServers(host, sessionId);
      return tools.length > 1 && tools.every(({ state }) => state === 'offered');
    });
  return {
    ...{ toFile, write, whenReady },
    start: () => startSession(host, [stdio('files', findServer('filesystem'), workspace)]),
    /** What the model learns from its next call. */
    async read(sessionId: string): Promise<string> {
      const before = calls(host).length;
      await prompt(host, sessionId);
      return JSON.stringify(calls(host).slice(before));
    },
    setRules(next: readonly object[]) {
      const file = path.join(state, 'settings.json');
      const settings = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, JSON.stringify({ ...settings, 'gatehouse.permissions': next }));
    },
  };
}

test('a confined MCP server reads no file that a rule denies or asks about', async (t) => {
  const { write, start, read } = await open(t, ['deep/.env', 'deep/a.key', 'deep/notes']);
  write('deep/.env', 'TOKEN=sEcReT');
  write('deep/a.key', 'sEcReT');
  write('deep/notes', 'open to all');
  const id = await start();
  for (const name of ['deep/.env', 'deep/a.key']) {
    assert.doesNotMatch(await read(id), /sEcReT/, name);
  }
  assert.match(await read(id), /open to all/);
});

test('a confined MCP server is started again before it reads a hidden file that is new, or was saved anew', async (t) => {
  const files = ['notes', 'new/.env', 'new/.env', 'new/.env', 'new/.env'];
  const { toFile, write, start, read, whenReady } = await open(t, files);
  write('notes', 'open to all');
  const id = await start();
  assert.match(await read(id), /open to all/);
  for (const step of ['created', 'replaced']) {
    // As editors save: another file takes its place, and nothing covers that.
    write('new/next', `TOKEN=sEcReT ${step}`);
    renameSync(toFile('new/next'), toFile('new/.env'));
    const said = await read(id);
    assert.match(said, /started again, because rules hide other files/, step);
    assert.doesNotMatch(said, /sEcReT/, step);
    await whenReady(id);
    const again = await read(id);
    assert.doesNotMatch(again, /sEcReT|unavailable/, step);
    assert.match(again, /"completed"/, step);
  }
});

test('a confined MCP server obeys the rules of now', async (t) => {
  const { write, start, read, setRules, whenReady } = await open(t, ['notes', 'notes', 'notes']);
  write('notes', 'sEcReT');
  const id = await start();
  assert.match(await read(id), /sEcReT/);
  setRules([{ permission: 'read', pattern: '**/notes', action: 'deny' }]);
  assert.doesNotMatch(await read(id), /sEcReT/);
  await whenReady(id);
  assert.doesNotMatch(await read(id), /sEcReT/);
});
