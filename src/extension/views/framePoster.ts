import { type Clock, FRAME } from '../../base/clock.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { StateChange } from '../../webview/messages/chatState.ts';

/** Gathers changes and posts them at most once a frame: a flood of chunks must not flood the chat. */
export class FramePoster implements Disposable {
  readonly #post: (changes: readonly StateChange[]) => void;
  readonly #clock: Clock;
  #waiting: StateChange[] = [];
  #timer: Disposable | undefined;

  constructor(post: (changes: readonly StateChange[]) => void, clock: Clock) {
    this.#post = post;
    this.#clock = clock;
  }

  add(change: StateChange): void {
    const last = this.#waiting.at(-1);
    if (change.type === 'append' && last?.type === 'append' && last.id === change.id) {
      this.#waiting[this.#waiting.length - 1] = { ...last, text: last.text + change.text };
    } else this.#waiting.push(change);
    this.#timer ??= this.#clock.after(FRAME, () => this.flush());
  }

  flush(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    const changes = this.#waiting;
    this.#waiting = [];
    if (changes.length > 0) this.#post(changes);
  }

  /** Forgets what waits: a snapshot is about to carry it. */
  clear(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
    this.#waiting = [];
  }

  dispose(): void {
    this.clear();
  }
}
