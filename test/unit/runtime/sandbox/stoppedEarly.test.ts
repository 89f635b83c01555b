import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { createProcesses } from '../../../../src/runtime/commands/processes.ts';
import { createLocalShell } from '../../../../src/runtime/commands/shell.ts';
import { createSidecars } from '../../../../src/runtime/sidecars.ts';
import { openSandboxBed } from './bed.ts';

type Decision = 'stop' | undefined;

/** Runs a command whose limit passes while its sandbox is built, and which is then decided about. */
async function cutEarly(decided: Decision, isLive = false) {
  await using bed = await openSandboxBed();
  const masks = Promise.withResolvers<readonly string[]>();
  const plan = { masks: () => masks.promise };
  const folder = path.join(bed.base, 'data/live');
  const confined = isLive
    ? bed.sandbox.live({ ...{ folder, workspace: [bed.workspace] }, ...plan })
    : (await bed.hold()).start(plan);
  const shell = createLocalShell({
    ...{ env: process.env, shell: 'bash', processes: createProcesses(), confined },
    sidecars: createSidecars(path.join(bed.base, 'sidecars')),
    signal: new AbortController().signal,
  });
  return await shell.run({
    ...{ command: 'echo ran', title: '', cwd: bed.workspace, background: false },
    ...{ timeoutMs: 1, outputBytes: 1000 },
    atLimit: async (over) => {
      over.addEventListener('abort', () => masks.resolve([]), { once: true });
      return decided;
    },
  });
}

test('a command that ends before its sandbox is built did not fail to start', async () => {
  for (const isLive of [false, true]) {
    for (const decided of ['stop', undefined] as const) {
      const ran = await cutEarly(decided, isLive);
      assert.ok(ran.ok, JSON.stringify(ran));
      assert.deepEqual([ran.data.ended, ran.data.output], ['timeout', '']);
      assert.equal(/user stopped/.test(ran.data.notes.join('')), decided === 'stop');
    }
  }
});
