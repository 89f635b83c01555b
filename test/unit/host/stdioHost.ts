import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type Script, startModelServer } from '../../tour/server.ts';
import type { Side, Wire } from '../acp/validate.ts';
import { COMPILE_CACHE } from '../compileCache.ts';
import { temporary } from './harness.ts';

export const ROOT = path.join(import.meta.dirname, '../../..');

/** A host of its own process, spoken to in raw lines. */
export interface Host {
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
  /** Drops the lines so far, of a test with very many. */
  forget(): void;
}

export async function start(
  t: TestContext,
  options: {
    readonly script?: Script;
    readonly data?: string;
    readonly program?: string;
    readonly args?: readonly string[];
    /** Added to the environment of the host. */
    readonly env?: NodeJS.ProcessEnv;
  } = {},
): Promise<Host> {
  const data = options.data ?? (await temporary(t));
  const model = await startModelServer({ script: options.script ?? [{ text: 'Ok.' }] });
  const child = spawn(
    process.execPath,
    [options.program ?? path.join(ROOT, 'src/host/cli/main.ts'), 'acp', ...(options.args ?? [])],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...COMPILE_CACHE,
        PATH: process.env['PATH'],
        HOME: data,
        GATEHOUSE_DATA: data,
        GATEHOUSE_CONFIG: path.join(data, 'settings.json'),
        GATEHOUSE_MODEL_BASE_URL: model.url,
        GATEHOUSE_MODEL_ID: 'scripted',
        ...options.env,
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
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const whole = (rest + text).split('\n');
    // A host that is ended while nobody reads may leave half a line: that is no message.
    rest = whole.pop() ?? '';
    for (const line of whole) lines.push({ from: 'agent', message: JSON.parse(line) });
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
    forget: () => void lines.splice(0),
  };
}

/** Starts a turn whose command runs until it is ended, and allows it. */
export async function untilRunning(host: Host, name: string): Promise<string> {
  await host.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
  const { sessionId } = await host.newSession();
  host.send({ id: 'turn', method: 'session/prompt', params: promptOf(sessionId) });
  const ask = await host.asked('session/request_permission');
  host.send({ id: ask.id, result: { outcome: { outcome: 'selected', optionId: 'allow' } } });
  await poll(() => marked(name).length > 0, `${name} runs`);
  return sessionId;
}

/** A command that would go on for minutes, for a number of seconds no other has. */
export function sleeper(name: string) {
  return {
    tool: 'bash',
    input: { command: `touch asked; sleep ${nameOf(name)}` },
    id: `call-${name}`,
  };
}

const NAMES: string[] = [];

/** A number of seconds that no other command of this machine sleeps for. */
export function nameOf(name: string): string {
  if (!NAMES.includes(name)) NAMES.push(name);
  // Always as long, so that none is the beginning of another.
  const parts = [
    String(process.pid).padStart(8, '0'),
    String(NAMES.indexOf(name)).padStart(3, '0'),
  ];
  return `900.${parts.join('')}`;
}

export function untilGone(name: string): Promise<void> {
  return poll(() => marked(name).length === 0, `${name} is gone`);
}

/** Processes whose command line holds the name. */
export function marked(name: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(nameOf(name));
    } catch {
      return false;
    }
  });
}

export async function poll(condition: () => boolean, what: string): Promise<void> {
  const until = performance.now() + 120_000;
  while (performance.now() < until) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`it never happened: ${what}`);
}

export function promptOf(sessionId: string): object {
  return { sessionId, prompt: [{ type: 'text', text: 'Go.' }] };
}

export function residentBytes(pid: number): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
    return Number(pages) * 4096;
  } catch {
    return 0;
  }
}
