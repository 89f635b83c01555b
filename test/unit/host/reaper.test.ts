import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { processMark } from '../../../src/base/disk/processMark.ts';
import { isAlive, processesWith, until } from '../../workbench/processes.ts';
import { DEAD } from '../base/disk/deadMark.ts';

const REAPER = path.join(import.meta.dirname, '../../../src/host/reaper.ts');

test('what the command of a killed host started is ended with it, also without its environment', async (t) => {
  const line = 'env -i sleep 1000 & env -i setsid sleep 1000 & jobs -p; wait';
  const left = await startMarked(t, line, DEAD, 2);
  await reap();
  await until('the end of all', () => left.every((pid) => !isAlive(pid)));
});

test('commands that start others all the time are ended', async (t) => {
  const line = 'echo $BASHPID; s() { (sleep 0.01; s) & }; s; s; s; sleep 1000';
  const [leader] = await startMarked(t, line, DEAD, 1);
  await reap();
  assert.equal(isAlive(leader ?? 0), false);
  await until('no process of the storm', () => processesWith(`GATE_HOST=${DEAD}`).length === 0);
});

test('the commands of a host that runs, or of one in a container, go on', async (t) => {
  const container = processMark().split('.').with(0, '7').with(2, '1').join('.');
  const running = await startMarked(t, 'echo $BASHPID; exec sleep 1000', processMark(), 1);
  const other = await startMarked(t, 'echo $BASHPID; exec sleep 1000', container, 1);
  await reap();
  assert.deepEqual([...running, ...other].filter(isAlive).length, 2);
});

test('a host that a command of a killed one started does not end itself', async () => {
  // A host that another test starts meanwhile may end it, as it should: its mark is one of a killed host.
  for (let left = 10; left > 0; left -= 1) {
    const { code } = await reap({ GATE_HOST: DEAD });
    if (code === 0) return;
  }
  assert.fail('It ended itself.');
});

/** Starts bash with a host's mark, in a session of its own; resolves with the ids that it prints. */
async function startMarked(t: TestContext, line: string, mark: string, count: number) {
  const env = { ...process.env, GATE_HOST: mark };
  const child = spawn('bash', ['-c', line], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => end(child));
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  const ids = await until('the ids', () => {
    const found = text.split('\n').filter(Boolean).map(Number);
    return found.length >= count ? found : undefined;
  });
  t.after(() => ids.forEach(kill));
  return ids;
}

function end({ pid }: ChildProcess): void {
  if (pid !== undefined) kill(-pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended, as it should.
  }
}

/** In a process of its own, whose environment may say that a killed host started it. */
function reap(
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; signal: string | null }> {
  const script = `await (await import(${JSON.stringify(REAPER)})).endOrphans()`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    ...{ env: { ...process.env, ...env }, detached: true, stdio: ['ignore', 'ignore', 'inherit'] },
  });
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
}
