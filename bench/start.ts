import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { interleave, type Row } from './row.ts';

const ROUNDS = 15;
const HOST = path.join(import.meta.dirname, '../dist/host/main.mjs');
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: 1, clientCapabilities: {} },
};

/** The smallest possible Node agent: answers the first line it reads. */
const ECHO = `process.stdin.once('data', (line) => {
  const { id } = JSON.parse(line);
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: 1 } }) + '\\n');
});`;

/**
 * Time from spawn to the answer of `initialize`: the built host compared with a bare Node process.
 */
export async function startRows(): Promise<readonly Row[]> {
  if (!existsSync(HOST)) throw new Error('Build the host first: node esbuild.mjs --production');
  const data = await mkdtemp(path.join(tmpdir(), 'gatehouse-bench-'));
  try {
    const { echo, host } = await interleave(ROUNDS, {
      echo: () => measure(['-e', ECHO], data),
      host: () => measure([HOST, 'acp'], data),
    });
    const goal = 'host: spawn → initialize answered';
    return [{ goal, anchor: 'bare Node echo process', ratio: host / echo, limit: 4 }];
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Milliseconds from spawn to the first line of the answer. The process has exited when this
 * resolves.
 */
async function measure(args: readonly string[], data: string): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], HOME: data, GATEHOUSE_DATA: data },
  });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  await firstLine(child);
  const took = performance.now() - begun;
  child.stdin.end();
  await exit;
  return took;
}

function firstLine(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('The process exited before it answered.')));
    child.stdout?.on('data', (bytes: Buffer) => {
      if (bytes.includes(0x0a)) resolve();
    });
  });
}
