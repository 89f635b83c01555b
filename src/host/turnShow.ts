import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { toCancelled } from '../acp/toUpdates.ts';
import { toTurnUpdates } from '../acp/turnNews.ts';
import type { Chunk } from '../base/chunk.ts';
import type { Client } from './client.ts';

/** Updates that may be on their way to the client at once: behind them the model waits. */
const UNDERWAY = 32;

/** Stores what a turn brings, then shows it: the two never disagree. */
export interface TurnShow {
  /** Each chunk counts once, so that one may be shown before the stream passes it on. */
  show(chunk: Chunk): void;
  /** Resolves when the client is not too far behind; rejects when it is gone. */
  ready(): Promise<void> | undefined;
  /** Calls without an outcome are over, and everything is sent. */
  finish(): Promise<void>;
}

export function createTurnShow(options: {
  readonly client: Client;
  readonly sessionId: string;
  readonly contextTokens: number;
  readonly record: (chunk: Chunk) => void;
}): TurnShow {
  const { client, sessionId, contextTokens, record } = options;
  const view = { ...client.facts, contextTokens };
  const seen = new WeakSet<Chunk>();
  const open = new Set<string>();
  let underway = 0;
  let fault: unknown;
  let newest: Promise<void> = Promise.resolve();

  function send(update: SessionUpdate): void {
    underway += 1;
    newest = client.update(sessionId, update).then(
      () => {
        underway -= 1;
      },
      (error: unknown) => {
        underway -= 1;
        fault ??= error;
      },
    );
  }

  async function settle(): Promise<void> {
    await newest;
    if (fault !== undefined) throw fault;
  }

  return {
    show(chunk) {
      if (seen.has(chunk)) return;
      seen.add(chunk);
      record(chunk);
      noteCall(open, chunk);
      for (const update of toTurnUpdates(chunk, view)) send(update);
    },
    ready: () => (underway >= UNDERWAY || fault !== undefined ? settle() : undefined),
    async finish() {
      // The rows stay frozen (CS-79); a client would show these calls as running for ever.
      for (const toolCallId of open) send(toCancelled(toolCallId));
      await settle();
    },
  };
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
  }
}
