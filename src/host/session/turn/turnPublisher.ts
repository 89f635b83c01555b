import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toCancelled } from '../../../acp/toolUpdates.ts';
import { toUpdates } from '../../../acp/toUpdates.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { Chunk } from '../../../base/stream/chunk.ts';
import type { Client } from '../../client/client.ts';

/** Updates that may be on their way to the client at once: behind them the model waits. */
const UNDERWAY = 32;

/** Chunks that one tick may hold back. */
const TAKEN = 64;

/** Milliseconds that a request is given to leave; nobody sees so short a time. */
const REQUEST_MS = 2;

/**
 * Stores what a turn brings, then shows it: the two never disagree. What one tick of the process brings
 * is stored in one transaction and shown behind it, so that the model's next request waits for neither.
 */
export interface TurnPublisher {
  /** Takes a chunk for the end of the tick, or, when a request comes next, for a moment behind it. */
  show(chunk: Chunk): void;
  /**
   * Stores a chunk now, and all that was taken before it; the stream may bring it again. It is shown a
   * moment later, before anything else the client is sent. Throws when it cannot be stored: what would
   * follow from it must not happen.
   */
  storeNow(chunk: Chunk): void;
  /** Resolves when the client is not too far behind; rejects when it is gone or nothing can be stored. */
  ready(): Promise<void> | undefined;
  /** Stores and shows what was taken; calls without an outcome are over. Rejects as `ready` does. */
  finish(): Promise<void>;
  /** Stores what was taken and was not stored yet: the turn is over, however it ended. */
  leave(): void;
}

export function createTurnPublisher(options: {
  readonly client: Client;
  readonly sessionId: string;
  readonly contextTokens: number;
  readonly record: (chunks: readonly Chunk[]) => void;
  readonly clock?: Clock;
}): TurnPublisher {
  const { client, sessionId, contextTokens, record } = options;
  const outbox = createOutbox(client, sessionId, contextTokens);
  const backlog = createBacklog(record, outbox);
  const held = client.holdBack(() => backlog.tell());
  const early = new WeakSet<Chunk>();
  const schedule = createSchedule(flush, options.clock ?? systemClock);

  function flush(): void {
    schedule.clear();
    backlog.tryStore();
    backlog.tell();
  }

  return {
    show(chunk) {
      if (early.delete(chunk)) return;
      if (backlog.add(chunk) >= TAKEN) flush();
      else if (isBeforeRequest(chunk)) schedule.later();
      else schedule.soon();
    },
    storeNow(chunk) {
      early.add(chunk);
      backlog.add(chunk);
      const unstored = backlog.tryStore();
      if (unstored !== undefined) throw unstored.error;
      // Nothing is left that must be stored soon; a call that only reads a file is over before the moment is.
      schedule.clear();
      schedule.later();
    },
    ready: () => (outbox.behind ? outbox.settle() : undefined),
    async finish() {
      flush();
      outbox.endCalls();
      await outbox.settle();
    },
    leave() {
      held.dispose();
      backlog.store();
    },
  };
}

/** The chunks on their way: taken, then stored, then told. */
interface Backlog {
  /** Takes a chunk; the number of those that are not stored. */
  add(chunk: Chunk): number;
  /** Throws what storing throws. */
  store(): void;
  /** What could not be stored is not told, nor is anything after it. Returns why, once storing failed. */
  tryStore(): { readonly error: unknown } | undefined;
  /** What cannot be told stays stored. */
  tell(): void;
}

function createBacklog(record: (chunks: readonly Chunk[]) => void, outbox: Outbox): Backlog {
  let taken: Chunk[] = [];
  let stored: Chunk[] = [];
  let unstored: { readonly error: unknown } | undefined;
  const backlog: Backlog = {
    add: (chunk) => taken.push(chunk),
    store() {
      const chunks = taken;
      taken = [];
      if (chunks.length > 0) record(chunks);
      stored.push(...chunks);
    },
    tryStore() {
      try {
        backlog.store();
      } catch (error) {
        unstored = { error };
        outbox.fault ??= unstored;
      }
      return unstored;
    },
    tell() {
      const chunks = stored;
      stored = [];
      for (const chunk of chunks) {
        if (outbox.fault === undefined) outbox.tell(chunk);
      }
    },
  };
  return backlog;
}

interface Outbox {
  /** Why nothing more may be shown. */
  fault: { readonly error: unknown } | undefined;
  readonly behind: boolean;
  tell(chunk: Chunk): void;
  /** The rows stay frozen (spec CS-79); a client would show calls without an outcome as running for ever. */
  endCalls(): void;
  /** Resolves when what was sent is on its way; rejects with the fault. */
  settle(): Promise<void>;
}

function createOutbox(client: Client, sessionId: string, contextTokens: number): Outbox {
  const view = { ...client.facts, contextTokens };
  const open = new Set<string>();
  let underway = 0;
  let newest: Promise<void> = Promise.resolve();
  function send(update: SessionUpdate): void {
    underway += 1;
    const end = () => {
      underway -= 1;
    };
    newest = client.update(sessionId, update).then(end, (error: unknown) => {
      end();
      outbox.fault ??= { error };
    });
  }

  const outbox: Outbox = {
    fault: undefined,
    get behind() {
      return underway >= UNDERWAY || outbox.fault !== undefined;
    },
    tell(chunk) {
      noteCall(open, chunk);
      for (const update of toUpdates(chunk, view)) send(update);
    },
    endCalls() {
      for (const toolCallId of open) send(toCancelled(toolCallId));
    },
    async settle() {
      if (outbox.fault === undefined) await newest;
      if (outbox.fault !== undefined) throw outbox.fault.error;
    },
  };
  return outbox;
}

interface Schedule {
  /** At the end of this tick. */
  soon(): void;
  later(): void;
  clear(): void;
}

function createSchedule(run: () => void, clock: Clock): Schedule {
  let immediate: NodeJS.Immediate | undefined;
  let timer: Disposable | undefined;
  return {
    soon: () => {
      immediate ??= setImmediate(run);
    },
    later: () => {
      timer ??= clock.after(REQUEST_MS, run);
    },
    clear: () => {
      clearImmediate(immediate);
      timer?.dispose();
      immediate = undefined;
      timer = undefined;
    },
  };
}

/** The model is asked next: storing and showing such a chunk waits until the request has left. */
function isBeforeRequest({ type }: Chunk): boolean {
  return (
    type === 'start' ||
    type === 'start-step' ||
    type === 'finish-step' ||
    type === 'tool-output-available' ||
    type === 'tool-output-error'
  );
}

/** Keeps the ids of the calls that were shown and have no outcome yet. */
function noteCall(open: Set<string>, chunk: Chunk): void {
  switch (chunk.type) {
    case 'tool-input-start':
    case 'tool-input-available':
      open.add(chunk.toolCallId);
      return;
    case 'tool-input-error':
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
      open.delete(chunk.toolCallId);
      return;
    case 'tool-hosted':
      if (chunk.state === 'input-available') open.add(chunk.toolCallId);
      else if (chunk.state !== undefined) open.delete(chunk.toolCallId);
  }
}
