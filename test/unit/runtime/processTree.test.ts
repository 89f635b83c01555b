import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ALLOW_ALL, openBed } from '../tools/bed.ts';
import { dataOf, errorOf, openSession } from '../tools/session.ts';

/** Each leaves processes that sleep for a time no other test uses. */
const SHAPES: Readonly<Record<string, string>> = {
  'a pipe': 'sleep 8675 | cat',
  'a subshell': '( ( sleep 8675 ) )',
  'a background job': 'sleep 8675 & wait',
  nohup: 'nohup sleep 8675 >/dev/null 2>&1 & wait',
  setsid: 'setsid sleep 8675 & setsid -w sleep 8675',
  'a trap': 'trap "" TERM INT HUP; while :; do sleep 8675; done',
  'a double fork': '( ( setsid sleep 8675 & ) & ); sleep 8675',
  'a zombie parent': `${process.execPath} parent.mjs`,
  'a stopped child': 'sleep 8675 & kill -STOP $!; wait',
  'an inherited pipe': 'exec 3>&1; ( setsid sh -c "sleep 8675 >&3" & ); sleep 8675',
};

for (const [shape, command] of Object.entries(SHAPES)) {
  for (const way of ['timeout', 'abort'] as const) {
    test(`${shape} leaves nothing behind after ${way}`, async () => {
      using bed = openBed();
      // Its child ends unread, so it stays a zombie, while another one lives on.
      writeFileSync(
        path.join(bed.workspace, 'parent.mjs'),
        `import { spawn } from 'node:child_process';
spawn('sleep', ['8675'], { detached: true });
process.kill(spawn('sleep', ['8675']).pid, 'SIGKILL');
process.kill(process.pid, 'SIGSTOP');`,
      );
      // Some of these lines always ask; here the user says yes.
      await using session = openSession(bed, { ask: async () => ({ outcome: 'allow' }) });
      const abort = new AbortController();
      const timeout_ms = way === 'timeout' ? 400 : 60_000;
      const call = session.call('bash', { command, timeout_ms }, abort.signal);
      if (way === 'abort') setTimeout(() => abort.abort(), 400);
      const started = performance.now();
      const error = errorOf(await call);
      assert.match(error, way === 'timeout' ? /did not end within 400 ms/ : /aborted/);
      assert.deepEqual(sleepersIn(bed.workspace), []);
      assert.ok(performance.now() - started < 5000);
    });
  }
}

test('what a command leaves running is listed, and ends with the session', async () => {
  using bed = openBed();
  const session = openSession(bed, { rules: ALLOW_ALL });
  const command = 'setsid sleep 8675 >/dev/null 2>&1 & sleep 8675 & echo started';
  const data = dataOf(await session.call('bash', { command }));
  assert.equal(data['output'], 'started\n');
  assert.equal(data['exit_code'], 0);
  const running = data['running'];
  assert.ok(Array.isArray(running));
  assert.deepEqual(
    running.map((each) => each.command),
    ['sleep 8675', 'sleep 8675'],
  );
  assert.equal(sleepersIn(bed.workspace).length, 2);
  await session.runtime.close();
  assert.deepEqual(sleepersIn(bed.workspace), []);
});

test('a command in the background returns at once, and its output grows in a file', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const command = 'echo ready; while [ ! -e go ]; do sleep 0.02; done; echo went; sleep 8675';
  const data = dataOf(await session.call('bash', { command, background: true }));
  assert.equal(data['exit_code'], null);
  assert.equal(data['output'], 'ready\n');
  const file = String(data['output_path']);
  writeFileSync(path.join(bed.workspace, 'go'), '');
  await until(() => readFileSync(file, 'utf8') === 'ready\nwent\n');
  await session.runtime.close();
  assert.deepEqual(sleepersIn(bed.workspace), []);
});

test('a command that fails at once in the background says so', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const data = dataOf(await session.call('bash', { command: 'exit 7', background: true }));
  assert.equal(data['exit_code'], 7);
});

test('an abort keeps what was written so far', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 300);
  const data = dataOf(
    await session.call('bash', { command: 'echo part; sleep 8675' }, abort.signal),
  );
  assert.deepEqual([data['output'], data['aborted']], ['part\n', true]);
});

async function until(done: () => boolean): Promise<void> {
  for (let round = 0; round < 250; round += 1) {
    if (done()) return;
    await delay(20);
  }
  assert.fail('it did not come true within 5 s');
}

/** Sleepers of this test's folder only: other tests run at the same time. */
function sleepersIn(folder: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      if (/\) Z /.test(stat)) return false;
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
      return command.includes('8675') && environment.includes(`PWD=${folder}\0`);
    } catch {
      return false;
    }
  });
}
