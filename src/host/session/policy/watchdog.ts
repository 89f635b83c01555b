import { spawn } from 'node:child_process';
import { codeOf } from '../../../base/faults.ts';
import { KB } from '../../../base/units.ts';
import {
  createWatchdog,
  parseWatchdogAnswer,
  stricterAnswer,
  WATCHDOG_FAILED,
  type WatchdogAnswer,
  type WatchdogCall,
} from '../../../permissions/evaluate/watchdog.ts';
import { childEnvironment } from '../../../runtime/commands/environment.ts';

export interface SessionWatchdogOptions {
  /** `gatehouse.watchdog.command` as it is now: program and arguments; empty or absent: none. */
  command?(): readonly string[];
  /** Secrets the host knows now. */
  secrets(): readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds the command has; 5000 when absent. */
  readonly limitMs?: number;
  /** The same call this often in a row asks; 3 when absent. */
  readonly repeatLimit?: number;
}

export type SessionWatchdog = (call: WatchdogCall, signal: AbortSignal) => Promise<WatchdogAnswer>;

/** The session's watchdog: what is built in, then the user's own program; the stricter verdict holds. */
export function createSessionWatchdog(options: SessionWatchdogOptions): SessionWatchdog {
  const builtIn = createWatchdog({
    secrets: options.secrets,
    ...(options.repeatLimit !== undefined && { repeatLimit: options.repeatLimit }),
  });
  return async (call, signal) => {
    const own = builtIn(call);
    const command = options.command?.() ?? [];
    if (own.action === 'deny' || command.length === 0) return own;
    // A command that no system takes ends here, as one that fails.
    const answer = await askProgram(command, call, options, signal).catch(() => FAILED);
    return stricterAnswer(own, answer);
  };
}

const LIMIT_MS = 5000;
/** More than any verdict needs; a program that writes more is stopped. */
const OUTPUT_LIMIT = 64 * KB;
const FAILED: WatchdogAnswer = { action: 'deny', reason: WATCHDOG_FAILED };

/** One JSON document in, one out, exit code 0, within the limit; everything else is a deny (CA-40). */
function askProgram(
  [program = '', ...args]: readonly string[],
  call: WatchdogCall,
  { cwd, env, limitMs = LIMIT_MS }: SessionWatchdogOptions,
  signal: AbortSignal,
): Promise<WatchdogAnswer> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: childEnvironment(env, 'watchdog'),
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    let output = '';
    const end = (result: WatchdogAnswer): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      stop(child.pid);
      resolve(result);
    };
    const abort = () => end(FAILED);
    const timer = setTimeout(abort, limitMs);
    signal.addEventListener('abort', abort, { once: true });
    child.on('error', abort);
    child.stdin.on('error', () => undefined); // A program may answer without reading.
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      if (output.length > OUTPUT_LIMIT) abort();
    });
    child.on('close', (code) => end(code === 0 ? read(output) : FAILED));
    child.stdin.end(JSON.stringify(call));
    if (signal.aborted) abort();
  });
}

function read(output: string): WatchdogAnswer {
  try {
    return parseWatchdogAnswer(JSON.parse(output));
  } catch {
    return FAILED;
  }
}

/** Ends the program and what it started; it may be gone already. */
function stop(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (fault) {
    const code = codeOf(fault);
    if (code !== 'ESRCH' && code !== 'EPERM') throw fault;
  }
}
