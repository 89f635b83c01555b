import { type Clock, FRAME } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { StateChange } from '../../webview/messages/chatState.ts';

/** Batches changes and posts them at most once per frame. */
export class FramePoster implements Disposable {
  readonly #post: (changes: readonly StateChange[]) => void;
  readonly #clock: Clock;
  #changes: StateChange[] = [];
  #timer: Disposable | undefined;

  constructor(post: (changes: readonly StateChange[]) => void, clock: Clock) {
    this.#post = post;
    this.#clock = clock;
  }

  add(change: StateChange): void {
    const last = this.#changes.at(-1);
    if (change.type === 'append' && last?.type === 'append' && last.id === change.id) {
      this.#changes[this.#changes.length - 1] = { ...last, text: last.text + change.text };
    } else this.#changes.push(change);
    this.#timer ??= this.#clock.after(FRAME, () => this.flush());
  }

  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    const changes = this.#changes;
    this.#changes = [];
    if (changes.length > 0) this.#post(changes);
  }

  /** Drops the batched changes, because a snapshot will contain them. */
  clear(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#changes = [];
  }

  dispose(): void {
    this.clear();
  }
}
