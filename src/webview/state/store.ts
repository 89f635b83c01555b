import { applyChange } from '../messages/applyChange.ts';
import type { ChatState, StateChange } from '../messages/chatState.ts';
import type { SessionKey } from '../messages/messages.ts';
import type { Strings } from '../messages/stringKeys.ts';

export interface Shown {
  readonly session: SessionKey;
  readonly state: ChatState;
  readonly strings: Strings;
}

/** The page's copy of the session it shows. Views are told once for each post, whatever it carries. */
export class Store {
  #shown: Shown | undefined;
  readonly #listeners = new Set<(shown: Shown) => void>();

  get shown(): Shown | undefined {
    return this.#shown;
  }

  snapshot(shown: Shown): void {
    this.#set(shown);
  }

  /** Changes of a session that is not shown any more are dropped. */
  apply(session: SessionKey, changes: readonly StateChange[]): void {
    if (this.#shown?.session !== session) return;
    this.#set({ ...this.#shown, state: changes.reduce(applyChange, this.#shown.state) });
  }

  subscribe(listener: (shown: Shown) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #set(shown: Shown): void {
    this.#shown = shown;
    for (const listener of this.#listeners) listener(shown);
  }
}
