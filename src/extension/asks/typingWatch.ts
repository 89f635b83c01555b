import type * as vscode from 'vscode';
import type { Clock } from '../../base/clock.ts';
import { type Disposable, DisposableStore } from '../../base/disposable.ts';

/** The events of the editor that tell where the user's hands are. */
export type TypingEvents = Pick<
  typeof vscode.window,
  | 'onDidChangeTextEditorSelection'
  | 'onDidChangeActiveTextEditor'
  | 'onDidChangeTerminalState'
  | 'onDidStartTerminalShellExecution'
> &
  Pick<typeof vscode.workspace, 'onDidChangeTextDocument'> & {
    isActiveDocument(document: vscode.TextDocument): boolean;
  };

/** How long the hands must rest before a quick pick may take the keyboard. Milliseconds. */
export const REST = 1_000;
const KEYBOARD = 1;

/**
 * Knows when the user last typed where the stable API shows it, and whether a terminal was used since:
 * typing in terminals is invisible, so after that nothing may open by itself.
 */
export class TypingWatch implements Disposable {
  readonly #clock: Clock;
  readonly #store = new DisposableStore();
  #last = Number.NEGATIVE_INFINITY;
  #terminal = false;

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
        this.#terminal = false;
      }),
    );
    this.#store.add(
      events.onDidChangeActiveTextEditor((editor) => {
        if (editor !== undefined) this.#terminal = false;
      }),
    );
    this.#store.add(events.onDidChangeTerminalState(() => this.terminalUsed()));
    this.#store.add(events.onDidStartTerminalShellExecution(() => this.terminalUsed()));
  }

  /** A key went into an editor or the chat. */
  typed(): void {
    this.#last = this.#clock.now();
    this.#terminal = false;
  }

  terminalUsed(): void {
    this.#terminal = true;
  }

  get inTerminal(): boolean {
    return this.#terminal;
  }

  /** Milliseconds until a quick pick may open; 0 when it may now. */
  get restLeft(): number {
    return Math.max(0, this.#last + REST - this.#clock.now());
  }

  dispose(): void {
    this.#store.dispose();
  }
}
