import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { systemClock } from '../../src/base/clock.ts';
import { type HostExit, HostProcess } from '../../src/extension/host/hostProcess.ts';
import { killHost, spawnHost } from '../../src/extension/host/hostSpawn.ts';
import { isAlive, kill, until } from '../workbench/processes.ts';

suite('the host process', () => {
  const data = mkdtempSync(path.join(tmpdir(), 'gatehouse-data-'));
  const started: number[] = [];
  const exits: HostExit[] = [];
  const root = vscode.extensions.getExtension('gatehouse.gatehouse')?.extensionPath ?? '';
  const supervisor = new HostProcess({
    spawn: () =>
      spawnHost({
        script: path.join(root, 'dist/host/main.mjs'),
        ...{ data, cwd: root, env: process.env },
      }),
    kill: killHost,
    clock: systemClock,
    onStart: ({ pid }) => started.push(pid ?? 0),
    onExit: (exit) => exits.push(exit),
    onStderr: () => undefined,
  });

  suiteTeardown(() => {
    supervisor.dispose();
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  });

  test('a killed host is reported with its signal and restarted', async () => {
    supervisor.start();
    const [first = 0] = started;
    assert.ok(isAlive(first));
    kill(first, 'SIGKILL');
    await until('the second start', () => started.length === 2 || undefined);
    assert.equal(exits[0]?.signal, 'SIGKILL');
    assert.ok(isAlive(started[1] ?? 0));
    assert.ok(!isAlive(first));
  });

  test('after stopping, the host has exited and does not restart', async () => {
    await supervisor.stopped();
    await until('the end', () => !isAlive(started[1] ?? 0) || undefined);
    assert.equal(started.length, 2);
  });
});
