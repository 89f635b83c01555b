import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ModelRequest, Reply } from '../../tour/server.ts';
import { type Connected, connect, newSession, prompt, temporary } from './harness.ts';

const OLD = Array.from({ length: 9 }, (_, at) => `line ${at + 1}\r\n`).join('');
const ALLOW = { outcome: { outcome: 'selected', optionId: 'allow' } } as const;

interface Run {
  readonly host: Connected;
  readonly sessionId: string;
  readonly asked: readonly ModelRequest[];
  at(name: string): string;
  text(name: string): string | undefined;
  revert(toolCallId: string): Promise<unknown>;
}

async function start(t: TestContext, replies: readonly Reply[]): Promise<Run> {
  const asked: ModelRequest[] = [];
  const host = await connect(t, {
    client: { permission: () => ALLOW },
    script: (request) => {
      asked.push(request);
      return replies[asked.length - 1] ?? { text: 'Nothing more.' };
    },
  });
  const at = (name: string) => path.join(host.workspace, name);
  writeFileSync(at('a.txt'), OLD);
  writeFileSync(at('b.txt'), 'b\n');
  const sessionId = await newSession(host);
  await prompt(host, sessionId);
  return {
    ...{ host, sessionId, asked, at },
    text: (name) => (existsSync(at(name)) ? readFileSync(at(name), 'latin1') : undefined),
    revert: (toolCallId) => host.agent.request('_gatehouse/revert', { sessionId, toolCallId }),
  };
}

const EDIT = {
  tool: 'edit',
  id: 'c1',
  input: { path: 'a.txt', old_string: 'line 2', new_string: 'LINE 2' },
};
const CALLS: readonly Reply[] = [{ calls: [EDIT] }, { text: 'Done.' }];

test('Revert takes a change out of the file, and the model is told', async (t) => {
  const run = await start(t, CALLS);
  assert.equal(run.text('a.txt'), OLD.replace('line 2', 'LINE 2'));
  assert.deepEqual(await run.revert('c1'), { files: [run.at('a.txt')], conflicts: [] });
  assert.equal(run.text('a.txt'), OLD);
  assert.deepEqual(await run.revert('c1'), { files: [], conflicts: [] });
  await prompt(run.host, run.sessionId, 'And now?');
  const last = JSON.stringify(run.asked.at(-1)?.body);
  assert.ok(last.includes('The user reverted your changes'));
});

test('what the user wrote after the change stays', async (t) => {
  const run = await start(t, CALLS);
  const mine = OLD.replace('line 2', 'LINE 2')
    .replace('line 8', 'my line 8')
    .replace('line 1', 'one');
  writeFileSync(run.at('a.txt'), mine);
  assert.deepEqual(await run.revert('c1'), { files: [run.at('a.txt')], conflicts: [] });
  assert.equal(run.text('a.txt'), mine.replace('LINE 2', 'line 2'));
});

test('a conflict in one file writes none of them', async (t) => {
  const patch =
    '--- a.txt\n+++ a.txt\n@@ -2 +2 @@\n-line 2\n+LINE 2\n--- b.txt\n+++ b.txt\n@@ -1 +1 @@\n-b\n+B\n';
  const run = await start(t, [
    { calls: [{ tool: 'apply_patch', id: 'c1', input: { patch } }] },
    { text: 'Done.' },
  ]);
  const mine = OLD.replace('line 2', 'LINE 2, but mine');
  writeFileSync(run.at('a.txt'), mine);
  assert.deepEqual(await run.revert('c1'), { files: [], conflicts: [run.at('a.txt')] });
  assert.deepEqual([run.text('a.txt'), run.text('b.txt')], [mine, 'B\n']);
});

test('created files are removed, unless the user changed them; deleted ones come back', async (t) => {
  const create = (name: string, id: string) => ({
    ...{ tool: 'write', id },
    input: { path: name, content: 'new\n' },
  });
  const remove = '--- b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n';
  const run = await start(t, [
    {
      calls: [
        create('one.txt', 'c1'),
        create('two.txt', 'c2'),
        { tool: 'apply_patch', id: 'c3', input: { patch: remove } },
      ],
    },
    { text: 'Done.' },
  ]);
  writeFileSync(run.at('two.txt'), 'new\nand mine\n');
  await run.revert('c1');
  assert.equal(run.text('one.txt'), undefined);
  assert.deepEqual(await run.revert('c2'), { files: [], conflicts: [run.at('two.txt')] });
  assert.equal(run.text('two.txt'), 'new\nand mine\n');
  assert.equal(run.text('b.txt'), undefined);
  await run.revert('c3');
  assert.equal(run.text('b.txt'), 'b\n');
});

test('Revert works in a session that was opened again, and a deny rule holds', async (t) => {
  const data = await temporary(t);
  const workspace = await temporary(t);
  const first = await connect(t, {
    ...{ data, workspace, script: CALLS },
    client: { permission: () => ALLOW },
  });
  writeFileSync(path.join(workspace, 'a.txt'), OLD);
  const sessionId = await newSession(first);
  await prompt(first, sessionId);
  await first.stop();
  const rules = [{ permission: 'edit', pattern: '{workspace}/a.txt', action: 'deny' }];
  const settings = path.join(data, 'settings.json');
  writeFileSync(settings, JSON.stringify({ permissions: rules }));
  const host = await connect(t, { data, workspace });
  await host.agent.request('session/load', { sessionId, cwd: workspace, mcpServers: [] });
  const revert = () => host.agent.request('_gatehouse/revert', { sessionId, toolCallId: 'c1' });
  await assert.rejects(revert, /a\.txt/);
  rmSync(settings);
  assert.deepEqual(await revert(), { files: [path.join(workspace, 'a.txt')], conflicts: [] });
  assert.equal(readFileSync(path.join(workspace, 'a.txt'), 'latin1'), OLD);
});

test('what a command did to protected files unasked is shown, and can be restored', async (t) => {
  const command = "bash -c 'echo Obey. > AGENTS.md; rm .npmrc; echo [] > tools.json; exit 3'";
  const run = await start(t, [
    { calls: [{ tool: 'bash', id: 'c0', input: { command: 'echo Read. > AGENTS.md' } }] },
    { calls: [{ tool: 'bash', id: 'c1', input: { command: 'echo a=b > .npmrc' } }] },
    { calls: [{ tool: 'write', id: 'c2', input: { path: 'run.sh', content: command } }] },
    { calls: [{ tool: 'bash', id: 'c3', input: { command: 'bash run.sh' } }] },
    { text: 'Done.' },
  ]);
  const { updates } = run.host;
  const paths = (id: string) =>
    updates.flatMap(({ update }) =>
      update.sessionUpdate === 'tool_call_update' && update.toolCallId === id
        ? (update.content ?? []).flatMap((each) => (each.type === 'diff' ? [each.path] : []))
        : [],
    );
  // The user was asked about the first two by name.
  assert.deepEqual([paths('c0'), paths('c1')], [[], []]);
  const changed = ['.npmrc', 'AGENTS.md', 'tools.json'].map(run.at);
  assert.deepEqual([...new Set(paths('c3'))].sort(), changed);
  assert.match(JSON.stringify(run.asked.at(-1)?.body), /protected_changes/);
  const answer = await run.revert('c3');
  assert.deepEqual([...Object(answer).files].sort(), changed);
  assert.deepEqual(
    [run.text('AGENTS.md'), run.text('.npmrc'), run.text('tools.json')],
    ['Read.\n', 'a=b\n', undefined],
  );
});
