import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { endTree, killEnding } from '../../../../src/runtime/commands/processTree.ts';
import type { TerminalView } from '../../../../src/runtime/runtime.ts';
import { until } from '../../../workbench/processes.ts';
import { ALLOW_ALL, openBed } from '../../tools/bed.ts';
import { dataOf, errorOf, openSession } from '../../tools/session.ts';
import { SHAPE_FILES, SHAPES, sleepersIn } from './processShapes.ts';

/** As the system lists a sleeper. */
const SLEEP = 'sleep\u00008675';

for (const [shape, command] of Object.entries(SHAPES)) {
  for (const way of ['timeout', 'abort'] as const) {
    test(`${shape} leaves nothing behind after ${way}`, async () => {
      using bed = openBed();
      for (const [name, text] of Object.entries(SHAPE_FILES))
        writeFileSync(path.join(bed.workspace, name), text);
      // Some of these lines always ask; here the user approves.
      await using session = openSession(bed, { ask: async () => ({ outcome: 'allow' }) });
      const abort = new AbortController();
      const timeout_ms = way === 'timeout' ? 400 : 60_000;
      const call = session.call('bash', { command, timeout_ms }, abort.signal);
      if (way === 'abort') {
        // A child may have been stopped before it became a sleeper.
        const isUp = () =>
          sleepersIn(bed.workspace).length > 1 || sleepersIn(bed.workspace, SLEEP).length > 0;
        await until('its processes', isUp);
        abort.abort();
      }
      const error = errorOf(await call);
      assert.match(error, way === 'timeout' ? /did not finish within 400 ms/ : /aborted/);
      assert.deepEqual(sleepersIn(bed.workspace), []);
    });
  }
}

test('processes left running are listed, and killed with the session', async () => {
  using bed = openBed();
  const session = openSession(bed, { ask: async () => ({ outcome: 'allow' }) });
  // The line ends when both are what they will be: before that, a fork still has its shell's name.
  const command = `setsid sleep 8675 >/dev/null 2>&1 & one=$!; sleep 8675 & two=$!
for pid in $one $two; do until grep -q ^sleep /proc/$pid/cmdline; do :; done; done; echo started`;
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
  const file = String(data['output_path']);
  await until('the start', () => existsSync(file) && readFileSync(file, 'utf8') === 'ready\n');
  writeFileSync(path.join(bed.workspace, 'go'), '');
  await until('the rest', () => readFileSync(file, 'utf8') === 'ready\nwent\n');
  await session.runtime.close();
  assert.deepEqual(sleepersIn(bed.workspace), []);
});

for (const [pace, seconds] of [
  ['as fast as it can', '0'],
  ['slowly', '0.01'],
] as const) {
  test(`a chain whose processes each start their successor ${pace} and exit is ended`, async () => {
    using bed = openBed();
    for (const [name, text] of Object.entries(SHAPE_FILES))
      writeFileSync(path.join(bed.workspace, name), text);
    const mark = randomUUID();
    const child = spawn('bash', ['-c', `bash chain.sh 6000 8675 ${seconds} & sleep 8675`], {
      cwd: bed.workspace,
      env: { ...process.env, GATE_RUN: mark },
      detached: true,
      stdio: 'ignore',
    });
    assert.ok(child.pid);
    const left = path.join(bed.workspace, 'left');
    try {
      await until('its fifth process', () => {
        // It is empty while the next process writes it.
        const text = existsSync(left) ? readFileSync(left, 'utf8') : '';
        return text.endsWith('\n') && Number(text) <= 5995;
      });
    } finally {
      await endTree({ leader: child.pid, mark });
    }
    assert.deepEqual(sleepersIn(bed.workspace), []);
  });
}

test('a host that must exit kills trees in their grace period at once', async () => {
  using bed = openBed();
  const mark = randomUUID();
  const command = 'trap "" TERM; ( setsid sleep 8675 & ); echo on; while :; do sleep 8675; done';
  const child = spawn('bash', ['-c', command], {
    cwd: bed.workspace,
    env: { ...process.env, GATE_RUN: mark },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  assert.ok(child.pid);
  await once(child.stdout, 'data');
  let over = false;
  const ended = endTree({ leader: child.pid, mark }, 600_000).then(() => {
    over = true;
  });
  killEnding();
  await until('the end', () => over);
  await ended;
  assert.deepEqual(sleepersIn(bed.workspace), []);
});

test('an abort keeps what was written so far', async () => {
  using bed = openBed();
  const abort = new AbortController();
  const view: TerminalView = {
    opened: () => undefined,
    output: () => abort.abort(),
    closed: () => undefined,
  };
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { view } });
  const data = dataOf(
    await session.call('bash', { command: 'echo part; sleep 8675' }, abort.signal),
  );
  assert.deepEqual([data['output'], data['aborted']], ['part\n', true]);
});
