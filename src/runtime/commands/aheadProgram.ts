import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Descriptor, Launch, StartedChild } from '../confined.ts';
import { connectDescriptors, startChild } from './startProgram.ts';

/**
 * A program that was started before it is known what it will do: it waits for the bytes of its last descriptor. It
 * leads a group of its own, and keeps no host running.
 */
export interface AheadProgram {
  /** The mark that its descendants carry. */
  readonly mark: string;
  /** False once it has exited or was taken. */
  isWaiting(): boolean;
  /** Gives it what it waits for. Nobody else may have it then. */
  take(input: Buffer): StartedChild;
  /**
   * Kills it with its group, if nobody took it. Resolves when it and what it started have ended, as far as they hold its
   * output: one that is being killed may still finish a system call, such as a mount.
   */
  end(): Promise<void>;
}

/** Starts it. Throws what the system says when it can't be started. `descriptors` come before the one it waits for. */
export function startAhead(launch: Launch, descriptors: readonly Descriptor[]): AheadProgram {
  const mark = randomUUID();
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const all = [...descriptors, { make: () => promise }];
  const own = { mark: { run: mark, in: 'variables' }, ending: 'group' } as const;
  const child = startChild({ ...launch, ...own, descriptors: all });
  const closed = new Promise<void>((done) => {
    child.once('close', () => done());
    // It could not be started, or a signal not be sent.
    child.on('error', () => done());
  });
  connectDescriptors(child, all);
  const streams = child.stdio.slice(1) as (Duplex & { ref(): void; unref(): void })[];
  child.unref();
  for (const stream of streams) stream.unref();
  let taken = false;
  const isRunning = () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    mark,
    isWaiting: () => !taken && isRunning(),
    take(input) {
      taken = true;
      child.ref();
      for (const stream of streams) stream.ref();
      resolve(input);
      return child;
    },
    async end() {
      if (taken) return;
      taken = true;
      resolve(Buffer.alloc(0));
      child.ref();
      for (const stream of streams) stream.ref();
      try {
        if (isRunning()) process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // It has exited.
      }
      await Promise.race([closed, delay(LIMIT_MS, undefined, { ref: false })]);
    },
  };
}

const LIMIT_MS = 10_000;
