import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { failure, success } from '../../../../src/base/outcome.ts';
import { KB, MB } from '../../../../src/base/units.ts';
import { createProcesses } from '../../../../src/runtime/commands/processes.ts';
import { createLocalShell } from '../../../../src/runtime/commands/shell.ts';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import type { ClientTerminals, TerminalView } from '../../../../src/runtime/runtime.ts';
import { createSidecars, type SidecarStream } from '../../../../src/runtime/sidecars.ts';
import { until } from '../../../workbench/processes.ts';
import { ALLOW_ALL, openBed } from '../../tools/bed.ts';
import { dataOf, errorOf, openSession } from '../../tools/session.ts';

test('the pane receives open, whole characters and close', async () => {
  using bed = openBed();
  const pane = openPane();
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { view: pane.view } });
  const input = {
    command: "printf 'a\\303'; sleep 0.1; printf '\\251b'; exit 3",
    description: 'Print',
  };
  dataOf(await session.call('bash', input));
  await until('the end', () => pane.closed.length === 1);
  assert.equal(pane.opened[0]?.title, 'Print');
  assert.equal(pane.opened[0]?.cwd, bed.workspace);
  assert.equal(pane.text(), 'aéb');
  assert.deepEqual(pane.closed[0], { terminalId: pane.id(), exitCode: 3, signal: null });
  const last = session.chunks.at(-1);
  assert.ok(last && 'display' in last);
  assert.deepEqual(last.display?.content, [{ type: 'terminal', terminalId: pane.id() }]);
});

test('a confined command is started as it was prepared, and cleaned up before its result', async () => {
  using bed = openBed();
  const received: Buffer[] = [];
  const steps: string[] = [];
  const confined: ConfinedStart = {
    async prepare({ argv, cwd, env }) {
      steps.push(`prepare ${argv.at(-1)} in ${cwd === bed.workspace}`);
      const [program, ...args] = argv;
      const line = 'cat <&3; echo report >&4; exec "$@" 3<&- 4>&-';
      const launch = { argv: ['bash', '-c', line, 'bash', program, ...args], cwd, env } as const;
      const descriptors = [
        { content: Buffer.from('given\n') },
        { receive: (bytes: Buffer) => void received.push(bytes) },
      ];
      const after = async () => {
        steps.push(`after ${Buffer.concat(received)}`);
        return steps.length > 2 ? failure('The sandbox is broken.') : success(undefined);
      };
      return success({ launch, descriptors, after });
    },
  };
  const sidecars = createSidecars(path.join(bed.root, 'sidecars'));
  const { signal } = new AbortController();
  const processes = createProcesses();
  const shared = { env: process.env, shell: 'bash', processes, sidecars, signal } as const;
  const shell = createLocalShell({ ...shared, confined });
  const limits = { timeoutMs: 60_000, outputBytes: 1000, background: false };
  const request = { command: 'echo done', title: '', cwd: bed.workspace, ...limits };
  const ran = await shell.run(request);
  assert.equal(ran.ok && ran.data.output, 'given\ndone\n');
  assert.deepEqual(steps, [`prepare ${request.command} in true`, 'after report\n']);
  assert.deepEqual(await shell.run(request), failure('The sandbox is broken.'));
});

test('output in the pipe at exit is not lost to a slow disk', async () => {
  using bed = openBed();
  const processes = createProcesses();
  const kept: Buffer[] = [];
  const disk = Promise.withResolvers<void>();
  const slow: SidecarStream = {
    async write(bytes) {
      await disk.promise;
      kept.push(bytes);
    },
    state: () => ({ ok: true, data: 'sidecar' }),
    end: async () => ({ ok: true, data: 'sidecar' }),
  };
  const shell = createLocalShell({
    env: process.env,
    shell: 'bash',
    processes,
    sidecars: { stream: () => slow, write: async () => slow.end(), remove: async () => undefined },
    signal: new AbortController().signal,
  });
  // Exceeds the queue for the disk by the size of a pipe, so the command ends with a full pipe.
  const bytes = 4 * MB + 96 * KB;
  const ran = shell.run({
    command: `head -c ${bytes} /dev/zero`,
    title: 'Flood',
    cwd: bed.workspace,
    timeoutMs: 60_000,
    outputBytes: 100,
    background: false,
  });
  await delay(700);
  disk.resolve();
  assert.ok((await ran).ok);
  assert.equal(Buffer.concat(kept).length, bytes);
});

