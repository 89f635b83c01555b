import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import type { ShellResult } from '../../../../src/runtime/runtime.ts';
import type { Masks } from '../../../../src/runtime/sandbox/sandbox.ts';
import { until } from '../../../workbench/processes.ts';
import { FakeClock } from '../../extension/fakeClock.ts';
import { countProcesses, openSandboxBed, type SandboxBed } from './bed.ts';

const { signal } = new AbortController();

/** Runs commands one after the other, as a session does, and tells which found their sandbox built. */
async function openNextBed(env: NodeJS.ProcessEnv = {}) {
  const clock = new FakeClock();
  const bed: SandboxBed = await openSandboxBed(env, {}, clock);
  let ended: ShellResult;
  return {
    ...{ bed, clock },
    get ended() {
      return ended;
    },
    /** What the command printed, and whether its sandbox was built before. */
    async run(command: string, masks: Masks = []): Promise<[output: string, ready: boolean]> {
      const held = await bed.hold();
      const start = held.start({ masks });
      let isReady = false;
      const watched: ConfinedStart = {
        async prepare(launch) {
          const prepared = await start.prepare(launch);
          isReady = prepared.ok && prepared.data.ahead !== undefined;
          return prepared;
        },
      };
      ended = await bed.run(watched, command);
      const changes = await held.changes(signal);
      assert.ok(changes.ok);
      await held.drop(changes.data.files);
      held.release();
      return [ended.output, isReady];
    },
    /** Lets the sandbox of the next command be built. */
    build: () => clock.tick(20),
    [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose](),
  };
}

test('the next command runs in a sandbox that was built before, and sees the files of now', async () => {
  await using next = await openNextBed();
  const { workspace } = next.bed;
  mkdirSync(path.join(workspace, 'src'));
  writeFileSync(path.join(workspace, 'src/a'), 'old');
  writeFileSync(path.join(workspace, '.env'), 'A=1');
  const masks = [path.join(workspace, '.env')];
  const line = 'cat src/* .env; ls; echo x >src/b; ls /proc/self/fd | wc -l';
  assert.deepEqual(await next.run(line, masks), ['oldsrc\n4\n', false]);
  next.build();
  writeFileSync(path.join(workspace, 'src/a'), 'new');
  writeFileSync(path.join(workspace, 'src/c'), ' and more');
  assert.deepEqual(await next.run(line, masks), ['new and moresrc\n4\n', true]);
  next.build();
  rmSync(path.join(workspace, 'src'), { recursive: true });
  mkdirSync(path.join(workspace, 'src'));
  writeFileSync(path.join(workspace, 'src/d'), 'replaced');
  assert.deepEqual(await next.run(line, masks), ['replacedsrc\n4\n', true]);
});

test('words of any kind reach a command in it, and its exit code comes back', async () => {
  await using next = await openNextBed();
  await next.run('true');
  const check = async (line: string, expected: string) => {
    next.build();
    assert.deepEqual(await next.run(line), [expected, true]);
  };
  await check("printf '%s|' 'a  b' '' $'new\nline' '–'", 'a  b||new\nline|–|');
  await check('echo no >&2; exit 7', 'no\n');
  assert.equal(next.ended.exitCode, 7);
  await check('kill -9 $$', '');
  assert.equal(next.ended.exitCode, 137);
});

test('what a command would get otherwise than it was built ends it, and the command gets its own', async () => {
  await using next = await openNextBed({ CHANGED: '1' });
  const { workspace } = next.bed;
  const sub = path.join(workspace, 'sub');
  mkdirSync(sub);
  writeFileSync(path.join(sub, '.env'), 'A=1');
  const hidden = () => Promise.resolve([path.join(sub, '.env')]);
  const line = 'cat sub/.env sub/other 2>/dev/null; true';
  const check = async (what: string, expected: string, run: () => Promise<[string, boolean]>) => {
    await next.run('true', hidden);
    next.build();
    assert.deepEqual(await run(), [expected, false], what);
  };
  await check('a file that rules hide now', '', async () => {
    writeFileSync(path.join(sub, 'other'), 'B=2');
    return next.run(line, async () => [path.join(sub, '.env'), path.join(sub, 'other')]);
  });
  await check('a file that they no longer hide', 'A=1B=2', () => next.run(line));
  await check('a replaced folder with such a file', 'C=3', async () => {
    renameSync(sub, path.join(workspace, 'old'));
    mkdirSync(sub);
    writeFileSync(path.join(sub, '.env'), 'A=1');
    writeFileSync(path.join(sub, 'other'), 'C=3');
    return next.run(line, hidden);
  });
  await check('a long command', 'x\n', () => next.run(`echo x ${' '.repeat(9000)}`, hidden));
  await check('the look for hidden files fails', '', async () => {
    const failing = async () => Promise.reject(new Error('no look'));
    await assert.rejects(next.run(line, failing), /no look/);
    return ['', false];
  });
});

test('it is ended when no command comes for a minute, and with its copy', async () => {
  await using next = await openNextBed();
  const own = () => countProcesses(next.bed.base);
  await next.run('true');
  assert.equal(own(), 0);
  next.build();
  await until('the sandbox', () => own() > 0);
  next.clock.tick(60_000);
  await until('its end', () => own() === 0);
  assert.deepEqual(await next.run('echo x'), ['x\n', false]);
  next.build();
  await until('the next sandbox', () => own() > 0);
  await next.bed.copy.close();
  assert.equal(own(), 0);
});

test('a host that is killed leaves none', async () => {
  const source = path.join(import.meta.dirname, 'bed.ts');
  const line = `const { openSandboxBed } = await import(${JSON.stringify(source)});
    const bed = await openSandboxBed({}, {}, { now: () => 0, after: (ms, run) => (ms < 100 && run(), { dispose() {} }) });
    const held = await bed.hold();
    await bed.run(held.start({ masks: [] }), 'true');
    held.release();
    process.stdout.write(bed.base);
    setInterval(() => undefined, 1000);`;
  const args = ['--input-type=module', '-e', line];
  const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let base = '';
  host.stdout.on('data', (bytes: Buffer) => {
    base += bytes;
  });
  await until('the sandbox', () => base !== '' && countProcesses(base) > 0);
  host.kill('SIGKILL');
  await until('the end of its sandbox', () => countProcesses(base) === 0);
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});
