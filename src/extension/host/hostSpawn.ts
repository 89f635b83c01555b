import type { ChildProcess } from 'node:child_process';

export interface HostCommand {
  readonly script: string;
  /** The folder for sessions and state; `GATEHOUSE_DATA` of the host. */
  readonly data: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Starts the host with the editor's own Node, in a process group of its own, so that it ends as a
 * whole and a Ctrl+C meant for something else does not reach it.
 */
export function spawnHost({ script, data, cwd, env }: HostCommand): ChildProcess {
  // Loaded with the first host: it is a third of what loading the extension would cost.
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn(process.execPath, [script, 'acp'], {
    cwd,
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', GATEHOUSE_DATA: data },
  });
}

/** Ends the host's process group; on Windows the process, whose job ends with it. */
export function killHost(group: number, signal: NodeJS.Signals): void {
  process.kill(process.platform === 'win32' ? group : -group, signal);
}
