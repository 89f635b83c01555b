import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { withLockFile } from '../../../../src/base/disk/lockFile.ts';
import { processMark } from '../../../../src/base/disk/processMark.ts';
import { createManualClock } from '../../../tour/manualClock.ts';

const toUrl = (name: string) =>
  pathToFileURL(path.resolve(import.meta.dirname, '../../../../src/base', name)).href;
const CLOCK = toUrl('clock.ts');
const MODULE = toUrl('disk/lockFile.ts');

function temporary(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Adds lines to a file in a process of its own, as a window adds rules: by reading and writing all of it. */
function startAdding(folder: string, name: string, count: number) {
  const code = `
    import { once } from 'node:events';
    import { readFile, writeFile } from 'node:fs/promises';
    import { systemClock } from ${JSON.stringify(CLOCK)};
    import { withLockFile } from ${JSON.stringify(MODULE)};
    const file = 'list.txt';
    // However slow the machine is, each waits for the other.
    const start = Date.now();
    const clock = { ...systemClock, now: () => start };
    process.stdout.write('ready');
    await once(process.stdin, 'data');
    for (let at = 0; at < ${count}; at += 1)
      await withLockFile(file, async () => {
        const text = await readFile(file, 'utf8');
        await writeFile(file, text + '${name}' + at + '\\n');
      }, clock);
    process.exit();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TMPDIR: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  return {
    ready: once(child.stdout, 'data'),
    ended: once(child, 'close'),
    start: () => child.stdin.end('go'),
  };
}

/** They start at the same time. */
async function addAll(folder: string, names: readonly string[], count: number) {
  const adding = names.map((name) => startAdding(folder, name, count));
  await Promise.all(adding.map(({ ready }) => ready));
  for (const { start } of adding) start();
  return Promise.all(adding.map(({ ended }) => ended));
}

test('what two processes add to a file at the same time is all there', async (t) => {
  const folder = temporary(t);
  writeFileSync(path.join(folder, 'list.txt'), '');
  const ended = await addAll(folder, ['a', 'b'], 40);
  assert.deepEqual(ended, [
    [0, null],
    [0, null],
  ]);
  const lines = readFileSync(path.join(folder, 'list.txt'), 'utf8').trimEnd().split('\n');
  assert.equal(new Set(lines).size, 80);
  assert.deepEqual(readdirSync(folder), ['list.txt'], 'no lock is left');
});

test('work of one process on a file runs in order, also after a failure', async (t) => {
  const file = path.join(temporary(t), 'list.txt');
  const seen: string[] = [];
  const add = (name: string) =>
    withLockFile(file, async () => {
      seen.push(`${name} starts`);
      await new Promise(setImmediate);
      seen.push(`${name} ends`);
      if (name === 'a') throw new Error('a failed');
      return name;
    });
  const [a, b] = await Promise.allSettled([add('a'), add('b')]);
  assert.deepEqual([a?.status, Object(b).value], ['rejected', 'b']);
  assert.deepEqual(seen, ['a starts', 'a ends', 'b starts', 'b ends']);
});

test('the lock of a process that was killed is no obstacle', async (t) => {
  const folder = temporary(t);
  const code = `
    import { withLockFile } from ${JSON.stringify(MODULE)};
    await withLockFile('list.txt', async () => process.kill(process.pid, 'SIGKILL'));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    ...{ cwd: folder, env: { PATH: process.env['PATH'], TMPDIR: folder } },
    ...{ stdio: ['ignore', 'ignore', 'inherit'], timeout: 60_000 },
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL');
  assert.equal(readdirSync(folder).length, 1);
  writeFileSync(path.join(folder, 'list.txt'), '');
  await addAll(folder, ['a'], 1);
  assert.deepEqual(readdirSync(folder), ['list.txt']);
  assert.equal(readFileSync(path.join(folder, 'list.txt'), 'utf8'), 'a0\n');
});

for (const [name, content] of [
  ['an empty lock', ''],
  ['a lock of a process that cannot be seen from here', '1.1.1'],
] as const) {
  test(`${name} is no obstacle once it is old`, async (t) => {
    const folder = temporary(t);
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    t.after(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    const file = path.join(folder, 'list.txt');
    const clock = createManualClock();
    const list = async () => readdirSync(folder);
    const [lock = ''] = await withLockFile(file, list, clock);
    writeFileSync(path.join(folder, lock), content);
    const made = new Date(clock.now() - 31_000);
    utimesSync(path.join(folder, lock), made, made);
    let owner = '';
    await withLockFile(
      file,
      async () => {
        owner = `${readFileSync(path.join(folder, lock), 'utf8')} ${clock.waiting.length}`;
        writeFileSync(path.join(folder, lock), 'own');
      },
      clock,
    );
    assert.equal(owner, `${processMark()} 0`);
    assert.deepEqual(readdirSync(folder), [], 'no lock is left');
  });
}
