import type { Disposable } from './disposable.ts';

/** Registers a listener until disposed. */
export type Event<Value> = (listener: (value: Value) => void) => Disposable;

/** An event emitter like the editor's, for code that runs outside the editor. */
export class Emitter<Value> implements Disposable {
  readonly #listeners = new Set<(value: Value) => void>();

  readonly event: Event<Value> = (listener) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };

  fire(value: Value): void {
    for (const listener of [...this.#listeners]) listener(value);
  }

  dispose(): void {
    this.#listeners.clear();
  }
}
