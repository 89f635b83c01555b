import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { type Script, startModelServer } from '../../tour/server.ts';
import { checkLines, type Side, type Wire } from '../acp/validate.ts';
import { temporary } from './harness.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

test('standard output carries ACP alone, and the host ends soon after standard input', async (t) => {
  const host = await start(t, { script: [{ text: 'Hello.' }] });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  const reply = await host.request('session/prompt', promptOf(sessionId));
  assert.deepEqual(reply.result, { stopReason: 'end_turn' });
  const begun = performance.now();
  host.child.stdin?.end();
  assert.equal(await host.exit, 0);
  assert.ok(performance.now() - begun < 3000, 'the host took its time to end');
  assert.deepEqual(checkLines(host.lines, 'agent'), []);
});

test('before initialize nothing but the handshake is answered', async (t) => {
  const host = await start(t);
  const early = await host.request('session/new', { cwd: ROOT, mcpServers: [] });
  assert.equal(early.error?.code, -32600);
});

test('standard input closed in the middle of a turn ends the command with the host', async (t) => {
  const host = await start(t, { script: [{ calls: [sleeper('closed')] }] });
  await untilRunning(host, 'closed');
  host.child.stdin?.end();
  await host.exit;
  await untilGone('closed');
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends the host and what it started`, async (t) => {
    const host = await start(t, { script: [{ calls: [sleeper(signal)] }] });
    await untilRunning(host, signal);
    host.child.kill(signal);
    await host.exit;
    await untilGone(signal);
  });
}

test('VC-88: killed in the middle of a call, the next host says so, ends what is left, and goes on', async (t) => {
  const first = await start(t, { script: [{ text: 'Before. ', calls: [sleeper('killed')] }] });
  const sessionId = await untilRunning(first, 'killed');
  first.child.kill('SIGKILL');
  await first.exit;
  const next = await start(t, { data: first.data, script: [{ text: 'Going on.' }] });
  await next.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const loaded = await next.request('session/load', { sessionId, cwd: first.data, mcpServers: [] });
  assert.equal(loaded.error, undefined);
  const history = JSON.stringify(next.lines);
  assert.match(history, /Before\. /);
  assert.match(history, /aborted by host restart/);
  const reply = await next.request('session/prompt', promptOf(sessionId));
  assert.deepEqual(reply.result, { stopReason: 'end_turn' });
  await untilGone('killed');
  assert.equal(next.model.requests.length, 1, 'the call was not run again');
});

// The corpus of protocol faults, as far as an agent meets them (area `protocol`).
for (const [id, line, code] of [
  ['PR-001', 'this is not JSON', -32700],
  ['PR-004', '42', -32600],
  ['PR-005', 'null', -32600],
  ['PR-006', '[]', -32600],
  ['PR-007', '{}', -32600],
  ['PR-008', '"x"', -32600],
  ['PR-010', '{"jsonrpc":"2.0"}', -32600],
  ['PR-011', '{"jsonrpc":"2.0","id":999,"result":{}}', undefined],
  ['PR-014', '{"jsonrpc":"2.0","id":"odd","method":"no/such","params":{}}', -32601],
  [
    'PR-035',
    '{"jsonrpc":"2.0","id":"odd","method":"session/list","params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}',
    undefined,
  ],
] as const) {
  test(`${id}: ${line.slice(0, 50)}`, async (t) => {
    const host = await start(t);
    await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    host.write(Buffer.from(`${line}\n`));
    const { sessionId } = await host.newSession();
    assert.match(sessionId, /^ses_/);
    const codes = () => host.lines.flatMap(({ message }) => message.error?.code ?? []);
    if (code !== undefined) await poll(() => codes().length > 0, 'an answer');
    assert.deepEqual(codes(), code === undefined ? [] : [code]);
    assert.equal(Reflect.get(Object.prototype, 'polluted'), undefined);
  });
}

test('PR-012, PR-013: a second answer, or one whose id only looks alike, is ignored', async (t) => {
  const host = await start(t, { script: [{ calls: [sleeper('answers')] }, { text: 'Ok.' }] });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  const turn = host.request('session/prompt', promptOf(sessionId));
  const ask = await host.asked('session/request_permission');
  const answer = (id: unknown, optionId: string) =>
    host.send({ id, result: { outcome: { outcome: 'selected', optionId } } });
  answer(String(ask.id), 'allow');
  answer(ask.id, 'reject');
  answer(ask.id, 'allow');
  assert.deepEqual((await turn).result, { stopReason: 'end_turn' });
  assert.deepEqual(marked('answers'), []);
});

test('PR-002: half a message and then the end are survived; what came before is kept', async (t) => {
  const host = await start(t, { script: [{ text: 'Kept.' }] });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  await host.request('session/prompt', promptOf(sessionId));
  host.child.stdin?.end('{"jsonrpc":"2.0","id":9,"method":"session/li');
  assert.equal(await host.exit, 0);
  const next = await start(t, { data: host.data });
  await next.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await next.request('session/load', { sessionId, cwd: host.data, mcpServers: [] });
  assert.match(JSON.stringify(next.lines), /Kept\./);
});

test('PR-003: a line of 200 MB closes the connection; the memory does not grow with it', async (t) => {
  const host = await start(t);
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  await host.newSession();
  const before = residentBytes(host.child.pid ?? 0);
  let peak = before;
  host.child.stdin?.on('error', () => undefined);
  const piece = Buffer.alloc(1 << 20, 'x');
  for (let sent = 0; sent < 200 && host.child.exitCode === null; sent += 1) {
    if (!host.child.stdin?.write(piece)) {
      await Promise.race([once(host.child.stdin ?? host.child, 'drain'), host.exit]).catch(() => 0);
    }
    peak = Math.max(peak, residentBytes(host.child.pid ?? 0));
  }
  assert.equal(typeof (await host.exit), 'number');
  assert.ok(peak - before < 128 << 20, `it grew by ${(peak - before) >> 20} MB`);
});

test('PR-032, PR-033: split characters, a carriage return and bytes that are no UTF-8', async (t) => {
  const host = await start(t);
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const line = Buffer.from(
    `${JSON.stringify({ jsonrpc: '2.0', id: 'split', method: 'session/new', params: { cwd: '/tmp/größe-🦉', mcpServers: [] } })}\r\n`,
  );
  for (const byte of line) host.write(Buffer.from([byte]));
  const reply = await host.answered('split');
  const listed = await host.request('session/list', { cwd: '/tmp/größe-🦉' });
  assert.equal(Object(listed.result).sessions[0].sessionId, Object(reply.result).sessionId);
  host.write(Buffer.from([0xff, 0xfe, 0x0a]));
  assert.match((await host.newSession()).sessionId, /^ses_/);
});

test('PR-036: an unknown version is answered with our own', async (t) => {
  const host = await start(t);
  const reply = await host.request('initialize', { protocolVersion: 999 });
  assert.equal(Object(reply.result).protocolVersion, 1);
});

test('the built host does the same as the sources', async (t) => {
  const built = path.join(ROOT, 'dist/host/main.mjs');
  assert.ok(existsSync(built), 'build it first: node esbuild.mjs');
  // A copy without node_modules beside it: the bundle must need nothing.
  const folder = await temporary(t);
  await cp(path.dirname(built), path.join(folder, 'host'), { recursive: true });
  const host = await start(t, {
    program: path.join(folder, 'host/main.mjs'),
    script: [
      { calls: [{ tool: 'bash', input: { command: 'touch x; echo built' }, id: 'b' }] },
      { text: 'Done.' },
    ],
  });
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  const turn = host.request('session/prompt', promptOf(sessionId));
  const ask = await host.asked('session/request_permission');
  host.send({ id: ask.id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
  assert.deepEqual((await turn).result, { stopReason: 'end_turn' });
  assert.match(JSON.stringify(host.lines), /built\\n/);
  assert.deepEqual(checkLines(host.lines, 'agent'), []);
});

interface Host {
  readonly child: ChildProcess;
  readonly data: string;
  readonly lines: readonly { readonly from: Side; readonly message: Wire }[];
  readonly exit: Promise<number | null>;
  readonly model: Awaited<ReturnType<typeof startModelServer>>;
  write(bytes: Buffer): void;
  send(message: object): void;
  request(method: string, params: object): Promise<Wire>;
  newSession(): Promise<{ sessionId: string }>;
  /** The next request of that method that the host makes. */
  asked(method: string): Promise<Wire>;
  answered(id: string): Promise<Wire>;
}

async function start(
  t: TestContext,
  options: { readonly script?: Script; readonly data?: string; readonly program?: string } = {},
): Promise<Host> {
  const data = options.data ?? (await temporary(t));
  const model = await startModelServer({ script: options.script ?? [{ text: 'Ok.' }] });
  const child = spawn(
    process.execPath,
    [options.program ?? path.join(ROOT, 'src/host/main.ts'), 'acp'],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: data,
        GATEHOUSE_DATA: data,
        GATEHOUSE_CONFIG: path.join(data, 'settings.json'),
        GATEHOUSE_MODEL_BASE_URL: model.url,
        GATEHOUSE_MODEL_ID: 'scripted',
      },
    },
  );
  child.stderr.resume();
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  t.after(async () => {
    child.kill('SIGKILL');
    await exit;
    await model.stop();
  });
  const lines: { from: Side; message: Wire }[] = [];
  const arrived = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push({ from: 'agent', message: JSON.parse(line) });
    for (const check of [...arrived]) check();
  });
  const find = (matches: (message: Wire) => boolean) =>
    new Promise<Wire>((resolve) => {
      const check = () => {
        const found = lines.find(({ from, message }) => from === 'agent' && matches(message));
        if (found === undefined) return;
        arrived.delete(check);
        resolve(found.message);
      };
      arrived.add(check);
      check();
    });
  let next = 1;
  const send = (message: object) => {
    lines.push({ from: 'client', message });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const request = (method: string, params: object) => {
    const id = next++;
    send({ id, method, params });
    return find((message) => message.id === id && message.method === undefined);
  };
  return {
    child,
    data,
    lines,
    exit,
    model,
    send,
    request,
    write: (bytes) => void child.stdin.write(bytes),
    newSession: async () => {
      const reply = await request('session/new', { cwd: data, mcpServers: [] });
      return Object(reply.result);
    },
    asked: (method) => find((message) => message.method === method),
    answered: (id) => find((message) => message.id === id && message.method === undefined),
  };
}

/** Starts a turn whose command runs until it is ended, and allows it. */
async function untilRunning(host: Host, name: string): Promise<string> {
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  host.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
  const ask = await host.asked('session/request_permission');
  host.send({ id: ask.id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
  await poll(() => marked(name).length > 0, `${name} runs`);
  return sessionId;
}

/** A command that would go on for minutes, for a number of seconds no other has. */
function sleeper(name: string) {
  return {
    tool: 'bash',
    input: { command: `touch asked; sleep ${nameOf(name)}` },
    id: `call-${name}`,
  };
}

const NAMES = ['closed', 'SIGTERM', 'SIGINT', 'killed', 'answers'];

function nameOf(name: string): string {
  return `300.${process.pid}${NAMES.indexOf(name)}`;
}

function untilGone(name: string): Promise<void> {
  return poll(() => marked(name).length === 0, `${name} is gone`);
}

/** Processes whose command line holds the name. */
function marked(name: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(nameOf(name));
    } catch {
      return false;
    }
  });
}

async function poll(condition: () => boolean, what: string): Promise<void> {
  const until = performance.now() + 10_000;
  while (performance.now() < until) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`it never happened: ${what}`);
}

function promptOf(sessionId: string): object {
  return { sessionId, prompt: [{ type: 'text', text: 'Go.' }] };
}

function residentBytes(pid: number): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
    return Number(pages) * 4096;
  } catch {
    return 0;
  }
}
