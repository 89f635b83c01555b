import { type Disposable, DisposableStore } from '../../base/disposable.ts';
import { Emitter } from '../../base/event.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import type { Chats } from '../chat/chats.ts';

export interface UnreadParts {
  readonly chats: Pick<Chats, 'onDidChange'>;
  /** Whether the user can see the session now. */
  isSeen(session: ChatSession): boolean;
  /** Called when a turn ended that the user didn't stop. */
  ended(session: ChatSession): void;
}

/** The sessions whose last turn ended while the user could not see them. */
export class Unread implements Disposable {
  readonly #parts: UnreadParts;
  readonly #store = new DisposableStore();
  readonly #busy = new Set<ChatSession>();
  #unread: ReadonlySet<ChatSession> = new Set();
  readonly #changed = new Emitter<void>();
  readonly onDidChange = this.#changed.event;

  constructor(parts: UnreadParts) {
    this.#parts = parts;
    this.#store.add(parts.chats.onDidChange(({ session }) => this.#update(session)));
  }

  has(session: ChatSession): boolean {
    return this.#unread.has(session);
  }

  get count(): number {
    return this.#unread.size;
  }

  /** Drops the sessions that the user can see now. Call it when focus or visibility changes. */
  look(): void {
    const left = [...this.#unread].filter((session) => !this.#parts.isSeen(session));
    if (left.length === this.#unread.size) return;
    this.#unread = new Set(left);
    this.#changed.fire();
  }

  /** Drops a session that was deleted, which nobody can look at any more. */
  remove(session: ChatSession): void {
    this.#busy.delete(session);
    if (!this.has(session)) return;
    this.#unread = new Set([...this.#unread].filter((each) => each !== session));
    this.#changed.fire();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #update(session: ChatSession): void {
    const { activity } = session.state;
    if (activity === 'running') this.#busy.add(session);
    // The user knows about a turn that they stop.
    if (activity === 'stopping') this.#busy.delete(session);
    if (activity !== 'idle' || !this.#busy.delete(session)) return;
    this.#parts.ended(session);
    if (this.#parts.isSeen(session)) return;
    this.#unread = new Set([...this.#unread, session]);
    this.#changed.fire();
  }
}
