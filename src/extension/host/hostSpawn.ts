import type { ChildProcess } from 'node:child_process';

export interface HostCommand {
  readonly script: string;
  /** The folder for sessions and state, passed as `GATEHOUSE_DATA`. */
  readonly data: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** V8 takes twice as much for new objects by default, and keeps it. */
const NEW_OBJECTS_MB = 8;

/** V8 begins with 1 MB, and copies what a host that starts has just loaded again and again. */
const FIRST_OBJECTS_MB = 4;

/** The options of Node that the host is started with. */
export const HOST_OPTIONS: readonly string[] = [
  `--min-semi-space-size=${FIRST_OBJECTS_MB}`,
  `--max-semi-space-size=${NEW_OBJECTS_MB}`,
];

/**
 * Starts the host with VS Code's Node in a separate process group, so that the group can be killed
 * as a whole and does not receive a Ctrl+C that is meant for VS Code.
 */
export function spawnHost({ script, data, cwd, env }: HostCommand): ChildProcess {
  // Loaded lazily, because it takes a third of the extension's load time.
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn(process.execPath, [...HOST_OPTIONS, script, 'acp'], {
    cwd,
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', GATEHOUSE_DATA: data },
  });
}

/** Kills the host's process group; on Windows, the process, whose job object ends with it. */
export function killHost(group: number, signal: NodeJS.Signals): void {
  process.kill(process.platform === 'win32' ? group : -group, signal);
}
