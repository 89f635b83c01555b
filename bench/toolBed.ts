import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Envelope } from '../src/base/stream/envelope.ts';
import type { PolicyFolders } from '../src/permissions/patterns/roots.ts';
import type { Policy } from '../src/permissions/rules/policy.ts';
import { createPolicyCompiler } from '../src/permissions/rules/policyCompiler.ts';
import { createReadGit } from '../src/runtime/commands/readGit.ts';
import { DEFAULT_LIMITS } from '../src/runtime/limits.ts';
import { createRuntime } from '../src/runtime/local/createRuntime.ts';
import type { CallContext } from '../src/tools/call.ts';
import { callTool } from '../src/tools/callTool.ts';
import { lockedTools } from '../src/tools/locked/lockedTools.ts';
import { createRegistry } from '../src/tools/registry.ts';

/** A workspace, with calls into it through the gate under rules and capabilities. */
export interface ToolBed extends Disposable {
  readonly workspace: string;
  /** The time of one call in milliseconds; throws when the call fails. */
  time(tool: string, input: unknown): Promise<number>;
}

export function openToolBed(): ToolBed {
  const root = mkdtempSync(path.join(tmpdir(), 'gatehouse-bench-tools-'));
  const workspace = path.join(root, 'work');
  mkdirSync(workspace);
  const state = path.join(root, 'state');
  const sidecars = path.join(state, 'out');
  const folders: PolicyFolders = {
    workspace: [workspace],
    adHoc: [],
    state,
    sidecars,
    cwd: workspace,
  };
  const policy: Policy = {
    rules: [{ permission: '*', pattern: '{workspace}/**', action: 'allow', source: 'session' }],
    capabilities: { fs: { read: ['{workspace}/**'], write: ['{workspace}/**'] } },
    folders,
    shell: 'bash',
    platform: process.platform,
    headless: true,
    readGit: createReadGit([workspace]),
  };
  const session = createRuntime({
    folders: () => folders,
    limits: () => DEFAULT_LIMITS,
    shell: 'bash',
    env: process.env,
    session: { id: 'bench', setTodo: () => undefined, count: () => 1 },
  });
  const runtime: CallContext['runtime'] = (...call) =>
    session.runtime(call[0], call[1], call[2], call[3]);
  const registry = createRegistry(lockedTools([]));
  const compiler = createPolicyCompiler();
  const context = { sessionId: 'bench', registry, policy: () => policy, compiler, runtime };
  const { signal } = new AbortController();

  async function time(tool: string, input: unknown): Promise<number> {
    const started = performance.now();
    const request = { toolCallId: 'bench', tool, input };
    const envelope: Envelope = await callTool(request, context, () => undefined, signal);
    const elapsed = performance.now() - started;
    if (envelope.type === 'error') throw new Error(envelope.error_text);
    return elapsed;
  }
  return {
    workspace,
    time,
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Copies real source files from `node_modules` until there are `count`. */
export function plantCorpus(folder: string, count: number): void {
  let copied = 0;
  for (let round = 0; copied < count; round += 1) {
    const before = copied;
    for (const file of sources('node_modules', count - copied)) {
      const target = path.join(folder, `copy${round}`, path.relative('node_modules', file));
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(file, target);
      copied += 1;
    }
    if (copied === before) throw new Error('node_modules contains no sources. Run npm ci first');
  }
}

function* sources(folder: string, count: number): Generator<string> {
  let left = count;
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort(byName)) {
    if (left <= 0) return;
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && !entry.name.startsWith('.')) {
      for (const file of sources(full, left)) {
        left -= 1;
        yield file;
      }
    } else if (entry.isFile() && isSource(full)) {
      left -= 1;
      yield full;
    }
  }
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Only hand-written files, because bundles would dominate every search. */
function isSource(file: string): boolean {
  return /\.(ts|js|mjs|cjs|json|md)$/.test(file) && statSync(file).size < 100_000;
}
