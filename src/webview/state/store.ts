import { applyChange } from '../messages/applyChange.ts';
import type { ChatState, StateChange } from '../messages/chatState.ts';
import type { SessionKey } from '../messages/messages.ts';
import type { Strings } from '../messages/stringKeys.ts';

export interface ShownChat {
  readonly session: SessionKey;
  readonly state: ChatState;
  readonly strings: Strings;
}

/** The page's copy of the session it shows. Notifies views once per post. */
export class Store {
  #shown: ShownChat | undefined;
  readonly #listeners = new Set<(shown: ShownChat) => void>();

  get shown(): ShownChat | undefined {
    return this.#shown;
  }

  snapshot(shown: ShownChat): void {
    this.#set(shown);
  }

  /** Changes to a session that is no longer shown are dropped. */
  apply(session: SessionKey, changes: readonly StateChange[]): void {
    if (this.#shown?.session !== session) return;
    this.#set({ ...this.#shown, state: changes.reduce(applyChange, this.#shown.state) });
  }

  subscribe(listener: (shown: ShownChat) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #set(shown: ShownChat): void {
    this.#shown = shown;
    for (const listener of this.#listeners) listener(shown);
  }
}
