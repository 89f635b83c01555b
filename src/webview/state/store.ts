import { applyChange } from '../messages/applyChange.ts';
import type { ChatState, StateChange } from '../messages/chatState.ts';
import type { Strings } from '../messages/messages.ts';

export interface Shown {
  readonly state: ChatState;
  readonly strings: Strings;
}

/** The page's copy of the state. Views are told once for each post, whatever it carries. */
export class Store {
  #shown: Shown | undefined;
  readonly #listeners = new Set<(shown: Shown) => void>();

  get shown(): Shown | undefined {
    return this.#shown;
  }

  snapshot(state: ChatState, strings: Strings): void {
    this.#set({ state, strings });
  }

  apply(changes: readonly StateChange[]): void {
    if (this.#shown === undefined) return;
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
