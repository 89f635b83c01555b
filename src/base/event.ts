import type { Disposable } from './disposable.ts';

/** An event emitter like the editor's, for code that runs outside the editor. */
export class Emitter<Value> implements Disposable {
  readonly #listeners = new Set<(value: Value) => void>();

  readonly event = (listener: (value: Value) => void): Disposable => {
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
