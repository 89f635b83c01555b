import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { SETUP } from '../../../../src/runtime/sandbox/linux/scripts.ts';
import { openSandboxBed } from './bed.ts';

const readLimits = (text: string) => /^Max processes +(\S+) +(\S+)/m.exec(text)?.slice(1);

/** Outside, the kernel counts all threads of the user, of which an ordinary desktop may have more. */
test('the limit of processes is set in the sandbox, and not for the programs that build it', () => {
  const words = ['', '5', 'mount', '0', 'cat', '/proc/self/limits'];
  const built = spawnSync('bash', ['-c', SETUP, 'bash', ...words], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe', 'pipe', 'pipe'],
  });
  const own = spawnSync('cat', ['/proc/self/limits']);
  assert.deepEqual(readLimits(built.stdout.toString()), readLimits(own.stdout.toString()));
});

test('a command in a copy and a confined one may start 2,000 processes, and no more', async () => {
  await using bed = await openSandboxBed();
  const live = { folder: path.join(bed.base, 'live'), workspace: [bed.workspace], masks: [] };
  const held = await bed.hold();
  for (const confined of [held.start({ masks: [] }), bed.sandbox.live(live)]) {
    const { output } = await bed.run(confined, 'ulimit -u 3000; cat /proc/self/limits');
    assert.deepEqual(readLimits(output), ['2000', '2000'], output);
  }
});
