import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import {
  BACK_OFF,
  GRACE,
  HEALTHY_AFTER,
  type HostExit,
  HostProcess,
} from '../../../../src/extension/host/hostProcess.ts';
import { FakeClock, settle } from '../fakeClock.ts';

test('a host is started once, however often it is asked for', () => {
  const { host, children } = supervise();
  host.start();
  host.start();
  assert.equal(children.length, 1);
});

test('a crash is reported with exit code and the end of stderr, and the host restarts after a delay', async () => {
  const { host, children, exits, clock } = supervise();
  host.start();
  await children[0]?.end(7, null, `${'x'.repeat(5000)}out of memory\n`);
  assert.equal(exits[0]?.code, 7);
  assert.equal(exits[0]?.restartIn, BACK_OFF[0]);
  assert.match(exits[0]?.stderrTail ?? '', /out of memory$/);
  assert.ok((exits[0]?.stderrTail.length ?? 0) <= 2000);
  clock.tick((BACK_OFF[0] ?? 0) - 1);
  assert.equal(children.length, 1);
  clock.tick(1);
  assert.equal(children.length, 2);
});

test('the delays grow, and then the user must restart the host', async () => {
  const { host, children, exits, clock } = supervise();
  host.start();
  for (const wait of BACK_OFF) {
    await children.at(-1)?.end(1);
    clock.tick(wait);
  }
  await children.at(-1)?.end(1);
  assert.deepEqual(
    exits.map(({ restartIn }) => restartIn),
    [...BACK_OFF, undefined],
  );
  clock.tick(HEALTHY_AFTER);
  assert.equal(children.length, BACK_OFF.length + 1);
});

test('a long uptime resets the restart delays', async () => {
  const { host, children, exits, clock } = supervise();
  host.start();
  await children[0]?.end(1);
  clock.tick(BACK_OFF[0] ?? 0);
  clock.tick(HEALTHY_AFTER);
  await children[1]?.end(1);
  assert.equal(exits[1]?.restartIn, BACK_OFF[0]);
});

test('descendants of an exited host are killed', async () => {
  const { host, children, killed } = supervise();
  host.start();
  await children[0]?.end(null, 'SIGKILL');
  assert.deepEqual(killed, ['100 SIGKILL']);
});

test('stopping closes stdin, then sends SIGTERM, then SIGKILL to the group', async () => {
  const { host, children, killed, clock } = supervise();
  host.start();
  const stopped = host.stopped();
  assert.equal(children[0]?.stdin.writableEnded, true);
  assert.deepEqual(killed, ['100 SIGTERM']);
  // VS Code disposes right after `deactivate`; a second signal could interrupt the host's shutdown.
  host.dispose();
  clock.tick(GRACE - 1);
  assert.deepEqual(killed, ['100 SIGTERM']);
  clock.tick(1);
  assert.deepEqual(killed, ['100 SIGTERM', '100 SIGKILL']);
  await children[0]?.end(null, 'SIGKILL');
  await stopped;
  clock.tick(HEALTHY_AFTER);
  assert.equal(children.length, 1);
});

test('a host that does not exit does not block the window', async () => {
  const { host, clock } = supervise();
  host.start();
  const stopped = host.stopped();
  // VS Code waits five seconds at most.
  clock.tick(5_000);
  await stopped;
});

test('a restart by the user ends the old host first', async () => {
  const { host, children } = supervise();
  host.start();
  host.restart();
  assert.equal(children.length, 1);
  await children[0]?.end(0);
  assert.equal(children.length, 2);
});

test('a failed start is reported like a crash', async () => {
  const { host, children, exits } = supervise();
  host.start();
  const [child] = children;
  assert.ok(child);
  child.pid = undefined;
  child.emit('error', new Error('spawn ENOENT'));
  await settle();
  assert.match(exits[0]?.stderrTail ?? '', /ENOENT/);
});

class FakeChild extends EventEmitter {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  pid: number | undefined;

  constructor(pid: number) {
    super();
    this.pid = pid;
  }

  async end(code: number | null, signal: NodeJS.Signals | null = null, stderr = ''): Promise<void> {
    this.stderr.end(stderr);
    await new Promise((resolve) => setImmediate(resolve));
    this.emit('close', code, signal);
  }
}

function supervise() {
  const clock = new FakeClock();
  const children: FakeChild[] = [];
  const exits: HostExit[] = [];
  const killed: string[] = [];
  const host = new HostProcess({
    spawn: () => {
      const child = new FakeChild(100 + children.length);
      children.push(child);
      // The fake only has what the supervisor uses of a child process.
      return child as unknown as ChildProcess;
    },
    kill: (group, signal) => killed.push(`${group} ${signal}`),
    clock,
    onStart: () => undefined,
    onExit: (exit) => exits.push(exit),
    onStderr: () => undefined,
  });
  return { host, clock, children, exits, killed };
}
