import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadDeclaredTools } from '../src/declared/load.ts';
import { createManifests, type OpenText } from '../src/language-server/manifests.ts';
import type { Runtime } from '../src/runtime/runtime.ts';
import { interleave, type Row } from './row.ts';

/** The cost of declared tools: checking a large manifest, its diagnostics, and one call. */
export async function declaredRows(): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-'));
  try {
    // Like most workspaces, a repository: words of commands aren't looked up in the folder of all
    // temporary files, which other programs change all the time.
    mkdirSync(path.join(folder, '.git'));
    const manifest = writeManifest(folder);
    const times = await interleave(9, {
      check: async () => checkTime(folder),
      diagnostics: await diagnosticsTime(folder, manifest),
    });
    const calls = await interleave(30, await callTimes(folder));
    return [
      {
        goal: 'check of a 1,000-tool manifest',
        anchor: '200 ms',
        ratio: times.check / 200,
        limit: 1,
      },
      {
        goal: 'diagnostics of 1,000 tools while typing',
        anchor: '50 ms',
        ratio: times.diagnostics / 50,
        limit: 1,
      },
      {
        goal: 'call of a declared tool',
        anchor: 'the bare program',
        ratio: calls.tool / calls.bare,
        limit: 1.3,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const PROGRAM = './tools/bin/echo';

function writeManifest(folder: string): string {
  const tools = Array.from({ length: 1000 }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does the thing with the number ${index}.`,
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1 },
        count: { type: 'integer', minimum: index },
      },
      required: ['path'],
      additionalProperties: false,
    },
    command: [PROGRAM, '-n', String(index)],
    timeoutSec: 5,
    envPassthrough: ['TZ'],
  }));
  const text = JSON.stringify({ tools }, undefined, 2);
  mkdirSync(path.join(folder, 'tools', 'bin'), { recursive: true });
  writeFileSync(path.join(folder, 'tools.json'), text);
  writeFileSync(path.join(folder, PROGRAM), '#!/bin/sh\necho \'{"a":1}\'\n');
  chmodSync(path.join(folder, PROGRAM), 0o755);
  return text;
}

/** Wall time of the whole command in milliseconds, including startup. */
function checkTime(folder: string): number {
  const started = performance.now();
  const child = spawnSync(
    process.execPath,
    [path.resolve('dist/gatehouse.cjs'), 'check', '--json', folder],
    {
      encoding: 'utf8',
    },
  );
  if (child.status !== 0) throw new Error(`The check failed: ${child.stderr}`);
  return performance.now() - started;
}

/** Each round is one keystroke in the middle of the file. */
async function diagnosticsTime(folder: string, text: string): Promise<() => Promise<number>> {
  let version = 0;
  const open: OpenText & { version: number } = {
    uri: `file://${folder}/tools.json`,
    version,
    getText: () => text.replace('Does the thing', `Does the thing ${version}`),
  };
  const manifests = createManifests(() => [{ ...open, version }], process.env, {
    roots: () => [],
    schemaMs: () => 1000,
  });
  const round = async (): Promise<number> => {
    version++;
    const started = performance.now();
    if ((await manifests.diagnostics()).size !== 1)
      throw new Error('the manifest was not validated');
    return performance.now() - started;
  };
  // Warm up: a language server has usually been running for a while when the user types.
  for (let warm = 0; warm < 5; warm++) await round();
  return round;
}

async function callTimes(
  folder: string,
): Promise<{ bare(): Promise<number>; tool(): Promise<number> }> {
  const { tools } = await loadDeclaredTools({
    roots: [folder],
    trusted: true,
    accepted: { has: () => true },
    options: {
      env: process.env,
      secrets: { get: async () => undefined },
      audit: () => undefined,
      timeoutMs: 10_000,
      schemaMs: 1000,
      confirmExternalActions: true,
    },
  });
  const [first] = tools;
  if (first === undefined) throw new Error('no tool was offered');
  const folders = { workspace: [folder], adHoc: [], cwd: folder };
  const part: Partial<Runtime> = { folders, signal: new AbortController().signal };
  return {
    bare: () => timed(() => spawnBare(path.join(folder, PROGRAM), folder)),
    tool: () =>
      timed(async () => {
        const outcome = await first.tool.execute({ path: 'x' }, part as Runtime);
        if (!outcome.ok) throw new Error(outcome.error);
      }),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function spawnBare(program: string, cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['-n', '0'], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.on('error', () => undefined);
    child.stdin.end('{"path":"x"}');
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}
