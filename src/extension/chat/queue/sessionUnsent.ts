/** The messages of a session that neither the host nor a composer has. */
export class SessionUnsent<Message extends Drafted, Drafted> {
  /** The item of the newest message, until the message is sent to the host. */
  #item: string | undefined;
  /** That message, unless the user stopped it. */
  #pending: Message | undefined;
  #returned: readonly Drafted[] = [];
  readonly #onChange: () => void;

  /** @param onChange called when the messages may have changed */
  constructor(onChange: () => void = () => undefined) {
    this.#onChange = onChange;
  }

  get item(): string | undefined {
    return this.#item;
  }

  get all(): readonly Drafted[] {
    return [...(this.#pending === undefined ? [] : [this.#pending]), ...this.#returned];
  }

  changed(): void {
    this.#onChange();
  }

  begin(message: Message, item: string): void {
    this.#item = item;
    this.#pending = message;
    this.changed();
  }

  sent(): void {
    this.#item = undefined;
    this.settle();
  }

  /** The message is sent, or the user stopped it. */
  settle(): void {
    this.#pending = undefined;
    this.changed();
  }

  return(message: Drafted): void {
    this.#returned = [...this.#returned, message];
    this.changed();
  }

  takeReturned(): readonly Drafted[] {
    const returned = this.#returned;
    this.#returned = [];
    this.changed();
    return returned;
  }
}
