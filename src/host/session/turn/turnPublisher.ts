import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toCancelled } from '../../../acp/toolUpdates.ts';
import { toUpdates } from '../../../acp/toUpdates.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { Disposable } from '../../../base/disposable.ts';
import type { Chunk, ToolDisplay } from '../../../base/stream/chunk.ts';
import type { Client } from '../../client/client.ts';

/** Updates that may be in flight to the client; beyond that the model's stream waits. */
const UNDERWAY = 32;

/**
 * Chunks that may be buffered in one tick. A commit costs more than a hundred rows, and storing and
 * publishing so many takes some 20 ms.
 */
const TAKEN = 1024;

/** Milliseconds to let a model request leave first; too short to notice. */
const REQUEST_MS = 2;

/**
 * Stores the chunks of a turn, then publishes them, so that the record and the client never disagree.
 * Chunks of one tick are stored in one transaction; the model's next request waits for neither step.
 */
export interface TurnPublisher {
  /** Buffers a chunk until the end of the tick, or a moment longer when a model request comes next. */
  show(chunk: Chunk): void;
  /**
   * Stores a chunk now, with everything buffered before it; the stream may deliver it again. It is
   * published a moment later, before any other message to the client. Throws when it cannot be stored:
   * its consequences must not happen then, and not before `stored` when the store is busy.
   */
  storeNow(chunk: Chunk): void;
  /** Resolves when everything so far is stored; undefined when it is. Rejects when it cannot be stored. */
  stored(): Promise<void> | undefined;
  /** Stores and publishes what is buffered. Throws when it cannot be stored. */
  flush(): void;
  /** Resolves when the store and the client have caught up enough. Rejects when one of them failed. */
  ready(): Promise<void> | undefined;
  /** Stores and publishes what is buffered, and closes calls without an outcome. Rejects as `ready` does. */
  finish(): Promise<void>;
  /** Stores what is still buffered. The turn is over, however it ended. */
  leave(): void;
}

export function createTurnPublisher(options: {
  readonly client: Client;
  readonly sessionId: string;
  readonly contextTokens: number;
  /** Calls of a continued turn that were published before and have no outcome. */
  readonly openCalls?: readonly string[];
  /** Stores the chunks. A promise when that takes longer, because the store is busy. */
  readonly record: (chunks: readonly Chunk[]) => Promise<void> | undefined;
  readonly clock?: Clock;
}): TurnPublisher {
  const { client, sessionId, contextTokens, record } = options;
  const outbox = createOutbox(client, sessionId, contextTokens, options.openCalls);
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
      // Nothing urgent is left; a call that only reads a file ends before the delay does.
      schedule.clear();
      schedule.later();
    },
    stored: backlog.behind,
    ready: () => backlog.behind() ?? (outbox.behind ? outbox.settle() : undefined),
    flush() {
      flush();
      const unstored = backlog.tryStore();
      if (unstored !== undefined) throw unstored.error;
    },
    async finish() {
      flush();
      await backlog.behind()?.catch(() => undefined);
      outbox.endCalls();
      await outbox.settle();
    },
    leave() {
      held.dispose();
      backlog.store();
    },
  };
}

/** Chunks in progress: buffered, then stored, then published. */
interface Backlog {
  /** Buffers a chunk. Returns how many are not stored yet. */
  add(chunk: Chunk): number;
  /** Rethrows the error of storing. */
  store(): void;
  /** Chunks that could not be stored are not published, nor is anything after them. Returns the error once storing failed. */
  tryStore(): { readonly error: unknown } | undefined;
  /** Chunks that cannot be published stay stored. */
  tell(): void;
  /** Resolves when what was given to a busy store is stored; undefined when it is. */
  behind(): Promise<void> | undefined;
}

function createBacklog(
  record: (chunks: readonly Chunk[]) => Promise<void> | undefined,
  outbox: Outbox,
): Backlog {
  let taken: Chunk[] = [];
  let stored: Chunk[] = [];
  let unstored: { readonly error: unknown } | undefined;
  let behind: Promise<void> | undefined;

  async function catchUp(storing: Promise<void>): Promise<void> {
    try {
      await storing;
      behind = undefined;
      backlog.tell();
    } catch (error) {
      behind = undefined;
      unstored = { error };
      outbox.fault ??= unstored;
      throw error;
    }
  }

  const backlog: Backlog = {
    add: (chunk) => taken.push(chunk),
    store() {
      const chunks = taken;
      taken = [];
      const storing = chunks.length > 0 ? record(chunks) : undefined;
      stored.push(...chunks);
      if (storing === undefined) return;
      behind ??= catchUp(storing);
      // Whoever waits for it is told, and the fault ends the turn.
      behind.catch(() => undefined);
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
    behind: () => behind,
    tell() {
      if (behind !== undefined) return;
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
  /** Why nothing more may be published. */
  fault: { readonly error: unknown } | undefined;
  readonly behind: boolean;
  tell(chunk: Chunk): void;
  /** Publishes an end for open calls, which the client would show as running forever. Their rows stay frozen (spec CS-79). */
  endCalls(): void;
  /** Resolves when the sent updates are written; rejects with the error. */
  settle(): Promise<void>;
}

function createOutbox(
  client: Client,
  sessionId: string,
  contextTokens: number,
  openCalls: readonly string[] = [],
): Outbox {
  const view = { ...client.facts, contextTokens };
  const open: OpenCalls = new Map(openCalls.map((each) => [each, undefined]));
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
      for (const [toolCallId, display] of open) send(toCancelled(toolCallId, display, view));
    },
    async settle() {
      if (outbox.fault === undefined) await newest;
      if (outbox.fault !== undefined) throw outbox.fault.error;
    },
  };
  return outbox;
}

interface Schedule {
  /** Flushes at the end of this tick. */
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

/** Chunks that a model request follows; storing and publishing them waits until the request has left. */
function isBeforeRequest({ type }: Chunk): boolean {
  return (
    type === 'start' ||
    type === 'start-step' ||
    type === 'finish-step' ||
    type === 'tool-output-available' ||
    type === 'tool-output-error'
  );
}

/** The calls without an end, with what the client was last shown of them. */
type OpenCalls = Map<string, ToolDisplay | undefined>;

/** Tracks the calls that were published and have no outcome yet. */
function noteCall(open: OpenCalls, chunk: Chunk): void {
  switch (chunk.type) {
    case 'tool-input-start':
    case 'tool-input-available':
    case 'tool-approval-request':
    case 'tool-progress':
      open.set(chunk.toolCallId, { ...open.get(chunk.toolCallId), ...chunk.display });
      return;
    case 'tool-input-error':
    case 'tool-output-available':
    case 'tool-output-error':
    case 'tool-output-denied':
      open.delete(chunk.toolCallId);
      return;
    case 'tool-hosted':
      if (chunk.state === 'input-available') open.set(chunk.toolCallId, undefined);
      else if (chunk.state !== undefined) open.delete(chunk.toolCallId);
  }
}
