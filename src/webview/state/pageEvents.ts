type Listener = EventListenerOrEventListenerObject;

/**
 * Events for the chat's views. One that comes before its view has mounted, right after the snapshot
 * or even before the first drawing, is kept for it: it can carry what the user added to the message.
 */
export class PageEvents extends EventTarget {
  readonly #kept: ReadonlySet<string>;
  readonly #listeners = new Map<string, Set<Listener>>();
  #waiting: readonly Event[] = [];

  /** @param kept the types of events that wait for a view */
  constructor(kept: readonly string[]) {
    super();
    this.#kept = new Set(kept);
  }

  override addEventListener(type: string, listener: Listener): void {
    super.addEventListener(type, listener);
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
    const due = this.#waiting.filter((event) => event.type === type);
    this.#waiting = this.#waiting.filter((event) => event.type !== type);
    for (const event of due) super.dispatchEvent(event);
  }

  override removeEventListener(type: string, listener: Listener): void {
    super.removeEventListener(type, listener);
    this.#listeners.get(type)?.delete(listener);
  }

  override dispatchEvent(event: Event): boolean {
    const heard = (this.#listeners.get(event.type)?.size ?? 0) > 0;
    if (heard || !this.#kept.has(event.type)) return super.dispatchEvent(event);
    this.#waiting = [...this.#waiting, event];
    return true;
  }
}