test('the file of a command in the background is closed when it ends, not before', async () => {
  using bed = openBed();
  let ended = false;
  const stream: SidecarStream = {
    write: async () => undefined,
    state: () => ({ ok: true, data: 'sidecar' }),
    async end() {
      ended = true;
      return stream.state();
    },
  };
  const processes = createProcesses();
  const shell = createLocalShell({
    env: process.env,
    shell: 'bash',
    processes,
    sidecars: { stream: () => stream, write: () => stream.end(), remove: async () => undefined },
    signal: new AbortController().signal,
  });
  const ran = await shell.run({
    command: 'echo on; sleep 60',
    title: 'Wait',
    cwd: bed.workspace,
    timeoutMs: 100,
    outputBytes: 100,
    background: true,
  });
  assert.ok(ran.ok);
  assert.equal(ran.data.ended, 'background');
  assert.equal(ended, false);
  await processes.endAll();
  await until('its end', () => ended);
});

test('a missing bash is told apart from a missing folder', async () => {
  using bed = openBed();
  const run = (given: { readonly PATH?: string; readonly cwd: string }) =>
    createLocalShell({
      env: { ...process.env, ...(given.PATH !== undefined && { PATH: given.PATH }) },
      shell: 'bash',
      processes: createProcesses(),
      sidecars: {
        stream: () => assert.fail(),
        write: () => assert.fail(),
        remove: () => assert.fail(),
      },
      signal: new AbortController().signal,
    }).run({
      ...{ command: 'pwd', title: '', cwd: given.cwd },
      ...{ timeoutMs: 60_000, outputBytes: 100, background: false },
    });
  const without = await run({ PATH: path.join(bed.workspace, 'none'), cwd: bed.workspace });
  assert.ok(!without.ok);
  assert.match(without.error, /^bash was not found, so the command did not run\..* PATH/);
  const gone = path.join(bed.workspace, 'gone');
  const nowhere = await run({ cwd: gone });
  assert.deepEqual(nowhere, {
    ok: false,
    error: `The folder ${gone} does not exist. Use an existing folder as cwd.`,
  });
});

test('a command that fails at once in the background says so', async () => {
  using bed = openBed();
  const none: SidecarStream = {
    write: async () => undefined,
    state: () => ({ ok: true, data: 'sidecar' }),
    end: async () => ({ ok: true, data: 'sidecar' }),
  };
  const shell = createLocalShell({
    env: process.env,
    shell: 'bash',
    processes: createProcesses(),
    sidecars: { stream: () => none, write: async () => none.end(), remove: async () => undefined },
    signal: new AbortController().signal,
    // How fast depends on the machine; this tests that the exit comes first.
    backgroundMs: 300_000,
  });
  const ran = await shell.run({
    command: 'exit 7',
    title: 'Fail',
    cwd: bed.workspace,
    timeoutMs: 300_000,
    outputBytes: 100,
    background: true,
  });
  assert.ok(ran.ok);
  assert.deepEqual([ran.data.ended, ran.data.exitCode], ['exit', 7]);
});

test('the file of a background command exists before it has content', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const input = { command: 'sleep 60', background: true, timeout_ms: 50 };
  const file = dataOf(await session.call('bash', input))['output_path'];
  assert.equal(dataOf(await session.call('read', { path: file }))['content'], '');
});

test('Ctrl+C in the pane reaches the whole group', async () => {
  using bed = openBed();
  const pane = openPane();
  await using session = openSession(bed, {
    ask: async () => ({ outcome: 'allow' }),
    runtime: { view: pane.view },
  });
  // The sleeper reports its own start: a signal between fork and exec would be lost.
  const sleeper = `"${process.execPath}" -e 'console.log("on"); setTimeout(Object, 600_000)'`;
  const call = session.call('bash', { command: `${sleeper} | cat` });
  await until('the start', () => pane.text() === 'on\n');
  await session.runtime.terminalInput({ terminalId: pane.id(), signal: 'SIGINT' });
  assert.equal(dataOf(await call)['signal'], 'SIGINT');
});

test('a running command sent to the background lets the turn go on, and kill ends it', async () => {
  using bed = openBed();
  const pane = openPane();
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { view: pane.view } });
  const call = session.call('bash', { command: 'echo on; sleep 600' });
  await until('the start', () => pane.text() === 'on\n');
  await session.runtime.terminalInput({ terminalId: pane.id(), background: true });
  const data = dataOf(await call);
  assert.equal(data['exit_code'], null);
  assert.equal(Object(data['running']).length > 0, true);
  await session.runtime.terminalInput({ terminalId: pane.id(), signal: 'kill' });
  await until('the end', () => pane.closed.length === 1);
});

