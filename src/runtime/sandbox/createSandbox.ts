import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { getMessage } from '../../base/faults.ts';
import { failure, success } from '../../base/outcome.ts';
import type { ConfinedStart, PreparedRun } from '../confined.ts';
import type { NetHooks } from '../net/net.ts';
import type { EgressProxy } from './egress/proxy.ts';
import { removeLeftProxies } from './egress/proxyFolder.ts';
import { makeFolders, tryToRemove } from './folders.ts';
import { findLayoutFault, toInsideHome } from './linux/layout.ts';
import {
  findPrograms,
  isProof,
  nameMachine,
  readProof,
  type SandboxPrograms,
  storeProof,
} from './linux/programs.ts';
import { findRepositoryPins } from './linux/repositoryPins.ts';
import { createLookOnly } from './lookOnly.ts';
import { runLookTest } from './lookTest.ts';
import { type CopyParts, openCopy, openEgress } from './openCopy.ts';
import { prepareRun, toSetUpFault } from './prepareRun.ts';
import { refuse } from './refuse.ts';
import type { CopyOptions, LiveOptions, Sandbox } from './sandbox.ts';
import { runSelfTest } from './selfTest.ts';

export interface CreateSandboxOptions {
  /** Existing folder in which the result of the self-test is kept. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Replaces name lookup and connecting in tests. */
  readonly hooks?: NetHooks;
  /** Replaces the system's own in tests. */
  readonly platform?: NodeJS.Platform;
  /** Replaces the system's own in tests. */
  readonly clock?: Clock;
}

/**
 * The sandbox of this machine: finds its programs, and tests it unless the same kernel, bwrap and user
 * passed the same test before. Never rejects: what is missing is its state.
 */
export async function createSandbox(options: CreateSandboxOptions): Promise<Sandbox> {
  const { folder, env, hooks, clock, platform = process.platform } = options;
  const machine = nameMachine(env);
  if (platform === 'darwin') return createSeatbelt(options, machine);
  if (platform !== 'linux') {
    return refuse('Gatehouse has no sandbox on this system.', machine);
  }
  const programs = findPrograms(env);
  if ('missing' in programs) {
    return refuse(
      programs.missing === 'bwrap'
        ? 'Commands are not sandboxed, because bubblewrap (bwrap) is not installed.'
        : `Commands are not sandboxed, because ${programs.missing} is not installed.`,
      machine,
    );
  }
  removeLeftProxies();
  const fault = await prove(programs, folder).catch(toSetUpFault);
  if (fault !== undefined) return refuse(fault, machine);
  const home = toInsideHome(path.resolve(env['HOME'] || homedir()));
  const running = new Set<string>();
  return {
    state: { proven: true },
    machine,
    openCopy: (copy: CopyOptions) => openCopy({ ...copy, programs, home, hooks, clock }),
    live: (live: LiveOptions) => startLive(live, { programs, home, hooks, running }),
  };
}

/**
 * The sandbox of a Mac, if it holds what its test tries, each time: an update of the system may change what the rules
 * mean. `GATEHOUSE_SANDBOX_EXEC` names another `sandbox-exec`.
 */
async function createSeatbelt(
  { folder, env }: CreateSandboxOptions,
  machine: string,
): Promise<Sandbox> {
  const program = env['GATEHOUSE_SANDBOX_EXEC'] || '/usr/bin/sandbox-exec';
  if (!existsSync(program)) {
    return refuse(`Commands are not sandboxed, because ${program} does not exist.`, machine);
  }
  const test = async () => {
    mkdirSync(folder, { recursive: true });
    removeLeft(folder);
    return runLookTest(program, folder);
  };
  const fault = await test().catch(getMessage);
  if (fault !== undefined) return refuse(fault, machine);
  return createLookOnly({ program, home: path.resolve(env['HOME'] || homedir()) }, machine);
}

interface LiveParts extends Pick<CopyParts, 'programs' | 'home' | 'hooks'> {
  /** The folders whose HOME and /tmp a confined command has now. */
  readonly running: Set<string>;
}

function startLive(
  live: LiveOptions,
  { programs, home, hooks, running }: LiveParts,
): ConfinedStart {
  return {
    async prepare(launch) {
      const fault = findLayoutFault(live, home, 'confine commands to');
      if (fault !== undefined) return failure(fault);
      const pins = await findRepositoryPins(live.workspace);
      if (!pins.ok) return pins;
      // Commands run side by side; HOME and /tmp are kept for the next, the empty files that hide others are not.
      const folder = path.join(live.folder, randomUUID());
      // One that runs in HOME and /tmp could lead astray what is mounted there.
      const isFree = !running.has(live.folder);
      const kept = isFree ? live.folder : folder;
      let proxy: EgressProxy | undefined;
      const remove = () => {
        if (isFree) running.delete(live.folder);
        tryToRemove(folder);
      };
      const end = () => {
        proxy?.close();
        remove();
      };
      if (isFree) running.add(live.folder);
      try {
        makeFolders(live.folder, 0);
        makeFolders(folder, 0);
        proxy = await openEgress(live.egress, { ...live, hooks });
        const plan = { ...live, ...{ programs, home, proxy, folder, kept, pins: pins.data } };
        const prepared = prepareRun(plan, launch);
        if (prepared.ok) return success(withEnd(prepared.data, remove));
        end();
        return prepared;
      } catch (error) {
        end();
        return failure(toSetUpFault(error));
      }
    },
  };
}

function withEnd(run: PreparedRun, end: () => void): PreparedRun {
  return {
    ...run,
    async after(cut) {
      try {
        return await run.after(cut);
      } finally {
        end();
      }
    },
  };
}

async function prove(programs: SandboxPrograms, folder: string): Promise<string | undefined> {
  if (isProof(readProof(folder), programs)) return undefined;
  mkdirSync(folder, { recursive: true });
  removeLeft(folder);
  const fault = await runSelfTest({ programs, folder });
  // A failure is tested again by the next host: what was missing may have been installed.
  if (fault === undefined) storeProof(folder, programs);
  return fault;
}

/** What a test left whose host was killed. */
function removeLeft(folder: string): void {
  const dayAgo = Date.now() - 86_400_000;
  for (const name of readdirSync(folder)) {
    const left = path.join(folder, name);
    if (!name.startsWith('selftest-')) continue;
    const { mtimeMs } = statSync(left, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs !== undefined && mtimeMs < dayAgo) tryToRemove(left);
  }
}
