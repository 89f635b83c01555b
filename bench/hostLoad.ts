// What a host needs until it has opened a stored session, for several builds in turn:
// node bench/hostLoad.ts [ROUNDS] [FOLDER ...], each with a build's host, as dist/host.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { HOST_OPTIONS } from '../src/extension/host/hostSpawn.ts';
import { storeSession } from '../test/unit/extension/storedSession.ts';
import { median } from './row.ts';

/** Milliseconds from the start of the process until a request was answered, and what it had used until then. */
interface Used {
  readonly at: number;
  /** Processor time of all threads. */
  readonly all: number;
  readonly main: number;
}

const NAMES = ['initialize', '_gatehouse/configure', 'session/load'] as const;
const CAPABILITIES = { _meta: { gatehouse: { configure: true, secret: true, queue: true } } };

const [rounds = '10', ...given] = process.argv.slice(2);
const folders = given.length > 0 ? given : ['dist/host'];
const data = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-load-'));
const cwd = path.join(data, 'work');
mkdirSync(cwd);
const sessionId = storeSession(data, cwd, 20);
const measured = new Map(folders.map((folder) => [folder, [] as Used[][]]));
try {
  for (const folder of folders) await measure(folder);
  for (let round = 0; round < Number(rounds); round += 1)
    for (const folder of round % 2 ? folders : folders.toReversed())
      measured.get(folder)?.push(await measure(folder));
} finally {
  rmSync(data, { recursive: true, force: true, maxRetries: 5 });
}
for (const [folder, times] of measured) {
  console.log(folder);
  for (const [index, name] of NAMES.entries()) {
    const tell = (what: keyof Used) => {
      const all = times.map((each) => each[index]?.[what] ?? Number.NaN);
      return `${median(all).toFixed(0)} (least ${Math.min(...all).toFixed(0)})`;
    };
    console.log(`  ${name}: ${tell('at')} ms, CPU ${tell('all')}, main thread ${tell('main')}`);
  }
}

async function measure(folder: string): Promise<Used[]> {
  const begun = performance.now();
  const program = [...HOST_OPTIONS, path.join(folder, 'main.mjs'), 'acp'];
  const child = spawn(process.execPath, program, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], HOME: data, GATEHOUSE_DATA: data },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const workspace = { roots: [cwd], adHoc: [], trusted: true };
  const params = [
    { protocolVersion: 1, clientCapabilities: CAPABILITIES },
    { settings: {}, rules: [], files: [], workspace, editor: {} },
    { sessionId, cwd, mcpServers: [], _meta: { gatehouse: { tail: 100 } } },
  ];
  const used: Used[] = [];
  for (const [id, method] of NAMES.entries()) {
    const answer = answered(child, id);
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: params[id] })}\n`);
    await answer;
    used.push({ at: performance.now() - begun, ...processorTime(child.pid ?? 0) });
  }
  child.kill('SIGTERM');
  await ended;
  return used;
}

function answered(child: ChildProcess, id: number): Promise<void> {
  return new Promise((resolve) => {
    if (child.stdout === null) return;
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const message = JSON.parse(line);
      if (message.id !== id || message.method !== undefined) return;
      if (message.error !== undefined) throw new Error(line);
      lines.close();
      resolve();
    });
  });
}

/** As Linux counts it, in milliseconds. */
function processorTime(pid: number): Pick<Used, 'all' | 'main'> {
  const read = (thread: string) => {
    const text = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8');
    return Number(text.split(' ')[0]) / 1e6;
  };
  const all = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + read(thread), 0);
  return { all, main: read(String(pid)) };
}
