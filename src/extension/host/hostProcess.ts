import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';

/** A process that has just been started; its pipes are free to use. */
export interface RunningHost {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly pid: number | undefined;
}

export interface HostExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines the process wrote on stderr, or why it could not be started. */
  readonly stderrTail: string;
  /** Milliseconds until the next start; undefined when it will not be started again by itself. */
  readonly restartIn: number | undefined;
}

export interface HostProcessParts {
  spawn(): ChildProcess;
  /** Ends a whole process group. Throws when it is gone already. */
  kill(group: number, signal: NodeJS.Signals): void;
  readonly clock: Clock;
  onStart(host: RunningHost): void;
  onExit(exit: HostExit): void;
  onStderr(text: string): void;
}

/** Waits between starts, in milliseconds. After the last one the user has to ask for a start. */
export const BACK_OFF: readonly number[] = [250, 1_000, 3_000, 10_000, 30_000];
/** A host that lived this long had a good start; the waits begin anew. Milliseconds. */
export const HEALTHY_AFTER = 60_000;
const STDERR_TAIL = 2_000;
/**
 * How long the host may take to end its commands before its group is killed, which would leave them
 * running. Milliseconds: more than the host allows itself, less than the five seconds that the editor
 * gives its extensions to end.
 */
export const GRACE = 4_000;

/** Keeps one host process alive while the window wants it, and ends it with everything it started. */
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

  /** Starts the host unless it runs. A pending restart is brought forward. */
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
    // `close`, not `exit`: only then has all of stderr arrived.
    child.on('close', (code, signal) => this.#exited(child, startedAt, code, signal, tail));
    // A dead process shows as EPIPE here; its exit is what gets reported.
    child.stdin?.on('error', () => undefined);
    if (child.stdin && child.stdout) {
      this.#parts.onStart({ stdin: child.stdin, stdout: child.stdout, pid: child.pid });
    }
  }

  /** Ends the running host and starts a new one, with the waits reset. */
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

  dispose(): void {
    this.#disposed = true;
    this.#restart?.dispose();
    if (this.#child !== undefined) this.#end(this.#child);
  }

  /** Resolves when the host has ended, at the latest when its group was killed. */
  async stopped(): Promise<void> {
    const child = this.#child;
    this.dispose();
    if (child === undefined) return;
    await new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      this.#parts.clock.after(GRACE + 250, resolve);
    });
  }

  /** The editor calls `deactivate` and disposes right behind it: the host is told to end once. */
  #end(child: ChildProcess): void {
    if (this.#ending === child) return;
    this.#ending = child;
    // Closing stdin lets the host close its sessions and end what it started.
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
      // The group is gone already, which is what was asked for.
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
    // What the host started must not outlive it, however it died.
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
