import type { QueuedMessage } from '../../../webview/messages/chatState.ts';
import { type Sendable, toListed } from './waiting.ts';

/** What is used of a session. */
interface RemovableSession {
  readonly busy: boolean;
  readonly state: { readonly queue: readonly QueuedMessage[] };
  set(values: { readonly removed: QueuedMessage | null }): void;
}

export interface RemovedMessagesParts<Session, Message> {
  /** Removes a message from the queue and returns it. Undefined if its turn has started. */
  take(session: Session, id: string): Promise<Message | undefined>;
  /** Queues a message again, before the one with this id if that is still queued, else last. */
  queue(session: Session, message: Message, before: string | undefined): void;
  /** Puts a message into the composer. */
  putBack(session: Session, message: Message): void;
}

interface Removed<Message> {
  readonly id: string;
  readonly message: Message;
  /** The id of the message that followed it in the queue. */
  readonly before: string | undefined;
}

/**
 * The messages that the user removed from queues. The chat shows the last one of a session, with *Undo*,
 * until another message is sent.
 */
export class RemovedMessages<Session extends RemovableSession, Message extends Sendable> {
  readonly #parts: RemovedMessagesParts<Session, Message>;
  readonly #removed = new WeakMap<Session, readonly Removed<Message>[]>();

  constructor(parts: RemovedMessagesParts<Session, Message>) {
    this.#parts = parts;
  }

  /** Removes a message from the queue. A message whose turn has started stays. */
  async remove(session: Session, id: string): Promise<void> {
    const { queue } = session.state;
    const before = queue[queue.findIndex((entry) => entry.id === id) + 1]?.id;
    const message = await this.#parts.take(session, id);
    if (message !== undefined)
      this.#show(session, [...this.#all(session), { id, message, before }]);
  }

  /** Queues the message again that was removed last. Without a running turn, it would be sent: the composer gets it. */
  restore(session: Session): void {
    const all = this.#all(session);
    const last = all.at(-1);
    if (last === undefined) return;
    this.#show(session, all.slice(0, -1));
    if (session.busy) this.#parts.queue(session, last.message, last.before);
    else this.#parts.putBack(session, last.message);
  }

  dismiss(session: Session): void {
    if (this.#all(session).length > 0) this.#show(session, []);
  }

  #all(session: Session): readonly Removed<Message>[] {
    return this.#removed.get(session) ?? [];
  }

  #show(session: Session, removed: readonly Removed<Message>[]): void {
    this.#removed.set(session, removed);
    const last = removed.at(-1);
    session.set({ removed: last === undefined ? null : toListed(last.id, last.message) });
  }
}
