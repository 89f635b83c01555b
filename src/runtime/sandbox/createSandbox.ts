import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir, release } from 'node:os';
import path from 'node:path';
import { getMessage } from '../../base/faults.ts';
import { failure } from '../../base/outcome.ts';
import type { ConfinedStart } from '../commands/confined.ts';
import type { NetHooks } from '../net/net.ts';
import { makeFolders, removeFolder } from './folders.ts';
import { findPrograms, type SandboxPrograms } from './linux/programs.ts';
import { type CopyParts, openCopy, openEgress } from './openCopy.ts';
import { prepareRun } from './prepareRun.ts';
import type { CopyOptions, LiveOptions, Sandbox, SandboxState } from './sandbox.ts';
import { runSelfTest } from './selfTest.ts';

export interface CreateSandboxOptions {
  /** Existing folder in which the result of the self-test is kept. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Replaces name lookup and connecting in tests. */
  readonly hooks?: NetHooks;
}

/**
 * The sandbox of this machine: finds its programs, and tests it unless the same kernel, bwrap and user
 * passed the same test before. Never rejects: what is missing is its state.
 */
export async function createSandbox(options: CreateSandboxOptions): Promise<Sandbox> {
  const { folder, env, hooks } = options;
  if (process.platform !== 'linux') return refuse('Gatehouse has no sandbox on this system.');
  const programs = findPrograms(env);
  if ('missing' in programs) {
    return refuse(
      programs.missing === 'bwrap'
        ? 'Commands are not sandboxed, because bubblewrap (bwrap) is not installed.'
        : `Commands are not sandboxed, because ${programs.missing} is not installed.`,
    );
  }
  const fault = await prove(programs, folder).catch(getMessage);
  if (fault !== undefined) return refuse(fault);
  const home = path.resolve(env['HOME'] || homedir());
  return {
    state: { proven: true },
    openCopy: (copy: CopyOptions) => openCopy({ ...copy, programs, home, hooks }),
    live: (live: LiveOptions) => startLive(live, { programs, home, hooks }),
  };
}

function refuse(reason: string): Sandbox {
  const state: SandboxState = { proven: false, reason };
  const confined: ConfinedStart = { prepare: async () => failure(reason) };
  const held = {
    start: () => confined,
    report: () => undefined,
    changes: async () => failure(reason),
    drop: async () => failure(reason),
    release: () => undefined,
  };
  return {
    state,
    openCopy: () => ({
      hold: async () => ({ ok: true, data: held }),
      close: async () => undefined,
    }),
    live: () => confined,
  };
}

function startLive(
  live: LiveOptions,
  { programs, home, hooks }: Pick<CopyParts, 'programs' | 'home' | 'hooks'>,
): ConfinedStart {
  return {
    async prepare(launch) {
      makeFolders(live.folder, 0);
      const proxy = await openEgress(live.egress, hooks);
      const prepared = prepareRun({ ...live, programs, home, proxy, copies: false }, launch);
      if (!prepared.ok) proxy?.close();
      return prepared;
    },
  };
}

/** Changes with the probes and with what is built: an older result then counts no more. */
const TEST_VERSION = 2;

async function prove(programs: SandboxPrograms, folder: string): Promise<string | undefined> {
  const { mtimeMs, size } = statSync(programs.bwrap);
  const facts = [TEST_VERSION, release(), programs.bwrap, mtimeMs, size, process.getuid?.()];
  const key = JSON.stringify(facts);
  const file = path.join(folder, 'sandbox-test.json');
  if (readStored(file) === key) return undefined;
  mkdirSync(folder, { recursive: true });
  removeLeft(folder);
  const fault = await runSelfTest({ programs, folder });
  // A failure is tested again by the next host: what was missing may have been installed.
  if (fault === undefined) writeFileSync(file, key, { mode: 0o600 });
  return fault;
}

function readStored(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not tested yet.
    return undefined;
  }
}

/** What a test left whose host was killed. */
function removeLeft(folder: string): void {
  const dayAgo = Date.now() - 86_400_000;
  for (const name of readdirSync(folder)) {
    const left = path.join(folder, name);
    if (name.startsWith('selftest-') && statSync(left).mtimeMs < dayAgo) removeFolder(left);
  }
}
