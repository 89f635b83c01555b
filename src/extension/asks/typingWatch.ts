import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';

/** The editor events that indicate typing. */
export type TypingEvents = Pick<typeof vscode.window, 'onDidChangeTextEditorSelection'> &
  Pick<typeof vscode.workspace, 'onDidChangeTextDocument'> & {
    isActiveDocument(document: vscode.TextDocument): boolean;
  };

/** How long typing must have stopped before a quick pick may take focus, in milliseconds. */
export const REST = 1_000;
const KEYBOARD = 1;

/**
 * Tracks when the user last pressed a key, as far as the stable API reports it: in the chat, in text
 * editors and in terminals of commands.
 */
export class TypingWatch implements Disposable {
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  #last = Number.NEGATIVE_INFINITY;

  constructor(events: TypingEvents, clock: Clock) {
    this.#clock = clock;
    this.#store.add(
      events.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && events.isActiveDocument(document)) this.typed();
      }),
    );
    this.#store.add(
      events.onDidChangeTextEditorSelection(({ kind }) => {
        if (kind === KEYBOARD) this.typed();
      }),
    );
  }

  /** Called when the user types in the chat or in a command's terminal. */
  typed(): void {
    this.#last = this.#clock.now();
  }

  /** Milliseconds until a quick pick may open; 0 if it may open now. */
  get restLeft(): number {
    return Math.max(0, Math.min(REST, this.#last + REST - this.#clock.now()));
  }

  dispose(): void {
    this.#store.dispose();
  }
}
