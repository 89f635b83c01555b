import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { processMark } from '../../../../src/base/disk/processMark.ts';
import { MB } from '../../../../src/base/units.ts';
import { endTree } from '../../../../src/runtime/commands/processTree.ts';
import {
  type Ending,
  type ProgramOptions,
  type RunningProgram,
  startProgram,
} from '../../../../src/runtime/commands/startProgram.ts';
import { isAlive, until } from '../../../workbench/processes.ts';

const PATH = process.env['PATH'];

test('arguments, folder and environment reach the program unchanged', async () => {
  using folder = openFolder();
  const words = ['$HOME "quoted" \'too\'', '', '*', 'a\nb', '; exit 3'];
  const code =
    'console.log(JSON.stringify([process.argv.slice(1), process.cwd(), { ...process.env }]))';
  const { program } = await start({
    argv: [process.execPath, '-e', code, '--', ...words],
    cwd: folder.path,
    env: { ONLY: 'this', GONE: undefined },
    mark: { run: 'm1', in: 'variables' },
  });
  assert.equal(await program.ended, 'exit');
  await program.drained();
  assert.deepEqual(JSON.parse(program.read('stdout').head), [
    words,
    folder.path,
    { ONLY: 'this', GATE_HOST: processMark(), GATE_RUN: 'm1' },
  ]);
  assert.deepEqual(program.status(), { exitCode: 0, signal: null });
});

test('content is written to standard input, which is then closed', async () => {
  const content = 'x'.repeat(MB);
  const { program } = await start({ argv: ['cat'], stdin: { content } });
  await program.closed;
  assert.deepEqual(program.read('stdout').bytes, MB);
});

test('a program may exit without reading its input', async () => {
  const { program } = await start({ argv: ['true'], stdin: { content: 'x'.repeat(MB) } });
  assert.equal(await program.ended, 'exit');
  await program.closed;
});

test('an open input takes what is written until it is closed', async () => {
  const { program } = await start({ argv: ['cat'], stdin: 'open' });
  assert.equal(program.write('one '), true);
  program.write('two');
  program.closeInput();
  await program.closed;
  assert.equal(program.read('stdout').head, 'one two');
  assert.equal(program.write('three'), false);
});

test('without input a program reads nothing', async () => {
  const { program } = await start({ argv: ['cat'] });
  assert.equal(program.write('x'), false);
  await program.closed;
  assert.deepEqual(program.read('stdout').bytes, 0);
});

test('a listener gets every byte of both outputs', async () => {
  const { program } = await start({ argv: ['sh', '-c', 'head -c 3000000 /dev/zero; echo e >&2'] });
  const bytes = { stdout: 0, stderr: 0 };
  program.onOutput(({ length }, from) => {
    bytes[from] += length;
  });
  await program.closed;
  assert.deepEqual(bytes, { stdout: 3_000_000, stderr: 2 });
});

test('a program waits while its output is throttled', async () => {
  const { program } = await start({ argv: ['sh', '-c', 'head -c 3000000 /dev/zero'] });
  program.throttle(true);
  const ended = program.ended.then(() => 'ended');
  assert.equal(await Promise.race([ended, turns(20)]), 'waits');
  program.throttle(false);
  await program.closed;
  assert.equal(program.read('stdout').bytes, 3_000_000);
});

test('only head and tail of a flood stay in memory', async () => {
  const { program } = await start({
    argv: ['sh', '-c', 'echo begin; head -c 50000000 /dev/zero; echo end'],
    keep: { stdout: { head: 6, tail: 4 } },
  });
  await program.closed;
  assert.deepEqual(program.read('stdout'), {
    head: 'begin\n',
    tail: 'end\n',
    bytes: 50_000_010,
    omitted: 50_000_000,
    isUtf8: true,
  });
});

test('a program that exceeds its output limit is killed', async () => {
  const { program } = await start({ argv: ['yes'], maxStdout: 100, keep: { stdout: { head: 4 } } });
  assert.equal(await program.ended, 'flood');
  await program.closed;
  assert.equal(program.read('stdout').head, 'y\ny\n');
});

for (const [name, ending] of [
  ['group', 'group'],
  ['tree', endTree],
] as const) {
  test(`the time limit ends the ${name} of a program`, async () => {
    using folder = openFolder();
    const { program } = await start({
      ...sleepers(folder.path),
      ending,
      timeoutMs: 1,
      // Not before they have started.
      atLimit: () => until('the start', () => folder.pids().length === 2).then(() => undefined),
    });
    assert.equal(await program.ended, 'timeout');
    const pids = folder.pids();
    assert.equal(pids.length, 2);
    await until('their end', () => !pids.some(isAlive));
  });
}

