import { applyChange } from '../messages/applyChange.ts';
import type { ChatState, StateChange } from '../messages/chatState.ts';
import type { SessionKey } from '../messages/messages.ts';
import type { Strings } from '../messages/stringKeys.ts';
import { createFrameQueue, type FrameQueue, type FrameWindow } from './frames.ts';

export interface ShownChat {
  readonly session: SessionKey;
  readonly state: ChatState;
  readonly strings: Strings;
}

/** The page's copy of the session it shows. Notifies views at most once a frame. */
export class Store {
  readonly #frames: FrameQueue<StateChange> | undefined;
  #shown: ShownChat | undefined;
  readonly #listeners = new Set<(shown: ShownChat) => void>();

  /** Without a window, changes are applied at once. */
  constructor(window?: FrameWindow) {
    this.#frames = window && createFrameQueue(window, (changes) => this.#change(changes));
  }

  get shown(): ShownChat | undefined {
    return this.#shown;
  }

  snapshot(shown: ShownChat): void {
    this.#frames?.clear();
    this.#set(shown);
  }

  /** Changes to a session that is no longer shown are dropped. */
  apply(session: SessionKey, changes: readonly StateChange[]): void {
    if (this.#shown?.session !== session) return;
    if (this.#frames === undefined) this.#change(changes);
    for (const change of changes) this.#frames?.add(change);
    // Growing text waits for the frame; what a user acts on does not.
    if (changes.some(({ type }) => type === 'set' || type === 'reset')) this.#frames?.flush();
  }

  subscribe(listener: (shown: ShownChat) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #change(changes: readonly StateChange[]): void {
    if (this.#shown === undefined) return;
    this.#set({ ...this.#shown, state: changes.reduce(applyChange, this.#shown.state) });
  }

  #set(shown: ShownChat): void {
    this.#shown = shown;
    for (const listener of this.#listeners) listener(shown);
  }
}
