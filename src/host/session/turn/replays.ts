import { replay } from '../../../acp/replay.ts';
import type { StoredMessage } from '../../../base/stream/stored.ts';
import type { HostServices } from '../../services/hostServices.ts';

/** Messages that are read and sent at a time: a megabyte of calls that fill their limits. */
const GROUP = 20;

/** An open session. */
interface Replayed {
  readonly id: string;
  readonly status: string;
}

/** Sends whole histories, which may take seconds. */
export class Replays {
  readonly #services: Pick<HostServices, 'client' | 'recorder'>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #waiting = new Set<{ readonly sessionId: string; cancel(): void }>();

  constructor(services: Pick<HostServices, 'client' | 'recorder'>) {
    this.#services = services;
  }

  /**
   * Sends all messages of the session, the first ones at once, and other work goes on in between. What a
   * turn says comes after them (spec CS-78): when one runs, nothing goes in between.
   */
  async run(session: Replayed): Promise<void> {
    const earlier = this.#running.get(session.id);
    const sending = this.#sendAll(session, earlier);
    const ended = sending.catch(() => undefined);
    this.#running.set(session.id, ended);
    try {
      await sending;
    } finally {
      if (this.#running.get(session.id) === ended) this.#running.delete(session.id);
    }
  }

  /**
   * Resolves when the histories of the session that are being sent were sent; with false if the wait was
   * cancelled. Undefined if none is: a cancel that follows a prompt at once must find its turn.
   */
  ended(sessionId: string): Promise<boolean> | undefined {
    const running = this.#running.get(sessionId);
    return running && this.#wait(sessionId, running);
  }

  async #wait(sessionId: string, running: Promise<void>): Promise<boolean> {
    const left = Promise.withResolvers<boolean>();
    const wait = { sessionId, cancel: () => left.resolve(false) };
    this.#waiting.add(wait);
    try {
      return await Promise.race([running.then(() => true), left.promise]);
    } finally {
      this.#waiting.delete(wait);
    }
  }

  /** Cancels the prompts that come after the session's histories. */
  cancelWaiting(sessionId: string): void {
    for (const wait of this.#waiting) if (wait.sessionId === sessionId) wait.cancel();
  }

  async #sendAll(session: Replayed, earlier: Promise<void> | undefined): Promise<void> {
    if (earlier !== undefined) await earlier;
    const { client, recorder } = this.#services;
    const writing: Promise<void>[] = [];
    for (const messages of recorder.messageGroups(session.id, GROUP)) {
      const written = sendAtOnce(client, session.id, messages);
      // It is awaited with the others.
      written.catch(() => undefined);
      writing.push(written);
      if (session.status === 'idle') await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(writing);
  }
}

/** Hands them to the client before this returns. Resolves when they are written. */
export async function sendAtOnce(
  client: HostServices['client'],
  sessionId: string,
  messages: readonly StoredMessage[],
): Promise<void> {
  const updates = [...replay(messages, client.facts)];
  await Promise.all(updates.map((update) => client.update(sessionId, update)));
}
