import { randomUUID } from 'node:crypto';
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
import { endTree } from '../../../runtime/commands/processTree.ts';
import { startProgram } from '../../../runtime/commands/startProgram.ts';
import { knownSecrets } from '../../client/secrets.ts';
import type { HostConfiguration } from '../../config/configuration.ts';
import type { HostServices } from '../../services/hostServices.ts';

export interface SessionWatchdogOptions {
  /** The current `gatehouse.watchdog.command`: program and arguments. Empty or absent: none. */
  command?(): readonly string[];
  /** The secrets that the host currently holds. */
  secrets(): readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The variables that the user passes to programs; default: none. */
  passes?(): readonly string[];
  /** The time limit of the command in milliseconds; default 5000. */
  limitMs?(): number;
  /** How many identical calls in a row lead to an ask; default 3. */
  readonly repeatLimit?: number;
}

export type SessionWatchdog = (call: WatchdogCall, signal: AbortSignal) => Promise<WatchdogAnswer>;

interface WatchedSession {
  readonly cwd: string;
  configuration(): HostConfiguration;
}

/** The watchdog of a session, by its settings. */
export function createOwnWatchdog(
  { client, env }: Pick<HostServices, 'client' | 'env'>,
  session: WatchedSession,
): SessionWatchdog {
  return createSessionWatchdog({
    command: () => session.configuration().settings.watchdog.command,
    secrets: () => knownSecrets(client),
    cwd: session.cwd,
    env,
    passes: () => session.configuration().settings.passedVariables,
    limitMs: () => session.configuration().settings.limits.watchdogMs,
  });
}

/** The session's watchdog: the built-in checks, then the user's own program. The stricter answer wins. */
export function createSessionWatchdog(options: SessionWatchdogOptions): SessionWatchdog {
  const builtIn = createWatchdog({
    secrets: options.secrets,
    ...(options.repeatLimit !== undefined && { repeatLimit: options.repeatLimit }),
  });
  return async (call, signal) => {
    const own = builtIn(call);
    const command = options.command?.() ?? [];
    if (own.action === 'deny' || command.length === 0) return own;
    // Any failure denies the call.
    const answer = await askProgram(command, call, options, signal).catch(() => FAILED);
    return stricterAnswer(own, answer);
  };
}

const LIMIT_MS = 5000;
/** More than any answer needs; a program that writes more is stopped. */
const OUTPUT_LIMIT = 64 * KB;
const FAILED: WatchdogAnswer = { action: 'deny', reason: WATCHDOG_FAILED };

/** One JSON document in, one out, exit code 0, within the limits; anything else denies the call (spec CA-40). */
async function askProgram(
  [file = '', ...args]: readonly string[],
  call: WatchdogCall,
  { cwd, env, passes, limitMs }: SessionWatchdogOptions,
  signal: AbortSignal,
): Promise<WatchdogAnswer> {
  const started = await startProgram({
    argv: [file, ...args],
    cwd,
    env: childEnvironment(env, passes?.()),
    mark: { run: randomUUID(), in: 'variables' },
    ending: endTree,
    stdin: { content: JSON.stringify(call) },
    stderr: 'ignore',
    keep: { stdout: { head: OUTPUT_LIMIT } },
    maxStdout: OUTPUT_LIMIT,
    timeoutMs: limitMs?.() ?? LIMIT_MS,
    signal,
    until: 'close',
  });
  if (!started.ok) return FAILED;
  const { program } = started;
  const by = await program.ended;
  // Kill its descendants with it.
  await program.end();
  const { exitCode } = program.status();
  return by === 'exit' && exitCode === 0 ? read(program.read('stdout').head) : FAILED;
}

function read(output: string): WatchdogAnswer {
  try {
    return parseWatchdogAnswer(JSON.parse(output));
  } catch {
    return FAILED;
  }
}