test('a command that the user stops keeps its output, and the model is told', async () => {
  using bed = openBed();
  const pane = openPane();
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { view: pane.view } });
  const called = session.call('bash', { command: 'echo half; sleep 600; echo never' });
  await until('the output', () => pane.text().includes('half'));
  const stopped = await session.runtime.terminalInput({ terminalId: pane.id(), signal: 'kill' });
  assert.ok(stopped.ok);
  const data = dataOf(await called);
  assert.equal(data['output'], 'half\n');
  assert.match(String(data['note']), /^The user stopped this command/);
  assert.equal(data['signal'], 'SIGTERM');
});

test('the card of a command has its time, and the end of an output that was cut', async () => {
  using bed = openBed();
  await using session = openSession(bed, { rules: ALLOW_ALL });
  const command = 'yes | head -c 300000; printf end';
  dataOf(await session.call('bash', { command }));
  const last = session.chunks.at(-1);
  assert.ok(last?.type === 'tool-output-available');
  const { ranMs, outputEnd } = last.display ?? {};
  assert.ok(typeof ranMs === 'number' && ranMs >= 0);
  assert.match(outputEnd ?? '', /^(?:y?\n)(?:y\n)+end$/);
});

test('a person may type into a command in the background', async () => {
  using bed = openBed();
  const pane = openPane();
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { view: pane.view } });
  dataOf(await session.call('bash', { command: 'cat; echo over', background: true }));
  const terminalId = pane.id();
  await session.runtime.terminalInput({ terminalId, data: 'typed\n' });
  await until('what was typed', () => pane.text() === 'typed\n');
  await session.runtime.terminalInput({ terminalId, signal: 'EOF' });
  await until('the end of the input', () => pane.text() === 'typed\nover\n');
});

test('a command in the foreground has no input to read from', async () => {
  using bed = openBed();
  const pane = openPane();
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { view: pane.view } });
  const call = session.call('bash', { command: 'cat; echo none; sleep 600', timeout_ms: 300_000 });
  await until('the end of cat', () => pane.text() === 'none\n');
  const typed = await session.runtime.terminalInput({ terminalId: pane.id(), data: 'x' });
  assert.ok(!typed.ok);
  await session.runtime.terminalInput({ terminalId: pane.id(), signal: 'kill' });
  await call;
});

test('a flood does not fill the pane, and every byte is in the sidecar', async () => {
  using bed = openBed();
  const pane = openPane();
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { view: pane.view } });
  const command = 'head -c 50000000 /dev/zero | tr "\\\\0" x';
  const started = performance.now();
  const envelope = await session.call('bash', { command });
  const seconds = Math.ceil((performance.now() - started) / 1000);
  assert.equal(statSync(envelope.metadata.output_path ?? '').size, 50_000_000);
  const { length } = pane.text();
  // 2 MB a second, however long the machine takes for the flood.
  assert.ok(length < (seconds + 1) * 2.1 * MB, `${length} characters in ${seconds} s were shown`);
});

test('cwd is where the command runs, and must be readable', async () => {
  using bed = openBed();
  mkdirSync(path.join(bed.workspace, 'sub'));
  const rules = [
    { permission: 'bash', pattern: 'pwd', action: 'allow' },
    { permission: 'read', pattern: '{workspace}/**', action: 'allow' },
  ];
  await using session = openSession(bed, { rules });
  const data = dataOf(await session.call('bash', { command: 'pwd', cwd: 'sub' }));
  assert.equal(data['output'], `${path.join(bed.workspace, 'sub')}\n`);
  assert.match(errorOf(await session.call('bash', { command: 'pwd', cwd: '..' })), /denied/);
});

test('the result says that another client’s terminal discarded the beginning of the output', async () => {
  using bed = openBed();
  const asked: Parameters<ClientTerminals['run']>[0][] = [];
  const terminals: ClientTerminals = {
    run: async (request) => {
      asked.push(request);
      return { terminalId: 't1', output: 'tail', truncated: true, exitCode: 0, signal: null };
    },
  };
  await using session = openSession(bed, { rules: ALLOW_ALL, runtime: { terminals } });
  const envelope = await session.call('bash', { command: 'ls -l' });
  assert.equal(envelope.metadata.truncated, true);
  assert.match(String(dataOf(envelope)['note']), /discarded the beginning/);
  assert.deepEqual(asked[0]?.args.at(-1), 'ls -l');
  assert.equal(asked[0]?.env['PATH'], undefined, 'the client has an environment of its own');
});

function openPane() {
  const opened: Parameters<TerminalView['opened']>[0][] = [];
  const closed: Parameters<TerminalView['closed']>[0][] = [];
  const parts: string[] = [];
  const view: TerminalView = {
    opened: (terminal) => opened.push(terminal),
    output: (_id, data) => parts.push(data),
    closed: (terminal) => closed.push(terminal),
  };
  return {
    view,
    opened,
    closed,
    text: () => parts.join(''),
    id: () => opened[0]?.terminalId ?? '',
  };
}
