/** Work that runs at most once at a time for each key. Whoever asks meanwhile gets the same result. */
export class RunOnce<Key extends object, Value> {
  readonly #running = new Map<Key, Promise<Value>>();

  get(key: Key): Promise<Value> | undefined {
    return this.#running.get(key);
  }

  run(key: Key, work: () => Promise<Value>): Promise<Value> {
    const known = this.#running.get(key);
    if (known !== undefined) return known;
    const running = work().finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }
}
