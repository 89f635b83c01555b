/** A resource that is released once. `vscode.Disposable` has the same shape. */
export interface Disposable {
  dispose(): void;
}

/** Collects disposables and releases them in reverse order. */
export class DisposableStore implements Disposable {
  #items: Disposable[] = [];
  #disposed = false;

  get disposed(): boolean {
    return this.#disposed;
  }

  /** Adds an item; disposes it immediately if the store is already disposed. */
  add<Item extends Disposable>(item: Item): Item {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const item of this.#items.reverse()) item.dispose();
    this.#items = [];
  }
}
