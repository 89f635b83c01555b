import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** A started process and its pipes. */
export interface RunningHost {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly pid: number | undefined;
}

export interface HostExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines of stderr, or why the process could not be started. */
  readonly stderrTail: string;
  /** Milliseconds until the automatic restart; undefined if there is none. */
  readonly restartIn: number | undefined;
}

export interface HostProcessParts {
  spawn(): ChildProcess;
  /** Kills a process group. Throws if it no longer exists. */
  kill(group: number, signal: NodeJS.Signals): void;
  readonly clock: Clock;
  onStart(host: RunningHost): void;
  onExit(exit: HostExit): void;
  onStderr(text: string): void;
}

/** Delays before automatic restarts, in milliseconds. After the last one, the user must restart. */
export const BACK_OFF: readonly number[] = [250, 1_000, 3_000, 10_000, 30_000];
/** Uptime after which the restart delays are reset, in milliseconds. */
export const HEALTHY_AFTER = 60_000;
const STDERR_TAIL = 2_000;
/**
 * How long to wait for the host to exit before its process group is killed, in milliseconds. Longer
 * than the host needs to end its commands, which would be orphaned otherwise, and shorter than the
 * five seconds that VS Code gives extensions to deactivate.
 */
export const GRACE = 4_000;

/** Runs one host process, restarts it after a crash, and ends it with all its descendants. */
export class HostProcess implements Disposable {
  readonly #parts: HostProcessParts;
  #child: ChildProcess | undefined;
  #ending: ChildProcess | undefined;
  #crashes = 0;
  #restart: Disposable | undefined;
  #disposed = false;

  constructor(parts: HostProcessParts) {
    this.#parts = parts;
  }

  /** Starts the host unless it runs. A pending restart happens immediately. */
  start(): void {
    if (this.#disposed || this.#child !== undefined) return;
    this.#restart?.dispose();
    this.#restart = undefined;
    const startedAt = this.#parts.clock.now();
    const child = this.#parts.spawn();
    this.#child = child;
    let tail = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-STDERR_TAIL);
      this.#parts.onStderr(text);
    });
    child.on('error', (error) => {
      tail += error.message;
      if (child.pid === undefined) this.#exited(child, startedAt, null, null, tail);
    });
    // Use `close` instead of `exit`, because all of stderr has arrived then.
    child.on('close', (code, signal) => this.#exited(child, startedAt, code, signal, tail));
    // Writing to an exited process fails with EPIPE; its exit is reported instead.
    child.stdin?.on('error', () => undefined);
    if (child.stdin && child.stdout) {
      this.#parts.onStart({ stdin: child.stdin, stdout: child.stdout, pid: child.pid });
    }
  }

  /** Ends the host, starts a new one and resets the restart delays. */
  restart(): void {
    this.#crashes = 0;
    const child = this.#child;
    if (child === undefined) {
      this.start();
      return;
    }
    child.once('close', () => this.start());
    this.#end(child);
  }

  /** Ends a host that does not answer. That counts as a crash. */
  end(): void {
    if (this.#child !== undefined) this.#end(this.#child);
  }

  dispose(): void {
    this.#disposed = true;
    this.#restart?.dispose();
    if (this.#child !== undefined) this.#end(this.#child);
  }

  /** Resolves when the host has exited or its process group was killed. */
  async stopped(): Promise<void> {
    const child = this.#child;
    this.dispose();
    if (child === undefined) return;
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      this.#parts.clock.after(GRACE + 250, resolve);
    });
  }

  /** Ends the host only once: VS Code calls `deactivate` and disposes immediately after. */
  #end(child: ChildProcess): void {
    if (this.#ending === child) return;
    this.#ending = child;
    // When stdin closes, the host closes its sessions and ends its commands.
    child.stdin?.end();
    this.#signal(child, 'SIGTERM');
    const timer = this.#parts.clock.after(GRACE, () => this.#signal(child, 'SIGKILL'));
    child.once('close', () => timer.dispose());
  }

  #signal(child: ChildProcess, signal: NodeJS.Signals): void {
    if (child.pid === undefined) return;
    try {
      this.#parts.kill(child.pid, signal);
    } catch {
      // The process group has already exited.
    }
  }

  #exited(
    child: ChildProcess,
    startedAt: number,
    code: number | null,
    signal: NodeJS.Signals | null,
    stderrTail: string,
  ): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    // When the host exits for any reason, its commands are killed.
    this.#signal(child, 'SIGKILL');
    if (this.#disposed) return;
    if (this.#parts.clock.now() - startedAt >= HEALTHY_AFTER) this.#crashes = 0;
    const restartIn = BACK_OFF[this.#crashes];
    this.#crashes += 1;
    if (restartIn !== undefined) {
      this.#restart = this.#parts.clock.after(restartIn, () => this.start());
    }
    this.#parts.onExit({ code, signal, stderrTail: stderrTail.trim(), restartIn });
  }
}
