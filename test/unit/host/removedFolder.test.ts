import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ScriptedCall } from '../../tour/server.ts';
import { type Connected, connect, lastStatus, prompt, temporary, until } from './harness.ts';

const EDITOR = { _meta: { gatehouse: { v: 1, configure: true, review: true, terminal: false } } };
const ALLOW = { outcome: { outcome: 'selected' as const, optionId: 'allow' } };

function configure({ agent, workspace }: Connected, mode: string, others: readonly string[]) {
  return agent.request('_gatehouse/configure', {
    settings: { 'review.mode': mode },
    rules: [],
    workspace: { roots: [workspace, ...others], adHoc: [], trusted: true },
    editor: {},
  });
}

type Write = (file: string) => ScriptedCall;

/** Runs a turn that writes to a second folder, which the workspace no longer has at the answer unless it `stays`. */
async function run(t: TestContext, mode: string, by: Write, stays = false) {
  const second = await temporary(t);
  const file = path.join(second, 'new.txt');
  let asked = 0;
  const host: Connected = await connect(t, {
    script: [{ calls: [{ ...by(file), id: 'c1' }] }, { text: 'Done.' }],
    client: {
      capabilities: EDITOR,
      permission: async () => {
        asked += 1;
        await configure(host, mode, stays ? [second] : []);
        return ALLOW;
      },
    },
  });
  await configure(host, mode, [second]);
  const { sessionId } = await host.agent.request('session/new', {
    cwd: host.workspace,
    additionalDirectories: [second],
    mcpServers: [],
  });
  await prompt(host, sessionId);
  await until(() => asked > 0, 'the user is asked');
  return { host, file };
}

const write: Write = (file) => ({ tool: 'write', input: { path: file, content: 'x' } });
const patch: Write = (file) => {
  return {
    tool: 'apply_patch',
    input: { patch: `--- /dev/null\n+++ ${file}\n@@ -0,0 +1 @@\n+x\n` },
  };
};

for (const [tool, by] of Object.entries({ write, patch })) {
  test(`${tool}: an allowed change of a folder that left the workspace is not written`, async (t) => {
    const kept = await run(t, 'each', by, true);
    assert.deepEqual([existsSync(kept.file), lastStatus(kept.host)['c1']], [true, 'completed']);
    const { host, file } = await run(t, 'each', by);
    assert.deepEqual([existsSync(file), lastStatus(host)['c1']], [false, 'failed']);
  });
}

test('a review of collected edits writes nothing to a folder that left the workspace', async (t) => {
  const kept = await run(t, 'turn', write, true);
  await until(() => existsSync(kept.file), 'the edit is written');
  const { host, file } = await run(t, 'turn', write);
  await host.stop();
  assert.equal(existsSync(file), false);
});
