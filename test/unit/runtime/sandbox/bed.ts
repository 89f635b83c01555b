import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../../src/base/clock.ts';
import { createProcesses } from '../../../../src/runtime/commands/processes.ts';
import { createLocalShell } from '../../../../src/runtime/commands/shell.ts';
import type { ConfinedStart } from '../../../../src/runtime/confined.ts';
import type { NetHooks } from '../../../../src/runtime/net/net.ts';
import type { ShellResult } from '../../../../src/runtime/runtime.ts';
import type { HeldCopy, SessionCopy } from '../../../../src/runtime/sandbox/copy.ts';
import { createSandbox } from '../../../../src/runtime/sandbox/createSandbox.ts';
import { removeFolder } from '../../../../src/runtime/sandbox/folders.ts';
import type { Sandbox } from '../../../../src/runtime/sandbox/sandbox.ts';
import { createSidecars } from '../../../../src/runtime/sidecars.ts';

/** A workspace, a folder outside it, a HOME and the real sandbox of this machine. */
export interface SandboxBed extends AsyncDisposable {
  readonly base: string;
  readonly workspace: string;
  readonly outside: string;
  readonly home: string;
  readonly sandbox: Sandbox;
  readonly copy: SessionCopy;
  /** Runs a command confined; fails the test when the sandbox doesn't start it. */
  run(confined: ConfinedStart, command: string, env?: NodeJS.ProcessEnv): Promise<ShellResult>;
  hold(): Promise<HeldCopy>;
}

const { signal } = new AbortController();

export async function openSandboxBed(
  env: NodeJS.ProcessEnv = {},
  hooks: NetHooks = {},
  clock?: Clock,
): Promise<SandboxBed> {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'sandbox-')));
  const folder = (name: string) => {
    mkdirSync(path.join(base, name), { recursive: true });
    return path.join(base, name);
  };
  const [workspace, outside, home] = [folder('workspace'), folder('outside'), folder('home')];
  const shared = { ...process.env, GATEHOUSE_BWRAP: '', HOME: home, ...env };
  const own = { env: shared, hooks, ...(clock && { clock }) };
  const sandbox = await createSandbox({ folder: folder('state'), ...own });
  const copy = sandbox.openCopy({ folder: path.join(base, 'data/copy'), workspace: [workspace] });
  const leases: HeldCopy[] = [];
  const sidecars = createSidecars(path.join(base, 'sidecars'));
  return {
    ...{ base, workspace, outside, home, sandbox, copy },
    async run(confined, command, more) {
      const options = {
        env: { ...shared, ...more },
        processes: createProcesses(),
        sidecars,
        signal,
        confined,
      };
      const shell = createLocalShell({ ...options, shell: 'bash' });
      const limits = { timeoutMs: 60_000, outputBytes: 100_000, background: false };
      const ran = await shell.run({ command, title: '', cwd: workspace, ...limits });
      if (!ran.ok) throw new Error(ran.error);
      return ran.data;
    },
    async hold() {
      const held = await copy.hold(signal);
      if (!held.ok) throw new Error(held.error);
      leases.push(held.data);
      return held.data;
    },
    async [Symbol.asyncDispose]() {
      // A test that failed has not released it.
      for (const lease of leases) lease.release();
      await copy.close();
      removeFolder(base);
    },
  };
}

/** The processes whose environment names this folder: those of its sandboxes. */
export function countProcesses(base: string): number {
  const isOwn = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${base}/`);
    } catch {
      // It is gone, or no process.
      return false;
    }
  };
  return readdirSync('/proc').filter(isOwn).length;
}