test('processes that left the group and their parent are found by the mark', async () => {
  using folder = openFolder();
  const away = "( setsid sh -c 'echo $$ > pids; exec sleep 8675' & ); sleep 8675";
  const { program } = await start({
    argv: ['sh', '-c', away],
    cwd: folder.path,
    mark: { run: randomUUID(), in: 'variables' },
    ending: endTree,
  });
  await until('the start', () => folder.pids().length === 1);
  await program.end();
  assert.deepEqual(folder.pids().filter(isAlive), []);
});

test('an abort kills a program, and its waiters continue', async () => {
  const abort = new AbortController();
  const { program } = await start({ argv: ['sleep', '8675'], signal: abort.signal });
  abort.abort();
  assert.equal(await program.ended, 'abort');
  assert.deepEqual(await program.closed, { exitCode: null, signal: 'SIGKILL' });
});

test('after an abort nothing is started', async () => {
  using folder = openFolder();
  const file = path.join(folder.path, 'touched');
  const started = await startProgram(
    options({ argv: ['touch', file], signal: AbortSignal.abort() }),
  );
  assert.equal(started.ok ? undefined : started.fault.reason, 'aborted');
  assert.equal(existsSync(file), false);
});

test('a released program is killed by neither limit nor abort', async () => {
  const abort = new AbortController();
  const { program } = await start({
    argv: ['sleep', '8675'],
    timeoutMs: 1,
    signal: abort.signal,
    ending: 'group',
  });
  assert.equal(program.release(), true);
  abort.abort();
  assert.equal(await Promise.race([program.closed, turns(20)]), 'waits');
  await program.end();
  assert.deepEqual(await program.closed, { exitCode: null, signal: 'SIGKILL' });
  assert.equal(program.release(), false);
});

test('a signal reaches the whole group', async () => {
  using folder = openFolder();
  const { program } = await start({ ...sleepers(folder.path), ending: 'group' });
  await until('the start', () => folder.pids().length === 2);
  program.signal('SIGTERM');
  await program.closed;
  // A process closes its pipes before its parent, or init, has reaped it.
  await until('their end', () => !folder.pids().some(isAlive));
});

test('a failure to start is a value that names the reason', async () => {
  using folder = openFolder();
  const file = path.join(folder.path, 'file');
  writeFileSync(file, '');
  const check = async (options_: Partial<ProgramOptions>, code: string) => {
    const started = await startProgram(options({ argv: ['true'], ...options_ }));
    assert.deepEqual(started.ok ? undefined : started.fault.code, code);
    assert.ok(!started.ok && started.fault.message.length > 0);
  };
  await check({ argv: ['gatehouse-no-such-program'] }, 'ENOENT');
  await check({ cwd: path.join(folder.path, 'none') }, 'ENOENT');
  await check({ argv: [file] }, 'EACCES');
  await check({ cwd: file }, 'ENOTDIR');
  await check({ argv: ['true', 'x'.repeat(4 * MB)] }, 'E2BIG');
  await check({ argv: ['true', 'a\0b'] }, 'ERR_INVALID_ARG_VALUE');
});

test('a process left behind keeps a program running only for those who wait for its pipes', async () => {
  using folder = openFolder();
  const argv = ['sh', '-c', 'sleep 8675 & echo $! > pids; echo over'] as const;
  const open = {
    argv: [...argv] as [string, ...string[]],
    cwd: folder.path,
    ending: 'group',
  } as const;
  const { program } = await start(open);
  assert.equal(await program.ended, 'exit');
  await program.drained();
  assert.equal(program.read('stdout').head, 'over\n');
  assert.equal(folder.pids().filter(isAlive).length, 1);
  await program.end();
  const waiting = await start({ ...open, until: 'close', timeoutMs: 300 });
  assert.equal(await waiting.program.ended, 'timeout');
});

function options(given: Partial<ProgramOptions> & Pick<ProgramOptions, 'argv'>): ProgramOptions {
  const ending: Ending = 'program';
  return { env: { PATH }, ending, keep: { stdout: { head: MB } }, ...given };
}

async function start(
  given: Partial<ProgramOptions> & Pick<ProgramOptions, 'argv'>,
): Promise<{ readonly program: RunningProgram }> {
  const started = await startProgram(options(given));
  assert.ok(started.ok, started.ok ? '' : started.fault.message);
  return started;
}

/** A program and its child, which ignore nothing and write their ids to `pids`. */
function sleepers(cwd: string) {
  const line = 'sleep 8675 & echo $! > pids; echo $$ >> pids; wait';
  return { argv: ['sh', '-c', line] as [string, ...string[]], cwd };
}

/** Resolves after some turns of the event loop, in which an unwanted event could happen. */
async function turns(count: number): Promise<'waits'> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setTimeout(done, 5));
  return 'waits';
}

function openFolder() {
  const folder = mkdtempSync(path.join(realpathSync(tmpdir()), 'gatehouse-start-'));
  const file = path.join(folder, 'pids');
  return {
    path: folder,
    pids: () =>
      existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : [],
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
