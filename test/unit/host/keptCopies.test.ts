import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createJournal } from '../../../src/runtime/files/journal.ts';
import { DEAD } from '../base/disk/deadMark.ts';
import { connect, newSession, temporary } from './harness.ts';
import { poll } from './stdioHost.ts';

test('a half written file is whole before any session is opened', async (t) => {
  const { data, workspace, file } = await interrupt(t, 'NEW text');
  await connect(t, { data, workspace });
  await poll(() => readFileSync(file, 'utf8') === 'old text', 'the file is whole');
});

for (const [client, capabilities] of [
  ['a client with notices', { session: { notices: {} } }],
  ['any other client', {}],
] as const) {
  test(`text that was written since an interrupted write stays, and the chat of ${client} says so`, async (t) => {
    const { data, workspace, file } = await interrupt(t, 'of the user');
    const host = await connect(t, {
      data,
      workspace,
      client: { capabilities: capabilities as object },
    });
    const elsewhere = { cwd: await temporary(t), mcpServers: [] };
    const other = Object(await host.agent.request('session/new', elsewhere)).sessionId;
    const sessionId = await newSession(host);
    const told = () =>
      host.updates.filter((each) => JSON.stringify(each).includes('was changed since'));
    await poll(() => told().length > 0, 'it is said');
    assert.equal(readFileSync(file, 'utf8'), 'of the user');
    const kept = readdirSync(path.join(data, 'state/kept'));
    assert.equal(kept.length, 1);
    assert.ok(JSON.stringify(told()).includes(kept[0] ?? '?'), 'it names the copy');
    assert.deepEqual(
      told().map((each) => each.sessionId),
      [sessionId],
      `not in ${other}`,
    );
  });
}

/** What a host leaves that was killed while it wrote NEW TEXT over old text; then `text` is there. */
async function interrupt(t: TestContext, text: string) {
  const data = await temporary(t);
  const workspace = await temporary(t);
  const file = path.join(workspace, 'f');
  const state = path.join(data, 'state');
  mkdirSync(path.join(state, 'journal'), { recursive: true });
  await createJournal(state).keepCopy(file, Buffer.from('old text'), Buffer.from('NEW TEXT'));
  const journal = path.join(state, 'journal');
  const entry = path.join(
    journal,
    readdirSync(journal).find((each) => each.endsWith('.json')) ?? '',
  );
  // No process has this id: it is above what the kernel gives out.
  const dead = { ...JSON.parse(readFileSync(entry, 'utf8')), mark: DEAD };
  writeFileSync(entry, JSON.stringify(dead));
  writeFileSync(file, text);
  return { data, workspace, file };
}
